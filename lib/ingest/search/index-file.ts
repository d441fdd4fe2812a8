// One version of the index of a workspace: an immutable object of lines. A head; a card a table, with what a merge compares and a search
// narrows by; then the entries of each table; then a line a word, in order. What is read of it is read where it lies.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import type { TableId } from '../../core/ids.ts';
import { idOf } from '../id-of.ts';
import { reading } from './damage.ts';
import { entriesOf, type Entry, type TableEntries, tableEntriesSchema } from './entries.ts';
import { firstLine, type Lines, linesIn } from './lines.ts';
import { createTextIndex, type NumberedEntry, type TextIndex } from './text-index.ts';
import { type WordLines, wordLines } from './word-lines.ts';

/** Raised when words are made otherwise, or other fields are searched: an index of another number is made anew from its entries. */
export const WORDS = 2;

const headSchema = z.lazy(() =>
  z.object({
    v: z.literal(2),
    words: z.int(),
    /** Above the number of every entry that is, or ever was. */
    next: z.int(),
    tables: z.int(),
    terms: z.int(),
  }),
);
type Head = z.infer<typeof headSchema>;

/** Bytes, so that it can be written last; with room for the highest numbers. */
const HEAD = 127;
export const headLine = (head: Omit<Head, 'v' | 'words'>): string =>
  JSON.stringify({ v: 2, words: WORDS, ...head }).padEnd(HEAD);

const cardSchema = z.lazy(() =>
  z.object({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    manifest: z.string(),
    said: z.string().optional(),
    without: z.enum(['room', 'index']).optional(),
    /** The number of the first entry; those behind it follow. */
    first: z.int(),
    /** Of each entry: how many different words each field has. */
    lengths: z.array(z.array(z.int())),
    /** Of the columns. */
    types: z.array(z.string()),
    semanticTypes: z.array(z.string().nullable()),
  }),
);
/** What is said of a table beside its entries. */
export type Card = z.infer<typeof cardSchema>;

export const cardOf = (
  { dataset, table, manifest, said, without, columns }: TableEntries,
  first: number,
  lengths: readonly (readonly number[])[],
): Card => ({
  ...{ dataset, table, manifest },
  ...(said !== undefined && { said }),
  ...(without !== undefined && { without }),
  ...{ first, lengths: lengths.map((each) => [...each]) },
  types: columns.map(({ type }) => type),
  semanticTypes: columns.map(({ semanticType = null }) => semanticType),
});

export interface WorkspaceIndex {
  readonly lines: Lines;
  readonly words: WordLines;
  readonly next: number;
  readonly cards: ReadonlyMap<TableId, Card>;
  /** How many tables and columns can be found. */
  readonly size: number;
  readonly text: TextIndex;
  /** The lines of a table: its card's, and its entries'. */
  readonly placesOf: (table: TableId) => { readonly card: number; readonly entries: number };
  /** Throws a DamagedIndex. */
  readonly tableAt: (table: TableId) => TableEntries;
  /** Of all tables, each read when it is its turn. */
  readonly entries: () => Generator<Entry>;
}

/** The version of an object; undefined for what is none. Throws a DamagedIndex. */
export function openIndex(bytes: Uint8Array): { readonly index: WorkspaceIndex; readonly words: number } | undefined {
  const head = headSchema.safeParse(unlessWrong(firstLine(bytes)));
  return head.success ? { index: opened(bytes, head.data), words: head.data.words } : undefined;
}

function unlessWrong(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

function opened(bytes: Uint8Array, { next, tables, terms }: Head): WorkspaceIndex {
  const lines = reading('its lines', () => linesIn(bytes, 1 + 2 * tables + terms));
  const words = wordLines(lines.between(1 + 2 * tables, lines.count));
  const read = Array.from({ length: tables }, (_, at) =>
    reading('the card of a table', () => cardSchema.parse(JSON.parse(lines.text(1 + at)))),
  );
  const cards = new Map(read.map((card) => [card.table, card]));
  const places = new Map(read.map(({ table }, at) => [table, { card: 1 + at, entries: 1 + tables + at }]));
  const placesOf = (table: TableId) => must(places.get(table), 'a table of the index');
  const tableAt = (table: TableId) =>
    reading('the entries of a table', () => tableEntriesSchema.parse(JSON.parse(lines.text(placesOf(table).entries))));
  let text: TextIndex | undefined;
  return {
    ...{ lines, words, next, cards, placesOf, tableAt },
    size: read.reduce((sum, { lengths }) => sum + lengths.length, 0),
    // A merge has no need of it.
    get text() {
      text ??= createTextIndex(words, numbered(read));
      return text;
    },
    *entries() {
      for (const table of cards.keys()) yield* entriesOf(tableAt(table));
    },
  };
}

/** The ids are those of `entriesOf`. */
function* numbered(cards: readonly Card[]): Generator<NumberedEntry> {
  for (const { table, first, lengths } of cards)
    for (const [at, each] of lengths.entries())
      yield { number: first + at, id: at === 0 ? table : `${table}#${at - 1}`, lengths: each };
}

export const emptyIndex = (): WorkspaceIndex =>
  opened(Buffer.from(`${headLine({ next: 0, tables: 0, terms: 0 })}\n`), {
    ...{ v: 2, words: WORDS, next: 0, tables: 0, terms: 0 },
  });

/** An entry by its id; each table is read once. */
export function entryReader(index: WorkspaceIndex) {
  const read = new Map<TableId, readonly Entry[]>();
  return (id: string): Entry => {
    const { card, column } = must(placeIn(index, id), 'an entry of the index');
    const entries = read.get(card.table) ?? entriesOf(index.tableAt(card.table));
    read.set(card.table, entries);
    return must(entries[column === undefined ? 0 : column + 1], 'an entry of the index');
  };
}

export interface EntryPlace {
  readonly card: Card;
  /** Its place among the columns; undefined for the table itself. */
  readonly column?: number;
}

export function placeIn({ cards }: WorkspaceIndex, id: string): EntryPlace | undefined {
  const at = id.indexOf('#');
  const card = cards.get((at < 0 ? id : id.slice(0, at)) as unknown as TableId);
  return card && (at < 0 ? { card } : { card, column: Number(id.slice(at + 1)) });
}
