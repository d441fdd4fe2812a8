// The rows of tables and datasets that are deleted, over `Items`. Whoever deletes, restores or purges says in the write what it has read.
import type { Scope } from '../core/ids.ts';
import type { Deletable, PurgedRow } from '../ingest/deletion/ports.ts';
import type { Deletions } from '../ingest/catalog.ts';
import type { Attributes, Items } from './items.ts';
import { listAll } from './list-items.ts';
import { datasetSchema, fileSchema, standingSchema, tableRecordSchema, tableRowSchema } from './records.ts';
import { datasetKey, datasetRange, fileKey, fileRange, type Key, purgedRanges, tableKey, tableRange } from './table.ts';
import { freeingTally } from './usage.ts';

/** The counter of a table's row that sequences are drawn from. */
export const SEQUENCE = 'lastSequence';
/** The attribute of a row that is deleted: there while it may be restored, and until it is purged. */
export const DELETION = 'deletion';
/** Of a table that was purged: sequences up to it are never published. */
export const PURGED_THROUGH = 'purgedThrough';
/** Of a dataset that was purged: its name is free, and its id is taken up by whoever takes the name. */
export const PURGED = 'purged';

const isDeleted = (row: Attributes): boolean => row[DELETION] !== undefined;
/** Whether callers see it. */
export const isThere = (row: Attributes): boolean => !isDeleted(row) && row['name'] !== undefined;

const keyOf = ({ dataset, table, ...scope }: Deletable): Key =>
  table === undefined ? datasetKey(scope, dataset) : tableKey(scope, dataset, table);

export async function unlessDeleted<T>(
  items: Items,
  { dataset, ...scope }: Pick<Deletable, 'dataset'> & Scope,
  read: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const [owner, found] = await Promise.all([items.get(datasetKey(scope, dataset)), read()]);
  return owner !== undefined && !isThere(owner) ? undefined : found;
}

type Marks = Pick<
  Deletions,
  'deleteTable' | 'deleteDataset' | 'restore' | 'standingOf' | 'holdForPurge' | 'entomb' | 'entombTable'
>;
const marksIn = (items: Items): Marks => ({
  deleteTable: async (table, deletion) => {
    const test = { name: table.name, createdAt: table.createdAt, [DELETION]: undefined };
    const key = tableKey(table, table.dataset, table.id);
    return (await items.change({ key, test, set: { [DELETION]: deletion } })) === 'changed' ? 'deleted' : 'moved';
  },
  deleteDataset: async (dataset, deletion) => {
    const test = { createdAt: dataset.createdAt, [DELETION]: undefined };
    const key = datasetKey(dataset, dataset.id);
    return (await items.change({ key, test, set: { [DELETION]: deletion } })) === 'changed' ? 'deleted' : 'moved';
  },
  restore: async (thing, deletion) => {
    const test = { [DELETION]: deletion, purgedBy: undefined };
    const restored = await items.change({ key: keyOf(thing), test, set: { [DELETION]: undefined } });
    return restored === 'changed' ? 'restored' : 'moved';
  },
  standingOf: async (thing) => standingIn(items, thing),
  holdForPurge: async (thing, read, purgedBy) => {
    const test = { [DELETION]: read.deletion, purgedBy: read.purgedBy };
    const held = await items.change({ key: keyOf(thing), test, set: { purgedBy } });
    return held === 'changed' ? 'held' : 'moved';
  },
  entomb: async (thing, job, freed) => {
    const last = (await items.get(keyOf(thing)))?.[SEQUENCE];
    // A table that is deleted draws nothing, so that its counter stands while a job holds it.
    const left = thing.table === undefined ? { [PURGED]: true } : { [PURGED_THROUGH]: last };
    const changes = [{ key: keyOf(thing), test: { purgedBy: job }, set: { ...forgotten, ...left } }];
    await items.count(freeingTally(thing, freed), { changes });
  },
  entombTable: async (scope, dataset, { id, lastSequence }) => {
    const test = { [SEQUENCE]: lastSequence };
    const set = { ...forgotten, [PURGED_THROUGH]: lastSequence };
    const entombed = await items.change({ key: tableKey(scope, dataset, id), test, set });
    return entombed === 'changed' ? 'entombed' : 'moved';
  },
});

async function standingIn(items: Items, thing: Deletable) {
  const row = await items.get(keyOf(thing));
  return row?.['name'] === undefined ? undefined : standingSchema.parse(row);
}

const forgotten = {
  ...{ name: undefined, description: undefined, policy: undefined, createdAt: undefined, current: undefined },
  ...{ [DELETION]: undefined, purgedBy: undefined },
};

/** Rows that are removed at once. */
const AT_ONCE = 25;

async function someRows(items: Items, { dataset, table, ...scope }: Deletable): Promise<Key[]> {
  for (const range of purgedRanges(scope, dataset, table)) {
    const { entries } = await items.page(range, { limit: AT_ONCE, order: 'ascending' });
    if (entries.length > 0) return entries.map(({ key }) => key);
  }
  return [];
}

type Lists = Omit<Deletions, keyof Marks | 'rowsToPurge' | 'removeRows' | 'removeFile' | 'setFileTables'>;
const listsIn = (items: Items): Lists => ({
  listDeletedTables: async (scope, dataset, page) => {
    const range = tableRange(scope, dataset);
    const schema = tableRecordSchema.and(standingSchema);
    const listed = () =>
      listAll(items, range, schema, page, { only: (row) => isDeleted(row) && row['name'] !== undefined });
    return (await unlessDeleted(items, { ...scopeOf(scope), dataset }, listed)) ?? { items: [] };
  },
  listDeletedDatasets: async (scope, page) =>
    listAll(items, datasetRange(scope), datasetSchema.and(standingSchema), page, { only: isDeleted }),
  listTableRows: async (scope, dataset, page) => listAll(items, tableRange(scope, dataset), tableRowSchema, page),
  listFiles: async (scope, dataset, page) => listAll(items, fileRange(scope, dataset), fileSchema, page),
});

const scopeOf = ({ tenant, workspace }: Scope): Scope => ({ tenant, workspace });

export const createDeletions = (items: Items): Deletions => ({
  ...marksIn(items),
  ...listsIn(items),
  rowsToPurge: async (thing) => (await someRows(items, thing)) as readonly object[] as readonly PurgedRow[],
  removeRows: async (rows) => {
    await Promise.all((rows as readonly object[] as readonly Key[]).map((key) => items.remove(key)));
  },
  removeFile: async (file) => {
    const key = fileKey(file, file.dataset, file.id);
    const changes = [{ key, test: { tables: file.tables }, removes: true as const }];
    const counted = await items.count(freeingTally(file, { fileBytes: file.size, tableBytes: 0 }), { changes });
    return counted === 'counted' ? 'removed' : 'moved';
  },
  setFileTables: async (file, tables) => {
    const key = fileKey(file, file.dataset, file.id);
    const answer = await items.change({ key, test: { tables: file.tables }, set: { tables: [...tables] } });
    return answer === 'changed' ? 'changed' : 'moved';
  },
});
