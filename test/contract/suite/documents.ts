// Documents: rows that are changed by whoever has read their last version.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { documentFamily, type Documents } from '../../../lib/core/documents.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { later, minutes } from '../../../lib/core/time.ts';
import { now } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const scope = { tenant: 'acme' as TenantId, workspace: 'documents' as WorkspaceId };
const refOf = (name: string, group = 'g', family = 'note') => ({ ...scope, family, group, name });

export function documentsSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`documents in ${name}`, () => {
    let harness: StoreHarness;
    let store: Documents;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    it('writes a document only after the version that the writer has read', async () => {
      const ref = refOf('versions');
      expect(await store.getDocument(ref)).toBeUndefined();
      expect(await store.putDocument(ref, { a: 1 }, 1)).toBe('moved');
      expect(await store.putDocument(ref, { a: 1, 'odd % name': [null, 'x'] }, 0)).toBe('written');
      expect(await store.putDocument(ref, { a: 2 }, 0)).toBe('moved');
      expect(await store.getDocument(ref)).toEqual({
        name: 'versions',
        version: 1,
        body: { a: 1, 'odd % name': [null, 'x'] },
      });
      expect(await store.putDocument(ref, { a: 2 }, 1, later(now, minutes(1)))).toBe('written');
      expect(await store.putDocument(ref, { a: 3 }, 2)).toBe('written');
      expect(await store.getDocument(ref)).toEqual({ name: 'versions', version: 3, body: { a: 3 } });
    });

    it('removes a document only at the version that was read', async () => {
      const ref = refOf('removed');
      await store.putDocument(ref, 1, 0);
      expect(await store.removeDocument(ref, 2)).toBe('moved');
      expect(await store.removeDocument(ref, 1)).toBe('removed');
      expect(await store.removeDocument(ref, 1)).toBe('moved');
      expect(await store.getDocument(ref)).toBeUndefined();
    });

    it('lists a group by name, a page at a time, and nothing of another', async () => {
      for (const each of ['t1#b', 't1#a', 't1', 't2#a', 't%1']) await store.putDocument(refOf(each, 'list'), each, 0);
      await store.putDocument(refOf('t1#z', 'other'), 'other', 0);
      await store.putDocument(refOf('t1#z', 'list', 'other'), 'other', 0);
      const family = documentFamily(store, { family: 'note', schema: z.string() });
      const group = { ...scope, group: 'list' };
      expect((await family.all(group)).map(({ body }) => body)).toEqual(['t%1', 't1', 't1#a', 't1#b', 't2#a']);
      const first = await family.list(group, { limit: 2, prefix: 't1#' });
      expect(first).toEqual({
        items: [
          { name: 't1#a', version: 1, body: 't1#a' },
          { name: 't1#b', version: 1, body: 't1#b' },
        ],
      });
      expect((await family.all(group, 't1')).map(({ body }) => body)).toEqual(['t1', 't1#a', 't1#b']);
      const { cursor, items } = await family.list(group, { limit: 1, prefix: 't1#' });
      expect(items.map(({ body }) => body)).toEqual(['t1#a']);
      expect(await family.list(group, { limit: 5, prefix: 't1#', cursor })).toMatchObject({
        items: [{ body: 't1#b' }],
      });
      expect(await family.all({ ...group, workspace: 'elsewhere' as WorkspaceId })).toEqual([]);
    });

    it('loses no change of many that are made side by side', async () => {
      const family = documentFamily(store, { family: 'note', schema: z.int() });
      const place = { ...scope, group: 'g', name: 'counted' };
      const changes = Array.from({ length: 4 }, () => family.change(place, (count = 0) => count + 1));
      await Promise.all(changes);
      expect((await family.get(place))?.body).toBe(4);
      expect(await family.change(place, () => undefined)).toBe(4);
    });

    it('refuses what no item holds', async () => {
      await expect(store.putDocument(refOf('large'), 'x'.repeat(500_000), 0)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
    });
  });
}
