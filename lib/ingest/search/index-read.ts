// Reads the object of an index, of this release or of an earlier one.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import type { TableId } from '../../core/ids.ts';
import { reading } from './damage.ts';
import { type TableEntries, tableEntriesSchema } from './entries.ts';
import { emptyIndex, openIndex, WORDS, type WorkspaceIndex } from './index-file.ts';
import { patched } from './index-patch.ts';

/** One object of JSON: the entries, and the library's own index of them, which is made anew. */
const before = z.lazy(() => z.object({ v: z.literal(1), tables: z.array(tableEntriesSchema) }));

export interface ReadIndex {
  readonly index: WorkspaceIndex;
  /** Whether the object has it as this release writes it. */
  readonly current: boolean;
}

/** Throws a DamagedIndex for what is no index. */
export function readVersion(bytes: Uint8Array): ReadIndex {
  const open = openIndex(bytes);
  if (open?.words === WORDS) return { index: open.index, current: true };
  const tables = open ? tablesOf(open.index) : reading('its head', () => tablesBefore(bytes));
  return { index: madeOf(tables), current: false };
}

/** Throws a DamagedIndex for what is no index. */
export const readIndex = (bytes: Uint8Array): WorkspaceIndex => readVersion(bytes).index;

const tablesBefore = (bytes: Uint8Array): readonly TableEntries[] =>
  before.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).tables;

function* tablesOf({ cards, tableAt }: WorkspaceIndex): Generator<TableEntries> {
  for (const table of cards.keys()) yield tableAt(table);
}

/** What was in an index has room in it. */
const everything = { entries: Infinity, bytes: Infinity };

function madeOf(tables: Iterable<TableEntries>): WorkspaceIndex {
  const { bytes } = patched(emptyIndex(), changesOf(tables), everything);
  return must(openIndex(bytes), 'what was just written').index;
}

function* changesOf(tables: Iterable<TableEntries>): Generator<readonly [TableId, TableEntries]> {
  for (const table of tables) yield [table.table, table];
}
