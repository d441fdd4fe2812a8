// What the embedded store promises beyond the ports: an outbox, expiry, and one file for several processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { epochMs, type EpochSeconds, later, seconds } from '../../lib/core/time.ts';
import { StoreUnavailable } from '../../lib/job/ports.ts';
import { refOf } from '../../lib/job/row.ts';
import { openDatabase } from '../../lib/store/sqlite/database.ts';
import { createSqliteStore } from '../../lib/store/sqlite/store.ts';
import { jobKey } from '../../lib/store/table.ts';
import { aClaimOf, aRunning, aSubmit, now } from './support/jobs.ts';
import { openSqliteHarness, type SqliteHarness } from './support/sqlite-file.ts';

const claimer = new URL('./support/claimer.ts', import.meta.url);

async function withStore(test: (harness: SqliteHarness) => Promise<void>): Promise<void> {
  const harness = await openSqliteHarness();
  try {
    await test(harness);
  } finally {
    await harness.close();
  }
}

describe('the file of the embedded store', () => {
  it('holds one change for each loud rule, with the row before and after, until it is acknowledged', () =>
    withStore(async ({ store }) => {
      const { row, params } = aSubmit();
      await store.submit(row, params);
      const queued = await store.get({ ...row });
      const claim = aClaimOf(queued!);
      await store.write(refOf(queued!), 'claim', claim);
      await store.write(refOf(queued!), 'claim', claim);
      const beat = { epoch: (claim.epoch + 1) as typeof claim.epoch, owner: claim.owner };
      await store.write(refOf(queued!), 'heartbeat', { ...beat, leaseUntil: later(claim.leaseUntil, seconds(1)) });
      const changes = await store.changes(0, 10);
      expect(changes).toMatchObject([{ after: { rule: 'submit' } }, { before: queued, after: { rule: 'claim' } }]);
      expect(changes[0]).not.toHaveProperty('before');
      expect(await store.changes(changes[0]!.seq, 10)).toEqual(changes.slice(1));
      expect(await store.changes(0, 1)).toEqual(changes.slice(0, 1));
      await store.ackChanges(changes[0]!.seq);
      expect(await store.changes(0, 10)).toEqual(changes.slice(1));
    }));

  it('lists the others beside a row that is no JSON any more', () =>
    withStore(async ({ store, path, putRow }) => {
      const [whole, torn] = [aRunning(), aRunning()];
      await putRow(whole);
      await putRow(torn);
      const beside = openDatabase(path);
      beside.sql(`UPDATE items SET body = '{"id":' WHERE pk = ?`).run(jobKey(refOf(torn)).pk);
      beside.close();
      const page = await store.list(whole, {}, { limit: 10 });
      expect([page.items, page.unreadable]).toMatchObject([[{ id: whole.id }], [{ id: torn.id }]]);
      await expect(store.get(refOf(torn))).rejects.toMatchObject({ code: 'ROW_UNREADABLE' });
    }));

  it('never numbers a change twice, though all were acknowledged', () =>
    withStore(async ({ store }) => {
      const [first, second] = [aSubmit(), aSubmit()];
      await store.submit(first.row, first.params);
      const [change] = await store.changes(0, 1);
      await store.ackChanges(change!.seq);
      await store.submit(second.row, second.params);
      expect((await store.changes(0, 1))[0]!.seq).toBeGreaterThan(change!.seq);
    }));

  it('removes what has expired, and nothing else, and tells of jobs among it', () =>
    withStore(async ({ store, putRow }) => {
      const end = Math.floor(now / 1000);
      const [gone, kept, forever] = [end, end + 1, undefined].map((expiresAt) =>
        aRunning(expiresAt === undefined ? {} : { expiresAt: expiresAt as EpochSeconds }),
      );
      for (const row of [gone!, kept!, forever!]) await putRow(row);
      await store.writeSide({ ...gone!, family: 'dead', group: '', name: 'a' }, 'add-counters', {
        ...{ counters: { n: 1 }, expiresAt: end as EpochSeconds },
      });
      expect(await store.purgeExpired(epochMs(end * 1000 + 999))).toBe(2);
      expect((await store.changes(0, 9)).map(({ seq: _, ...change }) => change)).toEqual([{ before: gone }]);
      expect(await store.get(refOf(gone!))).toBeUndefined();
      expect(await store.get(refOf(kept!))).toEqual(kept);
      expect(await store.get(refOf(forever!))).toEqual(forever);
    }));

  it('keeps its rows when it is closed and opened again', () =>
    withStore(async ({ path }) => {
      const clock = { now: () => now, monotonic: () => 0, sleep: async () => undefined };
      const before = createSqliteStore({ path, clock });
      const { row, params } = aSubmit();
      await before.submit(row, params);
      before.close();
      const after = createSqliteStore({ path, clock });
      expect(await after.get({ ...row })).toMatchObject({ status: 'queued', id: row.id });
      after.close();
    }));

  it('says that it is unavailable where the file cannot be opened', () => {
    const clock = { now: () => now, monotonic: () => 0, sleep: async () => undefined };
    expect(() => createSqliteStore({ path: import.meta.dirname, clock })).toThrow(StoreUnavailable);
  });

  it('lets each of 40 jobs be claimed once by three processes on one file', () =>
    withStore(async ({ path, store }) => {
      const submits = Array.from({ length: 40 }, () => aSubmit());
      for (const { row, params } of submits) await store.submit(row, params);
      const claimed = await Promise.all(['a', 'b', 'c'].map((owner) => claimAll(path, `own_${owner}`)));
      expect(claimed.flat().toSorted()).toEqual(submits.map(({ row }) => row.id as string).toSorted());
    }));
});

/** Runs a process that tries to claim every queued job; answers the ids that it won. */
async function claimAll(path: string, owner: string): Promise<string[]> {
  const child = spawn(process.execPath, [fileURLToPath(claimer), path, owner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [won] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(child.exitCode).toBe(0);
  return JSON.parse(won) as string[];
}
