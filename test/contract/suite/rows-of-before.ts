// Rows as each release before wrote them run through this one; a row of a format that is still to come is left alone.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { seededChance } from '../../../lib/core/chance.ts';
import { must } from '../../../lib/core/check.ts';
import { type JobId, newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { days, epochMs, later } from '../../../lib/core/time.ts';
import { findOrphans } from '../../../lib/job/dead/orphans.ts';
import { cancelJob } from '../../../lib/job/run/cancel.ts';
import type { Engine } from '../../../lib/job/engine.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import { toJob } from '../../../lib/job/job.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { isTerminal } from '../../../lib/job/status.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { sweepRow } from '../../../lib/job/sweep/sweep-row.ts';
import { writeRule } from '../../../lib/job/write.ts';
import { dueShardOf } from '../../../lib/store/table.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const folder = join(import.meta.dirname, '../../fixtures/rows');
const releases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const rows = releases.flatMap(({ name: release }) =>
  readdirSync(join(folder, release)).map((file) => ({
    name: `${release} ${file.replace('.json', '')}`,
    row: JSON.parse(readFileSync(join(folder, release, file), 'utf8')) as JobRow,
  })),
);

const chance = seededChance(3);
const runs = (kind: string) =>
  defineJob({ kind, input: z.unknown(), run: async (ctx) => ({ was: ctx.cursor ?? null }) });
const staged = { type: 'pipeline', kind: 'staged', input: z.unknown(), version: '2' } as const;
const registry = createRegistry([...['echo', 'long', 'longer', 'fails', 'never', 'continues'].map(runs), staged]);

/** An engine a month after the rows were written: whatever they waited for is past. */
function engineOf({ store }: StoreHarness): Engine & { readonly started: string[] } {
  const clock = createManualClock(later(epochMs(1_700_000_000_000), days(30)));
  const started: string[] = [];
  return {
    store,
    clock,
    chance,
    registry,
    started,
    settings: engineDefaults,
    objects: createMemoryObjects(),
    ringer: { ring: async () => undefined, isIdle: async () => true },
    executions: { start: async (bell) => void started.push(bell.ref.id), probe: async () => 'gone' },
    heartbeats: createHeartbeats({ store, clock, settings: engineDefaults }),
    log: silentLog,
  };
}

export function rowsOfBeforeSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`rows of the releases before in ${name}`, () => {
    let harness: StoreHarness;
    let engine: ReturnType<typeof engineOf>;
    beforeAll(async () => {
      harness = await open();
      engine = engineOf(harness);
    });
    afterAll(() => harness.close());

    /** Put past the rules, under an id of its own. */
    const laid = async (row: JobRow): Promise<JobRow> => {
      const own = { ...row, id: newId('job', epochMs(1_700_000_000_000), chance) };
      await harness.putRow(own);
      return own;
    };
    const now = () => engine.clock.now();
    const read = async (row: JobRow): Promise<JobRow> => (await engine.store.get(refOf(row))) as JobRow;
    const sweep = (row: JobRow) => sweepRow(engine, { ref: refOf(row), dueAt: row.dueAt ?? now() }, now());
    const hear = (row: JobRow) => createWorker(engine).hear({ ref: refOf(row), epoch: row.epoch });

    it('are of every status', () => {
      for (const { name: release } of releases) {
        const seen = rows.filter((each) => each.name.startsWith(`${release} `)).map(({ row }) => row.status);
        expect(new Set(seen).size, release).toBe(7);
      }
    });

    it.each(rows)('$name reads back as it was written', async ({ row }) => {
      const own = await laid(row);
      expect(await read(own)).toEqual(own);
      expect(toJob(own).status).toBe(row.status);
    });

    it.each(rows.filter(({ row }) => row.status === 'queued' || row.status === 'running'))(
      '$name is revived, claimed, run and settled',
      async ({ row }) => {
        const own = await laid(row);
        const swept = await sweep(own);
        const found = await read(own);
        if (row.cancelRequested !== undefined) return expect([swept, found.status]).toEqual(['cancelled', 'cancelled']);
        if (row.startBy !== undefined) return expect([swept, found.status]).toEqual(['drop', 'cancelled']);
        expect(found.status).toBe('queued');
        const heard = await hear(found);
        const after = await read(own);
        if (row.kind === 'staged') {
          expect([heard.kind, after.heldBy, after.stage]).toEqual(['started', 'execution', row.stage]);
          expect(engine.started).toContain(own.id);
          return;
        }
        const was = row.cursor === undefined ? null : (JSON.parse(row.cursor) as unknown);
        expect(after).toMatchObject({ status: 'succeeded', result: { inline: JSON.stringify({ was }) } });
        expect(after.epoch).toBeGreaterThan(row.epoch);
      },
    );

    it.each(rows.filter(({ row }) => row.status === 'running' && row.leaseOwner !== undefined))(
      '$name is settled by who holds it',
      async ({ row }) => {
        const own = await laid(row);
        const fence = { epoch: own.epoch, owner: own.leaseOwner as NonNullable<JobRow['leaseOwner']> };
        const settled = await writeRule(engine, refOf(own), 'succeed', { ...fence, now: now() });
        expect(settled).toMatchObject({ kind: 'applied', row: { status: 'succeeded' } });
      },
    );

    it.each(rows.filter(({ row }) => row.status === 'parked'))('$name goes on when it is unparked', async ({ row }) => {
      const own = await laid(row);
      const unparked = await writeRule(engine, refOf(own), 'unpark', { version: own.version, dueAt: now() });
      expect(unparked).toMatchObject({ kind: 'applied', row: { status: 'queued' } });
      await hear(await read(own));
      expect((await read(own)).status).toBe('succeeded');
    });

    it.each(rows.filter(({ row }) => isTerminal(row.status)))('$name stays as it ended', async ({ row }) => {
      const own = await laid(row);
      expect(await sweep(own)).toBe('moved');
      expect(await cancelJob(engine, refOf(own), 'late')).toEqual(own);
      expect((await hear(own)).kind).toBe('stale');
      expect(await read(own)).toEqual(own);
    });

    it.each(rows.filter(({ row }) => ['failed', 'dead', 'cancelled'].includes(row.status)))(
      '$name runs when it is redriven',
      async ({ row }) => {
        const own = await laid(row);
        const params = { version: own.version, dueAt: now() };
        expect((await writeRule(engine, refOf(own), 'redrive', params)).kind).toBe('applied');
        await hear(await read(own));
        expect((await read(own)).status).toBe('succeeded');
      },
    );
  });

  describe(`a row of a format to come in ${name}`, () => {
    let harness: StoreHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    it.each(['queued-new', 'running-claimed', 'parked-signal', 'failed'])(
      '%s is left alone, with an error of its own',
      async (which) => {
        const engine = engineOf(harness);
        const { row } = must(
          rows.find((each) => each.name.endsWith(` ${which}`)),
          which,
        );
        const own = { ...row, id: newId('job', row.createdAt, chance) };
        const ref = refOf(own);
        await harness.putRow(own);
        await harness.alterRow(ref, { v: 2, novelty: { of: 'a later release' } });
        const before = await harness.rawRow(ref);
        const now = engine.clock.now();
        const error = { code: 'TENANT_DELETED', detail: '', retriable: false };
        const tries = [
          () => sweepRow(engine, { ref, dueAt: now }, now),
          () => createWorker(engine).hear({ ref, epoch: row.epoch }),
          () => cancelJob(engine, ref, 'no'),
          () => writeRule(engine, ref, 'entomb', { version: row.version, now, error }),
          () => writeRule(engine, ref, 'redrive', { version: row.version, dueAt: now }),
        ];
        const refused = { code: 'ROW_UNREADABLE', detail: expect.stringContaining('its format is 2') as string };
        for (const each of tries) await expect(each()).rejects.toMatchObject(refused);
        expect(await harness.rawRow(ref)).toEqual(before);
      },
    );

    it('stands in no other row’s way to the sweep', async () => {
      const engine = engineOf(harness);
      const due = rows.find((each) => each.name.endsWith(' running-claimed'));
      const row = { ...must(due, 'a claimed row').row, dueAt: epochMs(1) };
      const ids: [JobId, JobId] = [newId('job', row.createdAt, chance), newId('job', row.createdAt, chance)];
      while (dueShardOf(ids[1]) !== dueShardOf(ids[0])) ids[1] = newId('job', row.createdAt, chance);
      const [unreadable, readable] = ids.map((id) => ({ ...row, id })) as [JobRow, JobRow];
      await harness.putRow({ ...unreadable, dueAt: epochMs(0) });
      await harness.putRow(readable);
      await harness.alterRow(refOf(unreadable), { v: 2 });
      await sweep(engine, { shards: [dueShardOf(ids[0])] });
      expect(await harness.store.get(refOf(readable))).toMatchObject({ status: 'queued', crashes: row.crashes + 1 });
      const look = await findOrphans(harness.store, refOf(row), engine.clock.now(), false);
      expect(look.unreadable.map(({ id }) => id)).toContain(unreadable.id);
    });
  });
}
