// The deletion of a workspace in every store: nothing is stored or published in it from then on, and nothing of it is missed by a purge.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedId, type Scope, type TenantId, type WorkspaceId } from '../../../lib/core/ids.ts';
import { days, later } from '../../../lib/core/time.ts';
import { readWorkspaceEnd } from '../../../lib/job/dead/workspaces.ts';
import { refOf } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aRunning, aSettle, now } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const deletion = { at: now, until: later(now, days(30)) };
const [job, another] = [derivedId('job', 'purger'), derivedId('job', 'another purger')];
/** Names that escape in a key, and one that another begins with. */
const named = (workspace: string): Scope => ({ tenant: 'a#b' as TenantId, workspace: workspace as WorkspaceId });

export function workspaceSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`the deletion of a workspace in ${name}`, () => {
    let harness: StoreHarness;
    let store: StoreHarness['store'];
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    const fileIn = (scope: Scope, id = 'f') => {
      const dataset = derivedId('ds', scope.workspace);
      return { ...scope, dataset, id: derivedId('file', id), name: 'f', size: 3, objectKey: 'k', createdAt: now };
    };
    const keyIn = (scope: Scope, id = 'k') => ({
      ...{ ...scope, id: derivedId('key', scope.workspace, id), secretHash: 'h', name: 'n', createdAt: now },
      scopes: ['query' as const],
    });
    const filled = async (workspace: string): Promise<Scope> => {
      const scope = named(workspace);
      const { dataset } = fileIn(scope);
      await store.createDataset({ ...scope, id: dataset, name: 'd', createdAt: now });
      await store.drawSequence(scope, dataset, derivedId('tbl', 't'), 't', now);
      await store.putFile(fileIn(scope));
      await store.putKey(keyIn(scope));
      await harness.putRow(aJobRow({ ...scope }));
      await store.putDocument({ ...scope, family: 'detector', group: 'workspace', name: 'dataset' }, {}, 0);
      return scope;
    };
    const rowsOf = async (scope: Scope) => {
      const found: Awaited<ReturnType<typeof store.rowsOfWorkspace>>['rows'][number][] = [];
      let after: string | undefined;
      do {
        const page = await store.rowsOfWorkspace(scope, after);
        found.push(...page.rows);
        after = page.after;
      } while (after !== undefined);
      return found;
    };
    const kindsOf = async (scope: Scope) => (await rowsOf(scope)).map(({ kind }) => kind).toSorted();

    it('is made once, takes no file and no key, and is taken back', async () => {
      const scope = await filled('taken back');
      expect(await store.workspaceEnd(scope)).toBeUndefined();
      expect(await store.deleteWorkspace(scope, deletion)).toBe('deleted');
      expect(await store.deleteWorkspace(scope, { ...deletion, at: later(now, days(1)) })).toBe('moved');
      expect(await store.workspaceEnd(scope)).toEqual(deletion);
      expect(await readWorkspaceEnd(store, scope)).toEqual(deletion);
      await expect(store.putFile(fileIn(scope, 'late'))).rejects.toMatchObject({ code: 'GONE' });
      await expect(store.putFile(fileIn(scope, 'late'), 1)).rejects.toMatchObject({ code: 'GONE' });
      expect(await store.putKey(keyIn(scope, 'late'))).toBe('gone');
      expect(await store.removeFile(fileIn(scope))).toBe('removed');
      expect(await store.restoreWorkspace(scope, { at: later(now, days(1)) })).toBe('moved');
      expect(await store.restoreWorkspace(scope, deletion)).toBe('restored');
      expect(await store.restoreWorkspace(scope, deletion)).toBe('moved');
      expect(await store.workspaceEnd(scope)).toBeUndefined();
      expect(await store.putFile(fileIn(scope, 'late'), 3)).toBe('created');
      expect(await store.putFile(fileIn(scope, 'later'), 3)).toBe('full');
      expect(await store.putKey(keyIn(scope, 'late'))).toBe('created');
    });

    it('lets nothing be published, with bytes that are counted or without', async () => {
      const scope = await filled('unpublished');
      const { dataset } = fileIn(scope);
      const table = derivedId('tbl', 't');
      const received = async () => {
        const running = aRunning({ ...scope });
        await harness.putRow(running);
        const sequence = await store.drawSequence(scope, dataset, table, 't', now);
        const row = { ...scope, dataset, table, id: derivedId('snap', running.id), sequence, job: running.id };
        await store.putSnapshot({ ...row, createdAt: now, rowCount: 1, columnCount: 1, status: 'PARTIAL' });
        return { running, publication: { dataset, table, snapshot: row.id, sequence, manifest: 'm.json' } };
      };
      const [counted, not] = [await received(), await received()];
      const publish = ({ running, publication }: typeof counted, bytes?: number) =>
        store.publish(
          ...([refOf(running), aSettle(running), [publication], undefined] as const),
          ...(bytes === undefined ? [] : [{ bytes, most: 1 }]),
        );
      await store.deleteWorkspace(scope, deletion);
      await expect(publish(counted, 1)).rejects.toMatchObject({ code: 'GONE' });
      await expect(publish(not)).rejects.toMatchObject({ code: 'GONE' });
      await store.restoreWorkspace(scope, deletion);
      await expect(publish(counted, 1)).rejects.toMatchObject({ code: 'STORAGE_QUOTA_EXCEEDED' });
      expect(await publish(not)).toMatchObject({ kind: 'applied' });
    });

    it('is held by one job after another, and is restored no more', async () => {
      const scope = await filled('held');
      await store.deleteWorkspace(scope, deletion);
      expect(await store.holdWorkspace(scope, { ...deletion, purgedBy: another }, job)).toBe('moved');
      expect(await store.holdWorkspace(scope, deletion, job)).toBe('held');
      expect(await store.holdWorkspace(scope, deletion, another)).toBe('moved');
      expect(await store.restoreWorkspace(scope, deletion)).toBe('moved');
      expect(await store.holdWorkspace(scope, { ...deletion, purgedBy: job }, another)).toBe('held');
      await store.closeWorkspace(scope, job, now);
      expect(await store.workspaceEnd(scope)).toEqual({ ...deletion, purgedBy: another });
      await store.closeWorkspace(scope, another, now);
      expect(await store.workspaceEnd(scope)).toEqual({ ...deletion, purgedBy: another, purgedAt: now });
      expect(await store.holdWorkspace(scope, { ...deletion, purgedBy: another }, job)).toBe('moved');
    });

    it('finds every row of it and none of another, knows their kinds, and leaves the mark alone', async () => {
      const [scope, longer] = [await filled('w'), await filled('w2')];
      const all = ['dataset', 'file', 'job', 'key', 'other', 'table', 'usage'];
      expect(await kindsOf(scope)).toEqual(all);
      await store.deleteWorkspace(scope, deletion);
      const going = (await rowsOf(scope)).filter(({ kind }) => kind !== 'key' && kind !== 'usage');
      await store.removeRows(going.map(({ row }) => row));
      expect(await kindsOf(scope)).toEqual(['key', 'usage']);
      expect(await store.keysOfWorkspace(scope)).toEqual([keyIn(scope).id]);
      await store.removeKey(scope, keyIn(scope).id);
      expect([await store.keysOfWorkspace(scope), await store.getKey(keyIn(scope).id)]).toEqual([[], undefined]);
      await store.clearUsage(scope);
      expect(await store.getUsage(scope)).toMatchObject({ bytes: 0, fileBytes: 0, tableBytes: 0 });
      expect(await kindsOf(scope)).toEqual(['usage']);
      await expect(store.putFile(fileIn(scope, 'late'))).rejects.toMatchObject({ code: 'GONE' });
      expect(await kindsOf(longer)).toEqual(all);
      expect(await store.getKey(keyIn(longer).id)).toMatchObject({ name: 'n' });
    });
  });
}
