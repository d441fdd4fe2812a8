// Where the tables of a sheet stand. A row with one text is a title or a label, a row of two cells or more is a header, two blank rows or columns
// end a table, and a table has a row of data. Rows are looked at as they come, a few of them ahead, so that a sheet of any length is read in little memory.
import { isFilled, type SheetRow } from '../types.ts';
import { blocksOf, type ColumnRange, isWithin, PARTING_GAP } from './blocks.ts';
import { isHeaderLike, isNoHeader, isSecondHeader, isText, isTitle, type Line } from './headers.ts';

/** Rows of a sheet, from 1, that are one table. */
export interface FoundTable {
  /** The text that stands by itself above the header, nearest to it. */
  readonly label: string | undefined;
  /** 0: there is none. */
  readonly header: number;
  /** The first row of data; where it is behind the last, there is none. */
  readonly first: number;
  readonly last: number;
  /** Absent where no other table stands beside it. */
  readonly columns?: ColumnRange | undefined;
}

/** Rows that hold something and belong to no table. */
export interface LeftOut {
  readonly count: number;
  /** The first of them. */
  readonly row: number;
  readonly example: string;
}

export interface FoundTables {
  readonly tables: readonly FoundTable[];
  readonly leftOut: LeftOut | undefined;
}

export interface TableFinder {
  readonly push: (row: SheetRow) => void;
  readonly end: () => FoundTables;
}

/** Rows of one text in a row that wait for what follows them; further ones are data. */
const MOST_HELD = 3;

interface Open {
  /** The row of labels that stands by itself above the header, nearest to it. */
  readonly above: Line | undefined;
  readonly header: Line;
  /** The columns of the header. */
  readonly from: number;
  readonly to: number;
  /** The first row of data, while there is no other. */
  sole: Line | undefined;
  first: number;
  last: number;
  /** By column: whether there is text in the rows of data, and whether there is something else. */
  readonly texts: Set<number>;
  readonly others: Set<number>;
}

/** A header stands in another place than the columns of the table above it, or has text where that has none. */
const isNoRowOf = ({ others, texts }: Open, { cells }: Line): boolean =>
  cells.some(({ column }) => others.has(column) && !texts.has(column));
const isWider = ({ from, to }: Open, { cells }: Line): boolean =>
  cells.some(({ column }) => column < from || column > to);

function leftOutRows() {
  let first: LeftOut | undefined;
  let count = 0;
  return {
    add: ({ number, cells }: Line): void => {
      count++;
      first ??= { count: 0, row: number, example: cells.map(({ text }) => text).join(' | ') };
    },
    found: (): LeftOut | undefined => first && { ...first, count },
  };
}

/** A sheet that has one column: its first row is the header, since no row could be one by its width. */
function soleColumn() {
  let first: Line | undefined;
  let last = 0;
  let rows = 0;
  let isOne = true;
  return {
    add: (line: Line): void => {
      isOne &&= line.cells.length === 1 && line.cells[0]?.column === (first ?? line).cells[0]?.column;
      isOne &&= first === undefined || line.gap < PARTING_GAP;
      first ??= line;
      last = line.number;
      rows++;
    },
    found: (): FoundTable | undefined =>
      isOne && first !== undefined && rows > 1
        ? { label: undefined, header: first.number, first: first.number + 1, last }
        : undefined,
  };
}

/** What stands where the reading is: nothing, a header that waits for data, or a table. */
interface Progress {
  readonly tables: FoundTable[];
  readonly leftOut: ReturnType<typeof leftOutRows>;
  above: Line | undefined;
  candidate: Line | undefined;
  open: Open | undefined;
  /** Rows of one text that wait for what follows them. */
  held: Line[];
}

function title(progress: Progress, line: Line): void {
  if (isTitle(line)) progress.above = line;
  progress.leftOut.add(line);
}

function outside(progress: Progress, line: Line): void {
  if (line.cells.length > 1) progress.candidate = line;
  else title(progress, line);
}

function addData(table: Open, line: Line): void {
  table.last = line.number;
  table.sole = table.sole === undefined && table.first === line.number ? line : undefined;
  for (const cell of line.cells) (isText(cell) ? table.texts : table.others).add(cell.column);
}

