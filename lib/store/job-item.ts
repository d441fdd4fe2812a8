// A job row as an item of the table: the row's own attributes, its key, and what the indexes need. The index attributes follow from the
// row and are written with it; `dueShard` may stay when `dueAt` goes, since an entry of the due index needs both.
import { type JobRow, parseJobRow, refOf } from '../job/row.ts';
import type { Attributes } from './items.ts';
import { dayOf, deadKeyOf, dueShardOf, jobKey, listKeyOf, parkKeyOf } from './table.ts';

const storeOwn: ReadonlySet<string> = new Set(['pk', 'sk', 'dueShard', 'listKey', 'parkKey', 'deadKey']);

interface IndexKeys {
  readonly dueShard: number;
  readonly listKey: string;
  readonly parkKey?: string;
  readonly deadKey?: string;
}

export const indexKeysOf = (row: JobRow): IndexKeys => ({
  dueShard: dueShardOf(row.id),
  listKey: listKeyOf(row, dayOf(row.createdAt)),
  ...(row.parked !== undefined && { parkKey: parkKeyOf(row, row.parked) }),
  ...(isListedDead(row) && { deadKey: deadKeyOf(row) }),
});

/** Whether the job stands in the list of those that failed. */
export const isListedDead = ({ status, discarded }: JobRow): boolean =>
  (status === 'failed' || status === 'dead') && discarded !== true;

export const toJobItem = (row: JobRow): Attributes => ({ ...row, ...jobKey(refOf(row)), ...indexKeysOf(row) });

/** An item without what is the store's own. */
export const withoutKeys = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !storeOwn.has(name)));

/** Throws Fault ROW_UNREADABLE for an item that holds no job row. */
export const fromJobItem = (item: Attributes): JobRow => parseJobRow(withoutKeys(item));
