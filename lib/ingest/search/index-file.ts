// One version of the index of a workspace: an immutable object with the entries of every table and the text index over them. The next
// version is made of it by taking out the tables that changed and putting in what they are now.
import * as z from 'zod';
import type { TableId } from '../../core/ids.ts';
import { type Entry, entriesOf, type TableEntries, tableEntriesSchema } from './entries.ts';
import { createTextIndex, type TextIndex } from './text-index.ts';

/** Raised when words are made otherwise: an index of another number is made anew from its entries. */
const WORDS = 1;

const fileSchema = z.lazy(() =>
  z.object({ v: z.literal(1), words: z.int(), tables: z.array(tableEntriesSchema), text: z.unknown() }),
);

export interface WorkspaceIndex {
  readonly tables: ReadonlyMap<TableId, TableEntries>;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly text: TextIndex;
}

export const emptyIndex = (): WorkspaceIndex => ({ tables: new Map(), entries: new Map(), text: createTextIndex() });

const parsed = (bytes: Uint8Array) => fileSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));

/** Only the entries of an object of `indexJson`. */
export const readEntries = (bytes: Uint8Array): Entry[] => parsed(bytes).tables.flatMap(entriesOf);

/** Reads an object of `indexJson`. */
export function readIndex(bytes: Uint8Array): WorkspaceIndex {
  const { words, tables, text } = parsed(bytes);
  const entries = tables.flatMap(entriesOf);
  const kept = words === WORDS ? createTextIndex(text as Parameters<typeof createTextIndex>[0]) : createTextIndex();
  if (words !== WORDS) kept.add(entries);
  return {
    tables: new Map(tables.map((table) => [table.table, table])),
    entries: new Map(entries.map((entry) => [entry.id, entry])),
    text: kept,
  };
}

export const indexJson = ({ tables, text }: WorkspaceIndex): string =>
  JSON.stringify({ v: 1, words: WORDS, tables: [...tables.values()], text: text.toJSON() });

/** The index with other tables in it: `undefined` takes one out. `index` is used up. */
export function patched(
  index: WorkspaceIndex,
  changes: ReadonlyMap<TableId, TableEntries | undefined>,
): WorkspaceIndex {
  const tables = new Map(index.tables);
  const entries = new Map(index.entries);
  for (const [id, next] of changes) {
    const before = tables.get(id);
    const gone = before === undefined ? [] : entriesOf(before);
    index.text.remove(gone);
    for (const entry of gone) entries.delete(entry.id);
    tables.delete(id);
    if (next === undefined) continue;
    const fresh = entriesOf(next);
    index.text.add(fresh);
    for (const entry of fresh) entries.set(entry.id, entry);
    tables.set(id, next);
  }
  return { tables, entries, text: index.text };
}
