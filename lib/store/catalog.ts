// The catalogue of ingest and the API keys over `Items`: what a row is called and how it is read, whichever store it is in.
import * as z from 'zod';
import { toEpochSeconds } from '../core/time.ts';
import type { ApiKeys } from '../http/keys.ts';
import type { Catalog } from '../ingest/catalog.ts';
import type { Page, PageRequest } from '../job/ports.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Items } from './items.ts';
import {
  apiKeySchema,
  datasetSchema,
  fileSchema,
  snapshotIdSchema,
  snapshotSchema,
  tableRecordSchema,
  uploadSchema,
} from './records.ts';
import {
  apiKeyKey,
  datasetKey,
  datasetRange,
  fileKey,
  fileRange,
  type Key,
  type KeyRange,
  snapshotIdKey,
  snapshotKey,
  snapshotRange,
  tableKey,
  tableRange,
  uploadKey,
} from './table.ts';
import { createUsage, fileTally, tableTally } from './usage.ts';

/** The counter of a table's row that sequences are drawn from. */
const SEQUENCE = 'lastSequence';

async function getOne<T>(items: Items, key: Key, schema: z.ZodType<T>): Promise<T | undefined> {
  const found = await items.get(key);
  return found === undefined ? undefined : schema.parse(found);
}

async function listAll<T>(
  items: Items,
  range: KeyRange,
  schema: z.ZodType<T>,
  page: PageRequest,
  order: 'ascending' | 'descending',
): Promise<Page<T>> {
  const rest = page.cursor === undefined ? undefined : readCursor(z.string(), page.cursor);
  const after = rest === undefined ? undefined : range.prefix + rest;
  const { entries, more } = await items.page(range, { limit: page.limit, after, order });
  const last = entries.at(-1);
  return {
    items: entries.map((entry) => schema.parse(entry.attributes)),
    ...(more && last !== undefined && { cursor: writeCursor(last.key.sk.slice(range.prefix.length)) }),
  };
}

type Datasets = Pick<Catalog, 'createDataset' | 'getDataset' | 'changeDataset' | 'listDatasets'>;
const datasetsIn = (items: Items): Datasets => ({
  createDataset: async (dataset) => items.putNew({ key: datasetKey(dataset, dataset.id), attributes: { ...dataset } }),
  getDataset: async (scope, id) => getOne(items, datasetKey(scope, id), datasetSchema),
  changeDataset: async (scope, id, set) => {
    const changed = await items.change({ key: datasetKey(scope, id), test: {}, set });
    return changed === 'changed' ? 'changed' : 'gone';
  },
  listDatasets: async (scope, page) => listAll(items, datasetRange(scope), datasetSchema, page, 'ascending'),
});

type Files = Pick<Catalog, 'putFile' | 'removeFile' | 'getFile' | 'listFiles' | 'putUpload' | 'getUpload'>;
const filesIn = (items: Items): Files => ({
  putFile: async (file, most) => {
    const put = [{ key: fileKey(file, file.dataset, file.id), attributes: { ...file } }];
    const counted = await items.count(fileTally(file, { bytes: file.size, most }), { put });
    return counted === 'counted' ? 'created' : counted === 'refused' ? 'exists' : 'full';
  },
  removeFile: async (file) => {
    const remove = [fileKey(file, file.dataset, file.id)];
    const counted = await items.count(fileTally(file, { bytes: -file.size }), { remove });
    return counted === 'counted' ? 'removed' : 'gone';
  },
  listFiles: async (scope, dataset, page) => listAll(items, fileRange(scope, dataset), fileSchema, page, 'ascending'),
  getFile: async (scope, dataset, id) => getOne(items, fileKey(scope, dataset, id), fileSchema),
  putUpload: async ({ expiresAt, ...upload }) =>
    items.put({
      key: uploadKey(upload, upload.dataset, upload.id),
      attributes: { ...upload, endsAt: expiresAt, expiresAt: toEpochSeconds(expiresAt) },
    }),
  getUpload: async (scope, dataset, id) => getOne(items, uploadKey(scope, dataset, id), uploadSchema),
});

type Tables = Pick<Catalog, 'drawSequence' | 'getTable' | 'listTables' | 'replaceManifest'>;
const tablesIn = (items: Items): Tables => ({
  drawSequence: async ({ tenant, workspace }, dataset, id, name, createdAt) =>
    items.draw(tableKey({ tenant, workspace }, dataset, id), SEQUENCE, {
      tenant,
      workspace,
      dataset,
      id,
      name,
      createdAt,
    }),
  getTable: async (scope, dataset, id) => getOne(items, tableKey(scope, dataset, id), tableRecordSchema),
  listTables: async (scope, dataset, page) =>
    listAll(items, tableRange(scope, dataset), tableRecordSchema, page, 'ascending'),
  replaceManifest: async (table, { from, manifest }) => {
    const { dataset, id } = table;
    const answer = await items.change(
      { key: tableKey(table, dataset, id), test: { current: from }, set: { current: { ...from, manifest } } },
      {
        key: snapshotKey(table, dataset, id, from.sequence),
        test: { manifest: from.manifest },
        set: { manifest },
      },
    );
    return answer === 'changed' ? 'replaced' : 'moved';
  },
});

type Counts = ReturnType<typeof createUsage>;
const snapshotsIn = (items: Items): Omit<Catalog, keyof Datasets | keyof Files | keyof Tables | keyof Counts> => ({
  putSnapshot: async (snapshot) =>
    items.putNew(
      {
        key: snapshotKey(snapshot, snapshot.dataset, snapshot.table, snapshot.sequence),
        attributes: { ...snapshot },
      },
      {
        key: snapshotIdKey(snapshot, snapshot.dataset, snapshot.table, snapshot.id),
        attributes: { sequence: snapshot.sequence },
      },
    ),
  expireSnapshot: async (snapshot, expiredAt) => {
    const key = snapshotKey(snapshot, snapshot.dataset, snapshot.table, snapshot.sequence);
    const { id, status } = snapshot;
    return (await items.change({ key, test: { id, status }, set: { expiredAt } })) === 'changed' ? 'expired' : 'moved';
  },
  removeSnapshot: async (snapshot, freed) => {
    const { dataset, table, id, sequence } = snapshot;
    // The entry under the id last: what it leads to is removed by whoever comes again.
    const remove = [snapshotKey(snapshot, dataset, table, sequence)];
    await items.count(tableTally(snapshot, { bytes: -freed }), { remove });
    await items.remove(snapshotIdKey(snapshot, dataset, table, id));
  },
  getSnapshotAt: async (scope, dataset, table, sequence) =>
    getOne(items, snapshotKey(scope, dataset, table, sequence), snapshotSchema),
  getSnapshot: async (scope, dataset, table, id) => {
    const place = await getOne(items, snapshotIdKey(scope, dataset, table, id), snapshotIdSchema);
    if (place === undefined) return undefined;
    return getOne(items, snapshotKey(scope, dataset, table, place.sequence), snapshotSchema);
  },
  listSnapshots: async (scope, dataset, table, page) =>
    listAll(items, snapshotRange(scope, dataset, table), snapshotSchema, page, 'descending'),
});

export const createCatalog = (items: Items): Catalog => ({
  ...datasetsIn(items),
  ...filesIn(items),
  ...tablesIn(items),
  ...snapshotsIn(items),
  ...createUsage(items),
});

export const createApiKeys = (items: Items): ApiKeys => ({
  putKey: async (key) => items.putNew({ key: apiKeyKey(key.id), attributes: { ...key } }),
  getKey: async (id) => getOne(items, apiKeyKey(id), apiKeySchema),
});
