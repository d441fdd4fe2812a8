// The due index and the list: what every job store finds without knowing an id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobId, JobRef, Scope, TenantId } from '../../../lib/core/ids.ts';
import { days, type EpochMs, earlier, epochMs, later, millis, seconds } from '../../../lib/core/time.ts';
import { DUE_SHARDS, type DueEntry, type JobFilter, type PageRequest } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { dueShardOf } from '../../../lib/store/table.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aClaimOf, aRef, aSettle, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

export function indexesSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`the indexes of ${name}`, () => {
    let harness: StoreHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    const put = async (given: Partial<JobRow>): Promise<JobRow> => {
      const row = aJobRow({ ...aRef(), ...given });
      await harness.putRow(row);
      return row;
    };

    const dueIn = async (shard: number, before: EpochMs): Promise<DueEntry[]> => {
      const entries: DueEntry[] = [];
      let after: string | undefined;
      do {
        const page = await harness.store.due(shard, before, after);
        entries.push(...page.entries);
        after = page.after;
      } while (after !== undefined);
      return entries;
    };

    const newIn = (shard: number): JobId => {
      for (;;) {
        const { id } = aRef();
        if (dueShardOf(id) === shard) return id;
      }
    };

    it('answers what is due in a shard, the oldest first, over more than a page', async () => {
      const times = Array.from({ length: 120 }, (_, index) => epochMs(1000 + ((index * 7) % 120)));
      await Promise.all(times.map((dueAt) => put({ id: newIn(3), dueAt })));
      await put({ id: newIn(3), dueAt: epochMs(2000) });
      await put({ id: newIn(4), dueAt: epochMs(1000) });
      const first = await harness.store.due(3, epochMs(1999));
      expect(first.entries.length).toBeLessThan(120);
      const found = await dueIn(3, epochMs(1999));
      expect(found.map(({ dueAt }) => dueAt)).toEqual(times.toSorted((a, b) => a - b));
      expect(new Set(found.map(({ ref }) => ref.id)).size).toBe(120);
      expect(await dueIn(3, epochMs(999))).toEqual([]);
    });

    it('names each due job in exactly one shard, with where its row is', async () => {
      const row = await put({ tenant: 'other' as TenantId, dueAt: epochMs(50) });
      const shards = await Promise.all(Array.from({ length: DUE_SHARDS }, (_, shard) => dueIn(shard, epochMs(50))));
      expect(shards.flat()).toEqual([{ ref: refOf(row), dueAt: 50 }]);
    });

    it('keeps the entry through a claim and drops it at the settle', async () => {
      const queued = await put({ dueAt: epochMs(70) });
      const entries = async () =>
        (await dueIn(dueShardOf(queued.id), epochMs(70))).filter(({ ref }) => ref.id === queued.id);
      const claimed = await harness.store.write(refOf(queued), 'claim', aClaimOf(queued));
      expect(await entries()).toHaveLength(1);
      if (claimed.kind === 'refused') throw new Error('refused');
      await harness.store.write(refOf(queued), 'succeed', aSettle(claimed.row));
      expect(await entries()).toEqual([]);
    });

    it('says what time it was when it answered, by its own clock', async () => {
      const { storeNow } = await harness.store.due(0, epochMs(0));
      expect(Number.isInteger(storeNow)).toBe(true);
      expect(storeNow).toBeGreaterThan(Date.UTC(2025, 0, 1));
    });

    const listed = async (of: Scope, filter: JobFilter, limit: number): Promise<JobRow[][]> => {
      const pages: JobRow[][] = [];
      let cursor: string | undefined;
      do {
        const page = await harness.store.list(of, filter, { limit, cursor });
        pages.push([...page.items]);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return pages;
    };

    it('lists a workspace newest first, each job once, over days and pages', async () => {
      const mine = { ...scope, tenant: 'lister' as TenantId };
      const ages = [0, 1, 2, 3, 4, 40, 41, 41, 59].map((age) => earlier(now, days(age)));
      const times = ages.flatMap((time) => [time, later(time, millis(1)), later(time, millis(1))]);
      await Promise.all(
        times.map((createdAt, index) =>
          put({ ...aRef(), ...mine, createdAt, version: createdAt, kind: index % 2 === 0 ? 'even' : 'odd' }),
        ),
      );
      await put({ tenant: 'lister#main' as TenantId, createdAt: now });
      const pages = await listed(mine, {}, 4);
      expect(pages.every((page) => page.length <= 4)).toBe(true);
      const all = pages.flat();
      expect(all.map(({ createdAt }) => createdAt)).toEqual(times.toSorted((a, b) => b - a));
      expect(new Set(all.map(({ id }) => id)).size).toBe(times.length);
      const even = (await listed(mine, { kind: 'even' }, 50)).flat();
      expect(even.map(({ id }) => id)).toEqual(all.filter(({ kind }) => kind === 'even').map(({ id }) => id));
    });

    it('lists by the status of now, not of when the job was submitted', async () => {
      const mine = { ...scope, tenant: 'by-status' as TenantId };
      const [first, second] = [
        await put({ ...aRef(), ...mine, createdAt: now }),
        await put({ ...aRef(), ...mine, createdAt: earlier(now, seconds(1)) }),
      ];
      await harness.store.write(refOf(first), 'claim', aClaimOf(first));
      const running = await harness.store.list(mine, { status: 'running' }, { limit: 5 });
      expect(running.items.map(({ id, status }) => [id, status])).toEqual([[first.id, 'running']]);
      const queued = await harness.store.list(mine, { status: 'queued' }, { limit: 5 });
      expect(queued.items.map(({ id }) => id)).toEqual([second.id]);
    });

    it('lists by flow, parent, failed attempts and time, alone and together', async () => {
      const mine = { ...scope, tenant: 'by-filter' as TenantId };
      const parent = aRef().id;
      const row = (at: EpochMs, more: Partial<JobRow> = {}) =>
        put({ ...aRef(), ...mine, createdAt: at, version: at, ...more });
      const old = await row(earlier(now, days(3)), { flow: 'nightly', attempts: 2 });
      const child = await row(earlier(now, days(1)), { parentId: parent, attempts: 1 });
      const fresh = await row(now, { flow: 'nightly', attempts: 1 });
      const found = async (filter: JobFilter) => (await listed(mine, filter, 2)).flat().map(({ id }) => id);
      expect(await found({ flow: 'nightly' })).toEqual([fresh.id, old.id]);
      expect(await found({ parentId: parent })).toEqual([child.id]);
      expect(await found({ attemptsGte: 2 })).toEqual([old.id]);
      expect(await found({ since: child.createdAt })).toEqual([fresh.id, child.id]);
      expect(await found({ until: child.createdAt })).toEqual([old.id]);
      expect(await found({ since: later(old.createdAt, millis(1)), until: now })).toEqual([child.id]);
      expect(await found({ since: now, until: later(now, days(10_000)) })).toEqual([fresh.id]);
      expect(await found({ flow: 'nightly', attemptsGte: 1, until: now })).toEqual([old.id]);
      expect(await found({ flow: 'night' })).toEqual([]);
    });

    it('lists the others beside a row that cannot be read, which it names, on whatever page it stands', async () => {
      const mine = { ...scope, tenant: 'unreadable' as TenantId };
      const failed = (at: EpochMs, more: Partial<JobRow> = {}) =>
        put({ ...aRef(), ...mine, createdAt: at, version: at, status: 'failed', finishedAt: at, ...more });
      const rows: JobRow[] = [];
      for (const age of [0, 1, 2, 3]) rows.push(await failed(earlier(now, seconds(age))));
      const [first, later_, corrupt, last] = rows.map(refOf) as [JobRef, JobRef, JobRef, JobRef];
      await harness.alterRow(later_, { v: 2 });
      await harness.alterRow(corrupt, { attempts: 'many' });
      const lists = [
        (page: PageRequest) => harness.store.list(mine, {}, page),
        (page: PageRequest) => harness.store.list(mine, { status: 'failed' }, page),
        (page: PageRequest) => harness.store.deadJobs(mine, page),
      ];
      for (const list of lists)
        for (const limit of [1, 2, 3, 10]) {
          const found: string[] = [];
          let cursor: string | undefined;
          do {
            const page = await list({ limit, cursor });
            const ids = [...page.items, ...(page.unreadable ?? [])].map(({ id }) => String(id));
            expect(ids.length).toBeLessThanOrEqual(limit);
            for (const { id, detail } of page.unreadable ?? []) expect(detail).toContain(String(id));
            found.push(...ids);
            cursor = page.cursor;
          } while (cursor !== undefined);
          expect(found.toSorted()).toEqual([first, later_, corrupt, last].map(({ id }) => String(id)).toSorted());
        }
      const { items, unreadable } = await harness.store.list(mine, {}, { limit: 10 });
      expect(items.map(({ id }) => id)).toEqual([first.id, last.id]);
      expect(unreadable).toEqual([
        { id: later_.id, detail: expect.stringContaining('its format is 2') as string },
        { id: corrupt.id, detail: expect.stringContaining('attempts') as string },
      ]);
    });

    it('refuses a cursor that it did not write', async () => {
      await expect(harness.store.list(scope, {}, { limit: 1, cursor: 'bm9uc2Vuc2U' })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    });
  });
}
