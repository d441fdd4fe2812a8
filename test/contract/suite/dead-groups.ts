// Counting in side rows, and the groups of failures that are built on it, in each store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemChance } from '../../../lib/core/chance.ts';
import type { TenantId } from '../../../lib/core/ids.ts';
import { epochMs, later, seconds, systemClock, toEpochSeconds } from '../../../lib/core/time.ts';
import { deadGroups, groupMembers, joinGroup, leaveGroup, listedDead } from '../../../lib/job/dead/dead-groups.ts';
import { finalError } from '../../../lib/job/dead/fingerprint.ts';
import { jobError } from '../../../lib/job/run/outcome.ts';
import type { SideRef } from '../../../lib/job/side/side.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aRef, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

export function deadGroupsSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`counting in ${name}`, () => {
    let harness: StoreHarness;
    let used = 0;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    const aSide = (): SideRef => ({ ...scope, family: 'stat', group: 'counting', name: `n${(used += 1)}` });
    const aTenant = () => `counting${(used += 1)}` as unknown as TenantId;
    const engine = () => ({ store: harness.store, clock: { ...systemClock, now: () => now }, chance: systemChance });

    async function ended(tenant: TenantId, after: number, detail: string) {
      const error = finalError({ kind: 'echo' }, jobError('HANDLER_FAILED', detail, true));
      const row = aJobRow({ ...aRef(), tenant, status: 'dead', finishedAt: later(now, seconds(after)), error });
      await harness.putRow(row);
      return listedDead(row)!;
    }

    it('adds to each counter of a row, there or not', async () => {
      const side = aSide();
      const expiresAt = toEpochSeconds(later(now, seconds(60)));
      const add = (counters: Record<string, number>) =>
        harness.store.writeSide(side, 'add-counters', { counters, expiresAt });
      await add({ 'failed:default:a.b': 1 });
      const two = await add({ 'failed:default:a.b': 2, other: 5 });
      expect(two).toEqual({ kind: 'applied', row: { 'failed:default:a.b': 3, other: 5, expiresAt } });
    });

    it('changes a row only for who has read it as it is', async () => {
      const side = aSide();
      await harness.store.writeSide(side, 'create', { fields: { state: 'a', serial: 0 }, now });
      const change = (state: string) => harness.store.writeSide(side, 'change', { fields: { state }, serial: 0 });
      expect((await Promise.all([change('b'), change('c')])).map(({ kind }) => kind).sort()).toEqual([
        'applied',
        'refused',
      ]);
      expect(await harness.store.getSide(side)).toMatchObject({ serial: 1 });
    });

    it('lets each job into its group once, lists the latest first, and forgets an empty group', async () => {
      const tenant = aTenant();
      const [one, two, other] = [
        await ended(tenant, 1, 'row 1'),
        await ended(tenant, 2, 'row 2'),
        await ended(tenant, 3, 'x'),
      ];
      for (const row of [one, two, one, other, two]) await joinGroup(engine(), row);
      const read = async () => (await deadGroups(harness.store, { ...scope, tenant }, { limit: 9 })).items;
      const group = (await read()).find(({ fingerprint }) => fingerprint === one.error.fingerprint);
      expect(group).toMatchObject({ kind: 'echo', code: 'HANDLER_FAILED', message: 'row 2', count: 2 });
      expect(group).toMatchObject({ first: one.finishedAt, last: two.finishedAt, sample: [two.id, one.id] });
      const members = await groupMembers(harness.store, { ...scope, tenant }, one.error.fingerprint, { limit: 1 });
      expect(members.items).toEqual([{ id: two.id, finishedAt: two.finishedAt }]);
      expect(members.cursor).toBeDefined();
      for (const row of [one, two, one]) await leaveGroup(engine(), row);
      expect((await read()).map(({ fingerprint, count }) => [fingerprint, count])).toEqual([
        [other.error.fingerprint, 1],
      ]);
    });

    it('does not let in a job that has left that end behind', async () => {
      const tenant = aTenant();
      const row = await ended(tenant, 1, 'gone');
      await harness.putRow({ ...row, finishedAt: epochMs(row.finishedAt + 1) });
      await joinGroup(engine(), row);
      expect((await deadGroups(harness.store, { ...scope, tenant }, { limit: 9 })).items).toEqual([]);
    });
  });
}
