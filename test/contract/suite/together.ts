// Side rows and transactions: all of it or nothing, each refusal with its row; and the sparse indexes that follow a job's rules.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochMs, later, seconds } from '../../../lib/core/time.ts';
import type { TransactWrite } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import type { SideRef } from '../../../lib/job/side/side.ts';
import { dueShardOf } from '../../../lib/store/table.ts';
import { aClaimOf, aRef, aRunning, aSettle, aSubmit, aWriteId, now, scope } from '../support/jobs.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import type { StoreHarness } from '../support/store-harness.ts';

export function togetherSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`side rows and transactions of ${name}`, () => {
    let harness: StoreHarness;
    let group = 0;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    const aSide = (given: Partial<SideRef> = {}): SideRef => ({
      ...scope,
      family: 'dedup',
      group: `g${(group += 1)}`,
      name: 'one',
      ...given,
    });
    const create = (side: SideRef, fields = {}): Extract<TransactWrite, { side: unknown }> => ({
      side,
      rule: 'create',
      params: { fields, now },
    });
    const queued = async (given: Partial<JobRow> = {}): Promise<JobRow> => {
      const row = aJobRow({ ...aRef(), ...given });
      await harness.putRow(row);
      return row;
    };

    it('makes a side row once, and shows it to whoever comes later', async () => {
      const side = aSide();
      expect(await harness.store.writeSide(side, 'create', { fields: { holder: 'a', none: undefined }, now })).toEqual({
        kind: 'applied',
        row: { holder: 'a', made: now },
      });
      const late = await harness.store.writeSide(side, 'create', { fields: { holder: 'b' }, now });
      expect(late).toEqual({ kind: 'refused', found: { holder: 'a', made: now } });
      expect(await harness.store.getSide(side)).toEqual({ holder: 'a', made: now });
    });

    it('takes a side row away once', async () => {
      const side = aSide();
      await harness.store.writeSide(side, 'create', { fields: {}, now });
      expect((await harness.store.writeSide(side, 'remove', {})).kind).toBe('applied');
      expect(await harness.store.writeSide(side, 'remove', {})).toEqual({ kind: 'refused', found: undefined });
      expect(await harness.store.getSide(side)).toBeUndefined();
    });

    it('lists a group by name, in pages, by prefix, and nothing of another group', async () => {
      const first = aSide({ name: 'a#1' });
      for (const each of ['b%2', 'a#1', 'a#2'])
        await harness.store.writeSide({ ...first, name: each }, 'create', { fields: {}, now });
      await harness.store.writeSide(aSide({ name: 'a#1' }), 'create', { fields: {}, now });
      const page = await harness.store.listSides(first, { limit: 2 });
      expect(page.items.map((each) => each.name)).toEqual(['a#1', 'a#2']);
      const rest = await harness.store.listSides(first, { limit: 2, cursor: page.cursor });
      expect(rest).toEqual({ items: [{ name: 'b%2', row: { made: now } }] });
      const some = await harness.store.listSides(first, { limit: 9, prefix: 'a#' });
      expect(some.items.map((each) => each.name)).toEqual(['a#1', 'a#2']);
    });

    it('applies a transaction as a whole', async () => {
      const row = await queued();
      const [made, removed] = [aSide(), aSide()];
      await harness.store.writeSide(removed, 'create', { fields: {}, now });
      const answer = await harness.store.transact(
        [
          { job: refOf(row), rule: 'claim', params: aClaimOf(row) },
          create(made, { job: row.id }),
          { side: removed, rule: 'remove', params: {} },
          { side: aSide(), rule: 'is-absent', params: {} },
        ],
        aWriteId(),
      );
      expect(answer).toEqual({ kind: 'applied' });
      expect((await harness.store.get(refOf(row)))?.status).toBe('running');
      expect(await harness.store.getSide(made)).toEqual({ job: row.id, made: now });
      expect(await harness.store.getSide(removed)).toBeUndefined();
    });

    it('applies nothing where one write is refused, and shows the row of each that was', async () => {
      const [row, other] = [await queued(), await queued()];
      const [taken, free] = [aSide(), aSide()];
      await harness.store.writeSide(taken, 'create', { fields: { holder: 'a' }, now });
      const answer = await harness.store.transact(
        [
          { job: refOf(row), rule: 'claim', params: aClaimOf(row) },
          create(taken),
          create(free),
          { check: refOf(other), guards: [['status', '=', 'parked']], params: {} },
        ],
        aWriteId(),
      );
      expect(answer).toEqual({
        kind: 'refused',
        refusals: [undefined, { found: { holder: 'a', made: now } }, undefined, { found: other }],
      });
      expect(await harness.store.get(refOf(row))).toEqual(row);
      expect(await harness.store.getSide(free)).toBeUndefined();
    });

    it('submits together with a side row, or not at all', async () => {
      const side = aSide();
      const [first, second] = [aSubmit(), aSubmit()];
      const send = ({ row, params }: typeof first) =>
        harness.store.transact([{ submit: row, params }, create(side, { holder: row.id })], params.writeId);
      expect(await send(first)).toEqual({ kind: 'applied' });
      const refused = await send(second);
      expect(refused).toEqual({
        kind: 'refused',
        refusals: [undefined, { found: { holder: first.row.id, made: now } }],
      });
      expect(await harness.store.get(second.row)).toBeUndefined();
      expect((await harness.store.get(first.row))?.status).toBe('queued');
    });

    it('refuses two writes of one row', async () => {
      const side = aSide();
      await expect(harness.store.transact([create(side), create(side)], aWriteId())).rejects.toThrow(TypeError);
    });

    it('lists parked jobs by reason, oldest first, while they are parked', async () => {
      const reason = `signal:${aRef().id}`;
      const times = [3, 1, 2].map((at) => epochMs(now + at));
      const rows = await Promise.all(times.map((createdAt) => queued({ createdAt })));
      const params = { writeId: aWriteId(), parked: reason, dueAt: later(now, seconds(60)) };
      for (const row of rows) await harness.store.write(refOf(row), 'park', { ...params, version: row.version });
      const [third, first, second] = rows.map(({ id }) => id);
      const page = await harness.store.parkedFor(scope, reason, { limit: 2 });
      expect(page.items.map(({ id }) => id)).toEqual([first, second]);
      const rest = await harness.store.parkedFor(scope, reason, { limit: 2, cursor: page.cursor });
      expect(rest.items.map(({ id }) => id)).toEqual([third]);
      for (const row of rows) await harness.store.write(refOf(row), 'unpark', { ...params, version: row.version + 1 });
      expect((await harness.store.parkedFor(scope, reason, { limit: 9 })).items).toEqual([]);
    });

    it('lists failed and dead jobs, the last to end first, until they are redriven or discarded', async () => {
      const own = { ...scope, workspace: aRef().id as unknown as JobRow['workspace'] };
      const rows = await Promise.all(
        [0, 1, 2].map(async () => {
          const row = aRunning(own);
          await harness.putRow(row);
          return row;
        }),
      );
      const error = { code: 'HANDLER_FAILED', detail: 'no', retriable: false };
      for (const [index, row] of rows.entries())
        await harness.store.write(refOf(row), 'fail', { ...aSettle(row), now: epochMs(now + index), error });
      const names = async () => (await harness.store.deadJobs(own, { limit: 9 })).items.map(({ id }) => id);
      const [a, b, c] = rows.map(({ id }) => id);
      expect(await names()).toEqual([c, b, a]);
      const page = await harness.store.deadJobs(own, { limit: 2 });
      const rest = await harness.store.deadJobs(own, { limit: 2, cursor: page.cursor });
      expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual([c, b, a]);
      const [first, second] = rows.map((row) => ({ ref: refOf(row), version: row.version + 1 }));
      if (first === undefined || second === undefined) throw new TypeError('three rows');
      const dueAt = later(now, seconds(45));
      await harness.store.write(first.ref, 'redrive', { writeId: aWriteId(), version: first.version, dueAt });
      await harness.store.write(second.ref, 'discard', { writeId: aWriteId(), version: second.version });
      expect(await names()).toEqual([c]);
    });

    it('names a due side row beside the due jobs', async () => {
      const side = aSide({ family: 'schedule', name: `s-${aRef().id}` });
      await harness.store.writeSide(side, 'create', { fields: { dueAt: epochMs(77) }, now });
      const shard = dueShardOf(side.name);
      const page = await harness.store.due(shard, epochMs(77));
      expect(page.sides).toEqual([{ side, dueAt: 77 }]);
      expect((await harness.store.due(shard, epochMs(76))).sides).toEqual([]);
      await harness.store.writeSide(side, 'remove', {});
      expect((await harness.store.due(shard, epochMs(77))).sides).toEqual([]);
    });
  });
}
