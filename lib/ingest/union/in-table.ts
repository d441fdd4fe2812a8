// Rows of one file under the columns of all files that are one table: a column that the file lacks is NULL.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { literal } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import { columnAt, type Rows, type Slice, SLICE_COLUMNS, sliceOf } from '../typing/relation.ts';

/** Where the columns of a file stand in the table. */
export interface InTable {
  /** By the place of its own columns: the places of theirs in the table. */
  readonly places: readonly number[];
  /** Of the table: those of all files, each name once. */
  readonly count: number;
  /** What the column behind them holds, where there is one: the name of the file. */
  readonly file?: string | undefined;
}

/** Each name once, in the order in which the files have them, and the places of the columns of each file. Throws the Fault TOO_MANY_COLUMNS. */
export function namesOf(
  files: readonly (readonly { readonly name: string }[])[],
  maxColumns: number,
): { readonly names: readonly string[]; readonly places: readonly (readonly number[])[] } {
  const placeOf = new Map<string, number>();
  const names: string[] = [];
  const places = files.map((columns) =>
    columns.map(({ name }) => {
      const known = placeOf.get(sameName(name));
      if (known !== undefined) return known;
      placeOf.set(sameName(name), names.length);
      return names.push(name) - 1;
    }),
  );
  if (names.length > maxColumns)
    throw new Fault('TOO_MANY_COLUMNS', `The files have ${names.length} columns together; the limit is ${maxColumns}.`);
  return { names, places };
}

const columnsOf = ({ count, file }: InTable): number => count + (file === undefined ? 0 : 1);

/** The columns of each slice of the table. */
export function slicesOf(within: InTable): Omit<Slice, 'from'>[] {
  const columns = columnsOf(within);
  return Array.from({ length: Math.ceil(columns / SLICE_COLUMNS) }, (_, at) => ({
    first: at * SLICE_COLUMNS,
    columns: Math.min(SLICE_COLUMNS, columns - at * SLICE_COLUMNS),
  }));
}

interface Cell {
  readonly sql: string;
  /** Of the file. */
  readonly column?: number;
}

/** The columns of a slice of the table, as a file gives them. */
function cellsOf({ places, count, file }: InTable, { first, columns }: Omit<Slice, 'from'>): Cell[] {
  const columnOf = new Map(places.map((place, column) => [place, column] as const));
  return Array.from({ length: columns }, (_, at) => {
    const place = first + at;
    const column = columnOf.get(place);
    if (column !== undefined) return { sql: `${columnAt(column)} AS ${columnAt(place)}`, column };
    const value = place === count && file !== undefined ? literal(file) : 'CAST(NULL AS VARCHAR)';
    return { sql: `${value} AS ${columnAt(place)}` };
  });
}

/** SQL for the rows of a file in the columns of a slice of the table. */
export function selectSlice(rows: Rows, within: InTable, slice: Omit<Slice, 'from'>): string {
  const cells = cellsOf(within, slice);
  const used = new Set(cells.flatMap(({ column }) => (column === undefined ? [] : [sliceOf(rows, column).from])));
  const from = used.size === 0 ? must(rows[0], 'a slice').from : [...used].join(' POSITIONAL JOIN ');
  return `SELECT ${cells.map(({ sql }) => sql).join(', ')} FROM ${from}`;
}

/** The rows of a file in all columns of the table. */
export function rowsInTable(rows: Rows, within: InTable): Rows {
  const { places } = within;
  if (places.length === columnsOf(within) && places.every((place, at) => place === at)) return rows;
  const long = rows.some((slice) => slice.long);
  return slicesOf(within).map((slice) => ({ ...slice, long, from: `(${selectSlice(rows, within, slice)})` }));
}
