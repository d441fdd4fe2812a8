// The catalogue of ingest over `Items`: what a row is called and how it is read, whichever store it is in.
import type * as z from 'zod';
import { toEpochSeconds } from '../core/time.ts';
import { workspaceDeleted } from '../job/dead/workspaces.ts';
import type { DatasetId, Scope } from '../core/ids.ts';
import type { Catalog, SnapshotRecord, TableRecord } from '../ingest/catalog.ts';
import type { Deletions } from '../ingest/catalog.ts';
import type { Workspaces } from '../ingest/deletion/workspace/ports.ts';
import { createDeletions, DELETION, isThere, PURGED, SEQUENCE, unlessDeleted } from './deletions.ts';
import type { Attributes, Change, Items } from './items.ts';
import { listAll } from './list-items.ts';
import { goneTable } from './publications.ts';
import {
  datasetSchema,
  fileSchema,
  snapshotIdSchema,
  snapshotSchema,
  tableRecordSchema,
  uploadSchema,
} from './records.ts';
import {
  datasetKey,
  datasetRange,
  fileKey,
  type Key,
  snapshotIdKey,
  snapshotKey,
  snapshotRange,
  tableKey,
  tableRange,
  uploadKey,
} from './table.ts';
import { createUsage, fileTally, freeingTally } from './usage.ts';
import { createWorkspaces } from './workspaces.ts';

async function getOne<T>(
  items: Items,
  key: Key,
  schema: z.ZodType<T>,
  only: (row: Attributes) => boolean = () => true,
): Promise<T | undefined> {
  const found = await items.get(key);
  return found === undefined || !only(found) ? undefined : schema.parse(found);
}

const placeOf = ({ tenant, workspace }: Scope, dataset: DatasetId) => ({ tenant, workspace, dataset });

type Datasets = Pick<Catalog, 'createDataset' | 'getDataset' | 'changeDataset' | 'listDatasets'>;
const datasetsIn = (items: Items): Datasets => ({
  createDataset: async (dataset) => {
    const key = datasetKey(dataset, dataset.id);
    if ((await items.putNew({ key, attributes: { ...dataset } })) === 'created') return 'created';
    // What a purge left gives the id to whoever takes the name next.
    const taken = { key, test: { [PURGED]: true }, set: { ...dataset, [PURGED]: undefined } };
    return (await items.change(taken)) === 'changed' ? 'created' : 'exists';
  },
  getDataset: async (scope, id) => getOne(items, datasetKey(scope, id), datasetSchema, isThere),
  changeDataset: async (scope, id, set) => {
    const test = { [DELETION]: undefined, [PURGED]: undefined };
    const changed = await items.change({ key: datasetKey(scope, id), test, set });
    return changed === 'changed' ? 'changed' : 'gone';
  },
  listDatasets: async (scope, page) => listAll(items, datasetRange(scope), datasetSchema, page, { only: isThere }),
});

type Files = Pick<Catalog, 'putFile' | 'getFile' | 'putUpload' | 'getUpload'>;
const filesIn = (items: Items): Files => ({
  putFile: async (file, most) => {
    const put = [{ key: fileKey(file, file.dataset, file.id), attributes: { ...file } }];
    const counted = await items.count(fileTally(file, { bytes: file.size, most }), { put });
    if (counted === 'barred') throw workspaceDeleted();
    return counted === 'counted' ? 'created' : counted === 'refused' ? 'exists' : 'full';
  },
  getFile: async (scope, dataset, id) =>
    unlessDeleted(items, placeOf(scope, dataset), () => getOne(items, fileKey(scope, dataset, id), fileSchema)),
  putUpload: async ({ expiresAt, ...upload }) =>
    items.put({
      key: uploadKey(upload, upload.dataset, upload.id),
      attributes: { ...upload, endsAt: expiresAt, expiresAt: toEpochSeconds(expiresAt) },
    }),
  getUpload: async (scope, dataset, id) =>
    unlessDeleted(items, placeOf(scope, dataset), () => getOne(items, uploadKey(scope, dataset, id), uploadSchema)),
});

