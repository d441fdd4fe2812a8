// Deletion in every store: what is deleted is gone for every other read, and nothing is published into it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatasetId, derivedId, type TableId } from '../../../lib/core/ids.ts';
import { days, later } from '../../../lib/core/time.ts';
import type { Catalog, Dataset } from '../../../lib/ingest/catalog.ts';
import type { Deletable } from '../../../lib/ingest/deletion/ports.ts';
import type { JobStore, Publication } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { aRunning, aSettle, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const deletion = { at: now, until: later(now, days(30)) };
const [purger, other] = [derivedId('job', 'purger'), derivedId('job', 'another purger')];
const page = { limit: 10 };
const nothing = { fileBytes: 0, tableBytes: 0 };

export function deletionSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`deletion in ${name}`, () => {
    let harness: StoreHarness;
    let store: JobStore & Catalog;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    const aDataset = async (named: string): Promise<Dataset> => {
      const dataset = { ...scope, id: derivedId('ds', named), name: named, createdAt: now };
      await store.createDataset(dataset);
      return dataset;
    };
    const received = async (of: DatasetId, table: TableId) => {
      const job = aRunning();
      await harness.putRow(job);
      const sequence = await store.drawSequence(scope, of, table, 't', now);
      const snapshot = derivedId('snap', job.id, table);
      const row = { ...scope, dataset: of, table, id: snapshot, sequence, job: job.id, createdAt: now };
      await store.putSnapshot({ ...row, rowCount: 1, columnCount: 1, status: 'PARTIAL' });
      const publication: Publication = { dataset: of, table, snapshot, sequence, manifest: `${job.id}.json` };
      return { job, publication };
    };
    const publish = (
      { job, publication }: { job: JobRow; publication: Publication },
      more: Partial<Publication> = {},
    ) => store.publish(refOf(job), aSettle(job), [{ ...publication, ...more }]);
    const published = async (named: string) => {
      const dataset = await aDataset(named);
      const thing = { ...scope, dataset: dataset.id, table: derivedId('tbl', named) };
      await publish(await received(dataset.id, thing.table));
      const table = await store.getTable(scope, dataset.id, thing.table);
      if (table === undefined) throw new Error('nothing was published');
      return { dataset, thing, table };
    };
    const holds = async (thing: Deletable, job: typeof purger) =>
      store.holdForPurge(thing, (await store.standingOf(thing)) ?? { name: '' }, job);

    it('hides a table from every read, draws nothing for it, and gives it back as it was', async () => {
      const { dataset, thing, table } = await published('hidden');
      expect(await store.deleteTable(table, deletion)).toBe('deleted');
      expect(await store.deleteTable(table, deletion)).toBe('moved');
      expect(await store.getTable(scope, dataset.id, thing.table)).toBeUndefined();
      expect((await store.listTables(scope, dataset.id, page)).items).toEqual([]);
      expect((await store.listDeletedTables(scope, dataset.id, page)).items).toEqual([{ ...table, deletion }]);
      await expect(store.drawSequence(scope, dataset.id, thing.table, 't', now)).rejects.toMatchObject({
        code: 'GONE',
      });
      const replaced = { from: table.current!, manifest: 'another.json' };
      expect(await store.replaceManifest(table, replaced)).toBe('moved');
      expect(await store.restore(thing, { ...deletion, at: later(now, days(1)) })).toBe('moved');
      expect(await store.restore(thing, deletion)).toBe('restored');
      expect(await store.getTable(scope, dataset.id, thing.table)).toEqual(table);
      expect((await store.listDeletedTables(scope, dataset.id, page)).items).toEqual([]);
    });

    it('hides a dataset with its tables and files, and keeps its name', async () => {
      const { dataset, thing, table } = await published('whole');
      const file = {
        ...scope,
        dataset: dataset.id,
        id: derivedId('file', 'whole'),
        name: 'f',
        size: 1,
        objectKey: 'k',
        createdAt: now,
      };
      await store.putFile(file);
      expect(await store.deleteDataset({ ...dataset, createdAt: later(now, days(1)) }, deletion)).toBe('moved');
      expect(await store.deleteDataset(dataset, deletion)).toBe('deleted');
      expect(await store.getDataset(scope, dataset.id)).toBeUndefined();
      expect(await store.changeDataset(scope, dataset.id, { description: 'no' })).toBe('gone');
      expect(await store.getTable(scope, dataset.id, thing.table)).toBeUndefined();
      expect((await store.listTables(scope, dataset.id, page)).items).toEqual([]);
      expect(await store.getFile(scope, dataset.id, file.id)).toBeUndefined();
      expect((await store.listDatasets(scope, { limit: 100 })).items.map(({ id }) => id)).not.toContain(dataset.id);
      expect((await store.listDeletedDatasets(scope, { limit: 100 })).items).toContainEqual({ ...dataset, deletion });
      expect(await store.createDataset(dataset)).toBe('exists');
      expect(await store.restore({ ...scope, dataset: dataset.id }, deletion)).toBe('restored');
      expect(await store.getTable(scope, dataset.id, thing.table)).toEqual(table);
      expect(await store.getFile(scope, dataset.id, file.id)).toEqual(file);
    });

    it('publishes nothing into a table or a dataset that is deleted, and leaves the job running', async () => {
      const { dataset, thing, table } = await published('closed');
      const late = await received(dataset.id, thing.table);
      await store.deleteTable(table, deletion);
      await expect(publish(late)).rejects.toMatchObject({ code: 'GONE' });
      await store.restore(thing, deletion);
      await store.deleteDataset(dataset, deletion);
      await expect(publish(late)).rejects.toMatchObject({ code: 'GONE' });
      expect((await store.get(refOf(late.job)))?.status).toBe('running');
      await store.restore({ ...scope, dataset: dataset.id }, deletion);
      await expect(publish(late, { datasetCreatedAt: later(now, days(1)) })).rejects.toMatchObject({ code: 'GONE' });
      expect(await publish(late, { datasetCreatedAt: now })).toMatchObject({ kind: 'applied' });
    });

    it('lets one job hold a purge, from which there is no way back', async () => {
      const { thing, table } = await published('held');
      await store.deleteTable(table, deletion);
      const read = await store.standingOf(thing);
      expect(read).toEqual({ name: 't', deletion });
      expect(await holds(thing, purger)).toBe('held');
      expect(await store.holdForPurge(thing, read!, other)).toBe('moved');
      expect(await store.restore(thing, deletion)).toBe('moved');
      await store.entomb(thing, other, nothing);
      expect(await store.standingOf(thing)).toMatchObject({ purgedBy: purger });
      expect(await holds(thing, other)).toBe('held');
      expect(await store.standingOf(thing)).toMatchObject({ purgedBy: other });
    });

    it('leaves of a table its counter, and publishes nothing that was drawn before', async () => {
      const { dataset, thing, table } = await published('purged');
      const late = await received(dataset.id, thing.table);
      await store.deleteTable(table, deletion);
      await holds(thing, purger);
      let removed = 0;
      for (let rows = await store.rowsToPurge(thing); rows.length > 0; rows = await store.rowsToPurge(thing)) {
        removed += rows.length;
        await store.removeRows(rows);
      }
      expect(removed).toBe(4);
      const stored = await store.getUsage(scope);
      const freed = { fileBytes: 5, tableBytes: 7 };
      await store.entomb(thing, other, freed);
      await store.entomb(thing, purger, freed);
      await store.entomb(thing, purger, freed);
      const { bytes, fileBytes, tableBytes } = await store.getUsage(scope);
      const before = [stored.bytes - 12, stored.fileBytes - 5, stored.tableBytes - 7];
      expect([bytes, fileBytes, tableBytes]).toEqual(before);
      expect(await store.standingOf(thing)).toBeUndefined();
      expect((await store.listTableRows(scope, dataset.id, page)).items).toEqual([
        { id: thing.table, lastSequence: 2 },
      ]);
      await expect(publish(late)).rejects.toMatchObject({ code: 'GONE' });
      const next = await received(dataset.id, thing.table);
      expect(next.publication.sequence).toBe(3);
      expect(await publish(next)).toMatchObject({ kind: 'applied' });
      expect(await store.getTable(scope, dataset.id, thing.table)).toMatchObject({
        name: 't',
        current: { sequence: 3 },
      });
    });

    it('gives the name of a purged dataset to whoever takes it next, and its tables go on counting', async () => {
      const { dataset, thing } = await published('anew');
      const whole: Deletable = { ...scope, dataset: dataset.id };
      await store.deleteDataset(dataset, deletion);
      await holds(whole, purger);
      const [row] = (await store.listTableRows(scope, dataset.id, page)).items;
      expect(await store.entombTable(scope, dataset.id, { ...row!, lastSequence: 9 })).toBe('moved');
      expect(await store.entombTable(scope, dataset.id, row!)).toBe('entombed');
      await store.entomb(whole, purger, nothing);
      expect(await store.standingOf(whole)).toBeUndefined();
      const anew = { ...dataset, createdAt: later(now, days(31)) };
      expect(await store.createDataset(anew)).toBe('created');
      expect(await store.createDataset(anew)).toBe('exists');
      expect(await store.getDataset(scope, dataset.id)).toEqual(anew);
      expect((await store.listTables(scope, dataset.id, page)).items).toEqual([]);
      expect(await store.drawSequence(scope, dataset.id, thing.table, 't', now)).toBe(2);
    });

    it('knows which tables were read from a file, and removes it only as it was read', async () => {
      const dataset = (await aDataset('files')).id;
      const file = {
        ...scope,
        dataset,
        id: derivedId('file', 'read'),
        name: 'f',
        size: 1,
        objectKey: 'k',
        createdAt: now,
      };
      await store.putFile(file);
      const tables = [derivedId('tbl', 'one')];
      expect(await store.setFileTables(file, tables)).toBe('changed');
      expect(await store.setFileTables(file, [])).toBe('moved');
      expect(await store.removeFile(file)).toBe('moved');
      expect((await store.listFiles(scope, dataset, page)).items).toEqual([{ ...file, tables }]);
      expect(await store.removeFile({ ...file, tables })).toBe('removed');
      expect(await store.setFileTables({ ...file, tables }, [])).toBe('moved');
      expect(await store.getFile(scope, dataset, file.id)).toBeUndefined();
    });

    it('expires and removes a snapshot only as it was read, beside what was published then', async () => {
      const { dataset, thing, table } = await published('swept');
      await publish(await received(dataset.id, thing.table));
      const [, first] = (await store.listSnapshots(scope, dataset.id, thing.table, page)).items;
      const current = (await store.getTable(scope, dataset.id, thing.table))?.current;
      expect(await store.expireSnapshot(first!, table.current, now)).toBe('moved');
      expect(await store.removeSnapshot(first!, table.current, 0)).toBe('moved');
      expect(await store.expireSnapshot(first!, current, now)).toBe('expired');
      expect(await store.removeSnapshot(first!, current, 0)).toBe('moved');
      expect(await store.removeSnapshot({ ...first!, expiredAt: now }, current, 0)).toBe('removed');
      expect(await store.getSnapshot(scope, dataset.id, thing.table, first!.id)).toBeUndefined();
    });
  });
}
