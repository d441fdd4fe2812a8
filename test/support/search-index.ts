// Indexes of search, made of tables.
import type { DatasetId, TableId } from '../../lib/core/ids.ts';
import { type Entry, type Known, tableEntries, type TableEntries } from '../../lib/ingest/search/entries.ts';
import { emptyIndex, type WorkspaceIndex } from '../../lib/ingest/search/index-file.ts';
import { patched } from '../../lib/ingest/search/index-patch.ts';
import { readIndex } from '../../lib/ingest/search/index-read.ts';

export const anyRoom = { entries: 1_000_000, bytes: 2 ** 30 };

const dataset = 'ds_00000000000000000000000001' as unknown as DatasetId;
export const tableIdOf = (at: number) => `tbl_${String(at).padStart(26, '0')}` as unknown as TableId;

export const aTable = (at: number, name: string, columns: Readonly<Record<string, Known>>, known: Known = {}) =>
  tableEntries({
    ...{ dataset, table: tableIdOf(at), name, manifest: `m${at}` },
    ...known,
    columns: Object.entries(columns).map(([column, each]) => ({ name: column, type: 'VARCHAR', ...each })),
  });

/** Written and read. */
export const changedIndex = (
  index: WorkspaceIndex,
  changes: Iterable<readonly [TableId, TableEntries | undefined]>,
): WorkspaceIndex => readIndex(patched(index, changes, anyRoom).bytes);

export const indexOf = (...tables: readonly TableEntries[]): WorkspaceIndex =>
  changedIndex(
    emptyIndex(),
    tables.map((each) => [each.table, each] as const),
  );

export const entriesById = (index: WorkspaceIndex): ReadonlyMap<string, Entry> =>
  new Map([...index.entries()].map((entry) => [entry.id, entry]));