type Tables = Pick<Catalog, 'drawSequence' | 'getTable' | 'listTables' | 'replaceManifest'>;
const tablesIn = (items: Items): Tables => ({
  drawSequence: async ({ tenant, workspace }, dataset, id, name, createdAt) => {
    const fresh = { tenant, workspace, dataset, id, name, createdAt };
    const drawn = await items.draw(tableKey({ tenant, workspace }, dataset, id), SEQUENCE, fresh, DELETION);
    if (drawn === 'refused') throw goneTable(name);
    return drawn;
  },
  getTable: async (scope, dataset, id) =>
    unlessDeleted(items, placeOf(scope, dataset), () =>
      getOne(items, tableKey(scope, dataset, id), tableRecordSchema, isThere),
    ),
  listTables: async (scope, dataset, page) => {
    const range = tableRange(scope, dataset);
    const list = () => listAll(items, range, tableRecordSchema, page, { only: isThere });
    return (await unlessDeleted(items, placeOf(scope, dataset), list)) ?? { items: [] };
  },
  replaceManifest: async (table, { from, manifest }) => {
    const { dataset, id } = table;
    const answer = await items.change(
      {
        key: tableKey(table, dataset, id),
        test: { current: from, [DELETION]: undefined },
        set: { current: { ...from, manifest } },
      },
      {
        key: snapshotKey(table, dataset, id, from.sequence),
        test: { manifest: from.manifest },
        set: { manifest },
      },
    );
    return answer === 'changed' ? 'replaced' : 'moved';
  },
});

const asRead = (snapshot: SnapshotRecord): Pick<Change, 'key' | 'test'> => ({
  key: snapshotKey(snapshot, snapshot.dataset, snapshot.table, snapshot.sequence),
  test: { id: snapshot.id, status: snapshot.status, expiredAt: snapshot.expiredAt },
});
const stillPublished = (of: SnapshotRecord, current: TableRecord['current']): Change => ({
  key: tableKey(of, of.dataset, of.table),
  test: { current },
});

type Counts = ReturnType<typeof createUsage>;
type Others = keyof Datasets | keyof Files | keyof Tables | keyof Counts | keyof Deletions | keyof Workspaces;
const snapshotsIn = (items: Items): Omit<Catalog, Others> => ({
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
  expireSnapshot: async (snapshot, current, expiredAt) => {
    const expired = await items.change({ ...asRead(snapshot), set: { expiredAt } }, stillPublished(snapshot, current));
    return expired === 'changed' ? 'expired' : 'moved';
  },
  removeSnapshot: async (snapshot, current, freed) => {
    const { dataset, table, id } = snapshot;
    const changes = [{ ...asRead(snapshot), removes: true as const }, stillPublished(snapshot, current)];
    const removed = await items.count(freeingTally(snapshot, { fileBytes: 0, tableBytes: freed }), { changes });
    // What it leads to is gone, so nobody misses it where this write is lost.
    if (removed === 'counted') await items.remove(snapshotIdKey(snapshot, dataset, table, id));
    return removed === 'counted' ? 'removed' : 'moved';
  },
  getSnapshotAt: async (scope, dataset, table, sequence) =>
    getOne(items, snapshotKey(scope, dataset, table, sequence), snapshotSchema),
  getSnapshot: async (scope, dataset, table, id) => {
    const place = await getOne(items, snapshotIdKey(scope, dataset, table, id), snapshotIdSchema);
    if (place === undefined) return undefined;
    return getOne(items, snapshotKey(scope, dataset, table, place.sequence), snapshotSchema);
  },
  listSnapshots: async (scope, dataset, table, page) =>
    listAll(items, snapshotRange(scope, dataset, table), snapshotSchema, page, { order: 'descending' }),
});

export const createCatalog = (items: Items): Catalog => ({
  ...datasetsIn(items),
  ...filesIn(items),
  ...tablesIn(items),
  ...snapshotsIn(items),
  ...createUsage(items),
  ...createDeletions(items),
  ...createWorkspaces(items),
});
