// What is known of one table of a sheet before it is written: its header, which columns it has, and what kinds of cells each of them holds.
import { MOST_REJECTS } from '../../rejects/reject.ts';
import { type ColumnRange, isWithin } from './blocks.ts';
import { type Cell, type CellKind, isFilled, type Note, type SheetRow } from '../types.ts';

export interface Case {
  /** Of the sheet. */
  readonly row: number;
  readonly example: string;
}

export interface ColumnFacts {
  readonly counts: Record<CellKind, number>;
  readonly first: Partial<Record<CellKind, Case>>;
  /** What formats show beside the numbers, by the kind and the sign. */
  readonly notes: Map<string, Case & { readonly note: Note; readonly count: number }>;
}

/** A cell that holds an error. */
export interface CellError {
  /** Of the table, from 1. */
  readonly row: number;
  /** Of the sheet. */
  readonly column: number;
  readonly text: string;
}

/** A run of rows without a blank one: the first is row `row` of the sheet and number `number` of the table, from 1. */
interface Run {
  readonly number: number;
  readonly row: number;
}

export interface TableFacts {
  /** By column of the sheet. */
  readonly header: Map<number, string>;
  readonly columns: Map<number, ColumnFacts>;
  /** The first of them. */
  readonly errors: readonly CellError[];
  readonly rows: number;
  /** Characters of all cells, with one more for each. */
  readonly characters: number;
  readonly blank: { readonly count: number; readonly row: number } | undefined;
  /** The row of the sheet that is this row of the table, from 1. */
  readonly sheetRowOf: (row: number) => number;
}

/** Rows of a sheet, from 1, a header of 0 is none; and the columns of the table, where others stand beside it. */
export interface Range {
  readonly header: number;
  readonly first: number;
  readonly last: number;
  readonly columns?: ColumnRange | undefined;
}

/** What of a row is of the table. */
export const cutTo =
  ({ columns }: Range) =>
  (row: SheetRow): SheetRow =>
    columns === undefined ? row : { ...row, cells: row.cells.filter(({ column }) => isWithin(column, columns)) };

const noFacts = (): ColumnFacts => ({
  counts: {
    ...{ number: 0, text: 0, boolean: 0, date: 0, timestamp: 0, time: 0, duration: 0 },
    ...{ error: 0, unknown: 0, 'empty text': 0 },
  },
  first: {},
  notes: new Map(),
});

function tally(facts: ColumnFacts, { kind, text, note }: Cell, row: number): void {
  facts.counts[kind]++;
  facts.first[kind] ??= { row, example: text };
  if (note === undefined) return;
  const key = `${note.kind} ${note.of}`;
  const known = facts.notes.get(key);
  facts.notes.set(key, known ? { ...known, count: known.count + 1 } : { note, row, example: text, count: 1 });
}

function rowOf(runs: readonly Run[], number: number): number {
  let low = 0;
  for (let high = runs.length - 1; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if ((runs[middle]?.number ?? 0) <= number) low = middle;
    else high = middle - 1;
  }
  const { number: first, row } = runs[low] ?? { number, row: number };
  return row + number - first;
}

/** Takes the rows of a sheet in order. `isNull` says which texts stand for nothing. */
export function gatherFacts(range: Range, isNull: (cell: Cell) => boolean) {
  const header = new Map<number, string>();
  const columns = new Map<number, ColumnFacts>();
  const errors: CellError[] = [];
  const runs: Run[] = [];
  const counted = { rows: 0, characters: 0, blank: 0, firstBlank: 0, before: range.first - 1 };

  const addRow = ({ number, cells }: SheetRow): void => {
    const gap = number - counted.before - 1;
    if (gap > 0 && counted.blank === 0) counted.firstBlank = counted.before + 1;
    counted.blank += gap;
    counted.before = number;
    counted.rows++;
    if (gap > 0 || runs.length === 0) runs.push({ number: counted.rows, row: number });
    for (const cell of cells) {
      const known = columns.get(cell.column) ?? noFacts();
      if (!columns.has(cell.column)) columns.set(cell.column, known);
      if (!isNull(cell)) tally(known, cell, number);
      if (cell.kind === 'error' && errors.length < MOST_REJECTS)
        errors.push({ row: counted.rows, column: cell.column, text: cell.text });
      counted.characters += cell.text.length + 1;
    }
  };

  return {
    visit: (row: SheetRow): void => {
      if (row.number === range.header)
        for (const cell of row.cells.filter(isFilled)) header.set(cell.column, cell.text);
      if (row.number < range.first || row.number > range.last || !row.cells.some(isFilled)) return;
      addRow(row);
    },
    facts: (): TableFacts => ({
      ...{ header, columns, errors, rows: counted.rows, characters: counted.characters },
      blank: counted.blank === 0 ? undefined : { count: counted.blank, row: counted.firstBlank },
      sheetRowOf: (row) => rowOf(runs, row),
    }),
  };
}

/** The columns that a table has, in order: those with a name, and those with a cell that is not empty text. */
export function usedColumns({ header, columns }: TableFacts): number[] {
  const hasValues = ({ counts }: ColumnFacts): boolean =>
    Object.entries(counts).some(([kind, count]) => kind !== 'empty text' && count > 0);
  const filled = [...columns].filter(([, facts]) => hasValues(facts)).map(([column]) => column);
  return [...new Set([...header.keys(), ...filled])].sort((a, b) => a - b);
}
