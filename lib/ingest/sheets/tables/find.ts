// Where the tables of a sheet stand. A row with one text is a title or a label, a row of two cells or more is a header, two blank rows end a table,
// and a table has a row of data. Rows are looked at as they come, a few of them ahead, so that a sheet of any length is read in little memory.
import { type Cell, isFilled, type SheetRow } from '../types.ts';

/** Rows of a sheet, from 1, that are one table. */
export interface FoundTable {
  /** The text that stands by itself above the header, nearest to it. */
  readonly label: string | undefined;
  /** 0: there is none. */
  readonly header: number;
  /** The first row of data; where it is behind the last, there is none. */
  readonly first: number;
  readonly last: number;
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

/** Blank rows between two that end a table. */
const ENDING_GAP = 2;
/** Rows of one text in a row that wait for what follows them; further ones are data. */
const MOST_HELD = 3;

interface Line {
  readonly number: number;
  readonly cells: readonly Cell[];
  /** Blank rows above it. */
  readonly gap: number;
}

interface Open {
  readonly label: string | undefined;
  readonly header: Line;
  /** The columns of the header. */
  readonly from: number;
  readonly to: number;
  first: number;
  last: number;
  /** By column: whether there is text in the rows of data, and whether there is something else. */
  readonly texts: Set<number>;
  readonly others: Set<number>;
}

const isText = ({ kind }: Cell): boolean => kind === 'text';
const isTitle = ({ cells }: Line): boolean => cells.length === 1 && cells.every(isText);
const isHeaderLike = ({ cells }: Line): boolean => cells.length > 1 && cells.every(isText);
const textShare = ({ cells }: Line): number => cells.filter(isText).length / cells.length;

/** A header stands in another place than the columns of the table above it, or has text where that has none. */
const isNoRowOf = ({ others, texts }: Open, { cells }: Line): boolean =>
  cells.some(({ column }) => others.has(column) && !texts.has(column));
const isWider = ({ from, to }: Open, { cells }: Line): boolean =>
  cells.some(({ column }) => column < from || column > to);

/** Numbers of columns, or of years, above the true header. */
const isSpacer = (candidate: Line, next: Line): boolean =>
  textShare(candidate) === 0 && textShare(next) > 0.5 && next.cells.length >= candidate.cells.length;

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
      isOne &&= first === undefined || line.gap < ENDING_GAP;
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
  label: string | undefined;
  candidate: Line | undefined;
  open: Open | undefined;
  /** Rows of one text that wait for what follows them. */
  held: Line[];
}

function title(progress: Progress, line: Line): void {
  if (isTitle(line)) progress.label = line.cells[0]?.text;
  progress.leftOut.add(line);
}

function outside(progress: Progress, line: Line): void {
  if (line.cells.length > 1) progress.candidate = line;
  else title(progress, line);
}

function addData(table: Open, { number, cells }: Line): void {
  table.last = number;
  for (const cell of cells) (isText(cell) ? table.texts : table.others).add(cell.column);
}

const addHeld = (progress: Progress, table: Open): void => {
  for (const line of progress.held.splice(0)) addData(table, line);
};

function close(progress: Progress): void {
  const { open, tables } = progress;
  if (open === undefined) return;
  const { label, header, first, last } = open;
  tables.push({ label, header: header.number, first, last });
  progress.open = undefined;
  progress.label = undefined;
}

function begin(progress: Progress, header: Line, line: Line): void {
  const columns = header.cells.map((cell) => cell.column);
  const open: Open = {
    ...{ label: progress.label, header, from: columns[0] ?? 0, to: columns.at(-1) ?? 0 },
    ...{ first: line.number, last: line.number, texts: new Set(), others: new Set() },
  };
  addData(open, line);
  progress.open = open;
  progress.candidate = undefined;
}

/** Whether `line` shows that the row before it was no header: a blank row stands between, and what follows is a header or a title. */
function isNoHeader(header: Line, line: Line): boolean {
  if (line.gap >= ENDING_GAP || isSpacer(header, line)) return true;
  if (line.gap === 0) return false;
  return isTitle(line) || (isHeaderLike(line) && (!isHeaderLike(header) || line.cells.length > header.cells.length));
}

function afterHeader(progress: Progress, header: Line, line: Line): void {
  if (!isNoHeader(header, line)) return begin(progress, header, line);
  progress.leftOut.add(header);
  progress.candidate = undefined;
  outside(progress, line);
}

/** Whether `line` is no row of the table any more. */
function isBehind({ held: [first] }: Progress, table: Open, line: Line): boolean {
  if (line.gap >= ENDING_GAP) return true;
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
    settleHeld(progress, table, line.gap >= ENDING_GAP);
    return outside(progress, line);
  }
  if (isTitle(line) && progress.held.length < MOST_HELD) return void progress.held.push(line);
  addHeld(progress, table);
  addData(table, line);
}

/** Takes the rows of one sheet in order. */
export function findTables(): TableFinder {
  const column = soleColumn();
  const progress: Progress = {
    ...{ tables: [], leftOut: leftOutRows(), label: undefined, candidate: undefined, open: undefined, held: [] },
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
