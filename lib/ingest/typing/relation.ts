// Rows of text on disk that are to become a typed table: what the readers of CSV and JSON hand over.
import { must } from '../../core/check.ts';
import { listOf, literal } from '../engine/sql.ts';
import type { Reject } from '../rejects/reject.ts';
import type { DateOrder } from './day-months.ts';
import type { Forced } from './forced.ts';
import { type NumberFormat, numberText } from './numbers.ts';

/** What a column's texts may stand for. JSON says it of each value; CSV does not. `verbatim`: nothing but themselves, whatever they look like. */
export type Family = 'any' | 'number' | 'text' | 'boolean' | 'json' | 'verbatim';

export interface TextColumn {
  readonly name: string;
  readonly family: Family;
  /** How its numbers are written, where the caller says it. */
  readonly numbers?: NumberFormat | undefined;
  /** The type that the caller says; its family is then `verbatim`. */
  readonly forced?: Forced | undefined;
}

/** Some columns of all rows, as a FROM item with columns c<first>, c<first + 1>, …. */
export interface Slice {
  readonly from: string;
  readonly first: number;
  readonly columns: number;
  /** Its rows may be so long that a few of them are as much as the engine holds. */
  readonly long?: boolean;
  /** The same with a column `row_number`; absent where rows are numbered as they come. */
  readonly numbered?: string | undefined;
}
/** Columns of a slice, at most. */
export const SLICE_COLUMNS = 256;
/** All columns, in their order: one slice, or several where there are many. */
export type Rows = readonly Slice[];

/** The slice of a column. */
export const sliceOf = (rows: Rows, index: number): Slice =>
  must(
    rows.findLast(({ first }) => first <= index),
    'a slice',
  );

/** What is about columns, by the slices that they are in, at most `atOnce` together. */
export function bySlice<T>(
  rows: Rows,
  items: readonly T[],
  { indexOf, atOnce = Infinity }: { readonly indexOf: (item: T) => number; readonly atOnce?: number },
): { readonly slice: Slice; readonly items: readonly T[] }[] {
  return rows.flatMap((slice) => {
    const own = items.filter((item) => indexOf(item) >= slice.first && indexOf(item) < slice.first + slice.columns);
    const size = Math.min(atOnce, Math.max(own.length, 1));
    return Array.from({ length: Math.ceil(own.length / size) }, (_, place) => ({
      slice,
      items: own.slice(place * size, (place + 1) * size),
    }));
  });
}

export interface BadRecords {
  readonly counts: Readonly<Record<string, number>>;
  /** The first of them, with their lines. */
  readonly find: () => Promise<Reject[]>;
}

export interface TextTable {
  /** Texts of all rows. */
  readonly all: Rows;
  /** Some of the rows in the same form, from all over the file. */
  readonly sample: Rows;
  readonly sampleIsAll: boolean;
  readonly columns: readonly TextColumn[];
  readonly rows: number;
  /** Bytes of text in all rows. */
  readonly bytes: number;
  /** An empty text of a typed column is NULL: the file quotes every field, so that it has no other way to say so. */
  readonly emptyIsNull: boolean;
  /** The lines of the file on which some rows begin, which rise; absent where it has none. */
  readonly linesOf?: ((rows: readonly number[]) => Promise<number[]>) | undefined;
  /** The sheet of a workbook that it stands in. */
  readonly sheet?: string | undefined;
  /** Rows and lines of the file that stand before it. */
  readonly before?: { readonly rows: number; readonly lines: number } | undefined;
  /** Records of the file that are no rows, as the caller asks: how many for each reason, and which. */
  readonly bad?: BadRecords | undefined;
  /** Values that are NULL since their cells hold something that is none: the same. */
  readonly badCells?: BadRecords | undefined;
  /** Of rows from several files: the one that a row is in. */
  readonly fileOf?: ((row: number) => string) | undefined;
  /** The names of these, in the order of the rows. */
  readonly files?: readonly string[] | undefined;
  /** What the caller says of dates whose day and month stand before the year. */
  readonly dateOrder?: DateOrder | undefined;
}

/** The name of the column at `index` in the relation. */
export const columnAt = (index: number): string => `c${index}`;