const addHeld = (progress: Progress, table: Open): void => {
  for (const line of progress.held.splice(0)) addData(table, line);
};

/** The text that stands by itself above these columns. */
function labelIn(above: Line | undefined, block: ColumnRange | undefined): string | undefined {
  const labels = above?.cells.filter(({ column }) => isWithin(column, block)) ?? [];
  return labels.length === 1 ? labels[0]?.text : undefined;
}

function close(progress: Progress): void {
  const { open, tables } = progress;
  if (open === undefined) return;
  const { above, header, first, last, texts, others } = open;
  const columns = header.cells.map(({ column }) => column);
  const blocks = blocksOf(columns, new Set([...texts, ...others]));
  for (const block of blocks.length === 0 ? [undefined] : blocks)
    tables.push({ label: labelIn(above, block), header: header.number, first, last, columns: block });
  progress.open = undefined;
  progress.above = undefined;
}

function begin(progress: Progress, header: Line, line: Line): void {
  const columns = header.cells.map((cell) => cell.column);
  const open: Open = {
    ...{ above: progress.above, header, from: columns[0] ?? 0, to: columns.at(-1) ?? 0, sole: undefined },
    ...{ first: line.number, last: line.number, texts: new Set(), others: new Set() },
  };
  addData(open, line);
  progress.open = open;
  progress.candidate = undefined;
}

/** What was taken for a header may be labels of tables that stand side by side. */
function leaveOutHeader(progress: Progress, header: Line): void {
  progress.leftOut.add(header);
  if (isHeaderLike(header)) progress.above = header;
}

function afterHeader(progress: Progress, header: Line, line: Line): void {
  if (!isNoHeader(header, line)) return begin(progress, header, line);
  leaveOutHeader(progress, header);
  progress.candidate = undefined;
  outside(progress, line);
}

/** Whether `line` is no row of the table any more. */
function isBehind({ held: [first] }: Progress, table: Open, line: Line): boolean {
  if (line.gap >= PARTING_GAP) return true;
  if (!isHeaderLike(line)) return false;
  if (first === undefined) return line.gap > 0 && isWider(table, line);
  return first.gap > 0 || isNoRowOf(table, line);
}

/** Texts right below the table belong to it where no header follows them; others are titles of what comes. */
function settleHeld(progress: Progress, table: Open, isEnd: boolean): void {
  if (isEnd && progress.held[0]?.gap === 0) addHeld(progress, table);
  close(progress);
  for (const line of progress.held.splice(0)) title(progress, line);
}

function inTable(progress: Progress, table: Open, line: Line): void {
  if (isBehind(progress, table, line)) {
    settleHeld(progress, table, line.gap >= PARTING_GAP);
    return outside(progress, line);
  }
  if (table.sole !== undefined && isSecondHeader(table.header, table.sole, line)) {
    leaveOutHeader(progress, table.header);
    return begin(progress, table.sole, line);
  }
  if (isTitle(line) && progress.held.length < MOST_HELD) return void progress.held.push(line);
  addHeld(progress, table);
  addData(table, line);
}

/** Takes the rows of one sheet in order. */
export function findTables(): TableFinder {
  const column = soleColumn();
  const progress: Progress = {
    ...{ tables: [], leftOut: leftOutRows(), above: undefined, candidate: undefined, open: undefined, held: [] },
  };
  let before = 0;
  return {
    push: (row) => {
      const cells = row.cells.filter(isFilled);
      if (cells.length === 0) return;
      const line: Line = { number: row.number, cells, gap: row.number - before - 1 };
      const { open, candidate } = progress;
      before = row.number;
      column.add(line);
      if (open !== undefined) inTable(progress, open, line);
      else if (candidate !== undefined) afterHeader(progress, candidate, line);
      else outside(progress, line);
    },
    end: () => {
      const { open, candidate, tables, leftOut } = progress;
      if (open !== undefined) settleHeld(progress, open, true);
      if (candidate !== undefined) leftOut.add(candidate);
      const sole = tables.length === 0 ? column.found() : undefined;
      return sole === undefined ? { tables, leftOut: leftOut.found() } : { tables: [sole], leftOut: undefined };
    },
  };
}
