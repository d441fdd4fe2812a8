// The catalogue of ingest and the API keys, in every store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedId, type JobId, type TenantId, type WorkspaceId } from '../../../lib/core/ids.ts';
import { later, minutes } from '../../../lib/core/time.ts';
import type { ApiKeyRecord, ApiKeys } from '../../../lib/http/keys.ts';
import type { Catalog, Dataset, SnapshotRecord } from '../../../lib/ingest/catalog.ts';
import type { Page, PageRequest } from '../../../lib/job/ports.ts';
import { now } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const scope = { tenant: 'acme' as TenantId, workspace: 'catalogue' as WorkspaceId };
const dataset = derivedId('ds', 'catalogue');

async function allOf<T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit, cursor });
    pages.push([...page.items]);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

export function catalogSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`the catalogue in ${name}`, () => {
    let harness: StoreHarness;
    let store: Catalog & ApiKeys;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    it('creates a dataset once, reads it and lists its workspace page by page', async () => {
      const datasets = ['a', 'b', 'c'].map(
        (each): Dataset => ({
          ...scope,
          id: derivedId('ds', each),
          name: each,
          createdAt: now,
          ...(each === 'a' && { description: 'first' }),
        }),
      );
      for (const each of datasets) expect(await store.createDataset(each)).toBe('created');
      const [first] = datasets;
      expect(await store.createDataset({ ...first!, description: 'second' })).toBe('exists');
      expect(await store.getDataset(scope, first!.id)).toEqual(first);
      await store.createDataset({ ...first!, workspace: 'other' as WorkspaceId });
      const pages = await allOf((page) => store.listDatasets(scope, page), 2);
      expect(pages.map(({ length }) => length)).toEqual([2, 1]);
      expect(new Set(pages.flat())).toEqual(new Set(datasets));
      expect(await store.getDataset({ ...scope, tenant: 'other' as TenantId }, first!.id)).toBeUndefined();
    });

    it('changes what is given of a dataset', async () => {
      const id = derivedId('ds', 'changed');
      expect(await store.changeDataset(scope, id, { description: 'gone' })).toBe('gone');
      const made = { ...scope, id, name: 'changed', createdAt: now };
      await store.createDataset(made);
      const policy = { stages: { profile: 'off' as const } };
      expect(await store.changeDataset(scope, id, { policy })).toBe('changed');
      expect(await store.changeDataset(scope, id, { description: 'new' })).toBe('changed');
      expect(await store.getDataset(scope, id)).toEqual({ ...made, policy, description: 'new' });
    });

    it('keeps files once and uploads with the time of their end', async () => {
      const common = { ...scope, dataset, name: 'a.csv', size: 3, objectKey: 'k', createdAt: now };
      const file = { ...common, id: derivedId('file', 'a') };
      expect(await store.putFile(file)).toBe('created');
      expect(await store.putFile({ ...file, size: 4 })).toBe('exists');
      expect(await store.getFile(scope, dataset, file.id)).toEqual(file);
      const parts = { partSize: 8, partCount: 1, multipartId: 'm', expiresAt: later(now, minutes(1)) };
      const upload = { ...common, ...parts, id: derivedId('up', 'a') };
      await store.putUpload(upload);
      expect(await store.getUpload(scope, dataset, upload.id)).toEqual(upload);
      expect(await store.getUpload(scope, dataset, derivedId('up', 'b'))).toBeUndefined();
    });

    it('counts the bytes of files with their rows, side by side, and refuses what is over the limit', async () => {
      const own = { ...scope, workspace: 'counted' as WorkspaceId };
      const fileOf = (place: number, size = 10) => {
        const id = derivedId('file', `counted-${place}`);
        return { ...own, dataset, id, name: 'a.csv', size, objectKey: `k${place}`, createdAt: now };
      };
      expect(await store.getUsage(own)).toEqual({ bytes: 0, fileBytes: 0, tableBytes: 0, version: 0 });
      expect(await store.putFile(fileOf(0, 101), 100)).toBe('full');
      expect(await store.getFile(own, dataset, fileOf(0).id)).toBeUndefined();
      const put = await Promise.all(Array.from({ length: 12 }, (_, place) => store.putFile(fileOf(place), 100)));
      expect(put.filter((each) => each === 'created')).toHaveLength(10);
      expect(put.filter((each) => each === 'full')).toHaveLength(2);
      const [first] = await allOf((page) => store.listFiles(own, dataset, page), 20);
      expect(first).toHaveLength(10);
      expect(await store.putFile(first![0]!)).toBe('exists');
      expect(await store.getUsage(own)).toMatchObject({ bytes: 100, fileBytes: 100 });
      expect(await store.removeFile(first![0]!)).toBe('removed');
      expect(await store.removeFile(first![0]!)).toBe('moved');
      expect(await store.getUsage(own)).toMatchObject({ bytes: 90, fileBytes: 90, tableBytes: 0 });
      expect(await store.putFile(fileOf(20, 11), 100)).toBe('full');
    });

    it('sets what was counted from the rows, unless something was counted meanwhile', async () => {
      const own = { ...scope, workspace: 'recounted' as WorkspaceId };
      const fresh = await store.getUsage(own);
      const file = { ...own, dataset, name: 'a.csv', size: 7, objectKey: 'k', createdAt: now };
      await store.putFile({ ...file, id: derivedId('file', 'recounted') });
      expect(await store.countUsage(own, fresh, { fileBytes: 0, tableBytes: 0, at: now })).toBe('moved');
      const read = await store.getUsage(own);
      expect(await store.countUsage(own, read, { fileBytes: 7, tableBytes: 5, at: now })).toBe('counted');
      expect(await store.countUsage(own, read, { fileBytes: 0, tableBytes: 0, at: now })).toBe('moved');
      expect(await store.getUsage(own)).toMatchObject({ bytes: 12, fileBytes: 7, tableBytes: 5, countedAt: now });
      const never = { ...scope, workspace: 'never-counted' as WorkspaceId };
      const none = await store.getUsage(never);
      expect(await store.countUsage(never, none, { fileBytes: 1, tableBytes: 2, at: now })).toBe('counted');
      expect(await store.getUsage(never)).toMatchObject({ bytes: 3, countedAt: now });
    });

    it('gives back what only the removed snapshot named, once', async () => {
      const own = { ...scope, workspace: 'freed' as WorkspaceId };
      const snapshot: SnapshotRecord = {
        ...{ ...own, dataset, table: derivedId('tbl', 'freed'), id: derivedId('snap', 'freed'), sequence: 1 },
        ...{ status: 'PARTIAL', job: 'job_1' as unknown as JobId, rowCount: 0, columnCount: 0, createdAt: now },
      };
      await store.drawSequence(own, dataset, snapshot.table, 'freed', now);
      await store.putSnapshot(snapshot);
      await store.countUsage(own, await store.getUsage(own), { fileBytes: 0, tableBytes: 50, at: now });
      expect(await store.removeSnapshot(snapshot, undefined, 30)).toBe('removed');
      expect(await store.removeSnapshot(snapshot, undefined, 30)).toBe('moved');
      expect(await store.getUsage(own)).toMatchObject({ bytes: 20, tableBytes: 20 });
      expect(await store.getSnapshot(own, dataset, snapshot.table, snapshot.id)).toBeUndefined();
    });

    it('draws each sequence of a table once, from 1, however many draw side by side', async () => {
      const id = derivedId('tbl', 'drawn');
      const draws = Array.from({ length: 20 }, () => store.drawSequence(scope, dataset, id, 'drawn', now));
      const drawn = (await Promise.all(draws)).toSorted((a, b) => a - b);
      expect(drawn).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(await store.getTable(scope, dataset, id)).toEqual({
        ...scope,
        dataset,
        id,
        name: 'drawn',
        createdAt: now,
      });
      await store.drawSequence(scope, dataset, derivedId('tbl', 'second'), 'second', now);
      const tables = await allOf((page) => store.listTables(scope, dataset, page), 1);
      expect(
        tables
          .map((page) => page.map((table) => table.name))
          .flat()
          .toSorted(),
      ).toEqual(['drawn', 'second']);
    });

    it('puts a snapshot once and lists a table’s, the newest first', async () => {
      const table = derivedId('tbl', 'snapshots');
      const snapshot = (sequence: number, of = table): SnapshotRecord => ({
        ...scope,
        dataset,
        table: of,
        id: derivedId('snap', of, String(sequence)),
        sequence,
        status: 'PARTIAL',
        job: 'job_1' as unknown as JobId,
        manifest: 'm',
        rowCount: 0,
        columnCount: 0,
        createdAt: now,
      });
      for (const sequence of [9, 10, 1]) expect(await store.putSnapshot(snapshot(sequence))).toBe('created');
      expect(await store.putSnapshot({ ...snapshot(9), sequence: 11 })).toBe('exists');
      await store.putSnapshot(snapshot(3, derivedId('tbl', 'others')));
      expect(await store.getSnapshot(scope, dataset, table, snapshot(10).id)).toEqual(snapshot(10));
      expect(await store.getSnapshot(scope, dataset, table, derivedId('snap', 'none'))).toBeUndefined();
      const pages = await allOf((page) => store.listSnapshots(scope, dataset, table, page), 2);
      expect(pages).toEqual([[snapshot(10), snapshot(9)], [snapshot(1)]]);
    });

    it('finds an API key by its id alone', async () => {
      const key: ApiKeyRecord = {
        id: derivedId('key', 'first'),
        ...scope,
        secretHash: 'f00',
        scopes: ['jobs:read', 'query'],
        name: 'first',
        createdAt: now,
      };
      expect(await store.putKey(key)).toBe('created');
      expect(await store.putKey({ ...key, secretHash: 'bad' })).toBe('exists');
      expect(await store.getKey(key.id)).toEqual(key);
      expect(await store.getKey(derivedId('key', 'second'))).toBeUndefined();
    });

    it('refuses keys that no table would take', async () => {
      const long = 'x'.repeat(3000) as WorkspaceId;
      await expect(store.getDataset({ ...scope, workspace: long }, dataset)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
    });
  });
}