/** The slice of a column, all rows of it with their numbers in the file, as a FROM item. */
export function rowsWithNumbers({ all }: Pick<TextTable, 'all'>, index = 0): string {
  const { from, numbered } = sliceOf(all, index);
  return numbered ?? `(SELECT *, row_number() OVER () AS row_number FROM ${from})`;
}

/** SQL for the text of a column as its type sees it. */
export const typedText = (
  { emptyIsNull, columns }: Pick<TextTable, 'emptyIsNull' | 'columns'>,
  index: number,
): string => numberText(columns[index]?.numbers, emptyIsNull ? `nullif(${columnAt(index)}, '')` : columnAt(index));

/** Some columns of a slice as a FROM item in which the types see them as they are: numbers in their plain form. */
export function seenFrom(columns: readonly TextColumn[], { from }: Slice, indexes: readonly number[]): string {
  if (indexes.every((index) => columns[index]?.numbers === undefined)) return from;
  const seen = indexes.map((index) => `${numberText(columns[index]?.numbers, columnAt(index))} AS ${columnAt(index)}`);
  return `(SELECT ${seen.join(', ')} FROM ${from})`;
}

/** The table with these columns as they are written, JSON aside. */
export function keepingTexts<T extends Pick<TextTable, 'columns'>>(table: T, verbatim: readonly string[] = []): T {
  const kept = new Set(verbatim.map((name) => name.toLowerCase()));
  const columns = table.columns.map((column) =>
    column.family !== 'json' && kept.has(column.name.toLowerCase())
      ? { ...column, family: 'verbatim' as const }
      : column,
  );
  return { ...table, columns };
}

export interface CsvFile {
  readonly path: string;
  /** What the file is cut into, rows after rows; bytes of the longest record there and of the largest piece. */
  readonly pieces?:
    | { readonly paths: readonly string[]; readonly longest: number; readonly largest: number }
    | undefined;
  readonly delimiter: string;
  readonly columns: number;
  readonly header: 'header' | 'no header';
  readonly longestRecord: number;
  readonly quotedNewlines: 'quoted newlines' | 'lines';
  /** Unquoted fields that are NULL, beside empty ones. */
  readonly nullWords?: readonly string[] | undefined;
  /** CRLF only without quoted newlines: DuckDB takes the line end from the first it meets, be it in quotes. */
  readonly newline: 'lf' | 'crlf';
}

const DEFAULT_LINE_BYTES = 2_000_000;
/** Several of them are held at once; DuckDB's own, of 32 MB, are no quicker. */
const BUFFER_BYTES = 8 * 2 ** 20;
/** For line ends and a byte order mark. */
const SLACK_BYTES = 64 * 1024;

/** A CSV file whose structure is proven, as a FROM item: nothing is sniffed, and anything unexpected is an error. */
export function csvRelation(file: CsvFile, first = 0): string {
  const names = Array.from({ length: file.columns }, (_, index) => `'${columnAt(first + index)}': 'VARCHAR'`);
  const { pieces } = file;
  // A piece lies in one buffer as a whole; other files have no record that is near either bound.
  const line = Math.max(DEFAULT_LINE_BYTES, (pieces?.longest ?? 0) + SLACK_BYTES);
  const buffer = pieces === undefined ? BUFFER_BYTES : Math.max(line, pieces.largest) + SLACK_BYTES;
  const options = [
    pieces === undefined ? literal(file.path) : listOf(pieces.paths),
    'auto_detect = false',
    `delim = ${literal(file.delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    `header = ${file.header === 'header'}`,
    `nullstr = [${['', ...(file.nullWords ?? [])].map(literal).join(', ')}]`,
    'allow_quoted_nulls = false',
    'null_padding = false',
    'strict_mode = true',
    `max_line_size = ${line}`,
    `buffer_size = ${buffer}`,
    ...(file.newline === 'lf' ? [`new_line = '\\n'`] : []),
    // A thread that starts inside a quoted field can mistake a line end in it for the end of a row.
    `parallel = ${file.quotedNewlines === 'lines' && pieces === undefined}`,
    `columns = {${names.join(', ')}}`,
  ];
  return `read_csv(${options.join(', ')})`;
}
