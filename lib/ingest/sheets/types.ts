// What every kind of workbook is read as: sheets with rows of cells, each with the kind that its file gives it and its value as text.
import type { SheetFormat } from '../formats/sheet-format.ts';
import type { ReadLimits } from '../reading/types.ts';

/**
 * What a cell holds. `empty text` is a text without characters, as formulas give it; `unknown` is a formula of which the file holds no
 * result; `error` is one such as `#N/A`.
 */
export type CellKind =
  | 'number'
  | 'text'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'time'
  | 'duration'
  | 'error'
  | 'unknown'
  | 'empty text';

/** What the format of a number shows that the number is not. */
export interface Note {
  readonly kind: 'percent' | 'currency' | 'leading zeros';
  /** Of a currency its sign or code, of leading zeros the format. */
  readonly of: string;
}

export interface Cell {
  /** From 0. */
  readonly column: number;
  readonly kind: CellKind;
  /** Numbers as the shortest decimal, dates and times in ISO 8601, booleans as `true` and `false`, durations as `h:mm:ss`. */
  readonly text: string;
  readonly note?: Note | undefined;
}

export interface SheetRow {
  /** As the program shows it, from 1. */
  readonly number: number;
  /** In the order of the columns; what is empty is not among them. */
  readonly cells: readonly Cell[];
}

/** Cells shown as one. Both ends belong to it; rows from 1, columns from 0. */
export interface Merge {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export interface SheetInfo {
  readonly name: string;
  readonly isHidden: boolean;
}

export interface Workbook {
  /** In the order of the tabs. */
  readonly sheets: readonly SheetInfo[];
  /** Visits the rows of a sheet that hold anything, in order, and answers its merged cells. Faults: PARSE_ERROR, LIMIT_EXCEEDED. */
  readonly read: (sheet: number, visit: (row: SheetRow) => void) => Promise<readonly Merge[]>;
  readonly close: () => Promise<void>;
}

export interface WorkbookSource {
  readonly path: string;
  readonly format: SheetFormat;
  /** Holds the shared strings while the workbook is open. */
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

/** More than any spreadsheet program has; 16,777,216 rows are LibreOffice's. */
export const MOST_ROWS = 2 ** 24;
export const MOST_COLUMNS = 16_384;
export const MOST_MERGES = 200_000;

/** Cells that count when it is asked where a table begins and ends. */
export const isFilled = ({ kind }: Cell): boolean => kind !== 'empty text';

/** `0` is `A`, `26` is `AA`. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return letters;
}
