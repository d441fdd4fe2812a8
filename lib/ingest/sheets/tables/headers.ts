// Which rows of a sheet are titles, labels and headers, by what stands in them and in the rows next to them.
import type { Cell } from '../types.ts';
import { PARTING_GAP } from './blocks.ts';

/** A row that holds something. */
export interface Line {
  readonly number: number;
  readonly cells: readonly Cell[];
  /** Blank rows above it. */
  readonly gap: number;
}

export const isText = ({ kind }: Cell): boolean => kind === 'text';
export const isTitle = ({ cells }: Line): boolean => cells.length === 1 && cells.every(isText);
export const isHeaderLike = ({ cells }: Line): boolean => cells.length > 1 && cells.every(isText);
const textShare = ({ cells }: Line): number => cells.filter(isText).length / cells.length;

/** Numbers of columns, or of years, above the true header. */
const isSpacer = (candidate: Line, next: Line): boolean =>
  textShare(candidate) === 0 && textShare(next) > 0.5 && next.cells.length >= candidate.cells.length;

/** Whether `line` shows that the row before it was no header: a blank row stands between, and what follows is a header or a title. */
export function isNoHeader(header: Line, line: Line): boolean {
  if (line.gap >= PARTING_GAP || isSpacer(header, line)) return true;
  if (line.gap === 0) return false;
  return isTitle(line) || (isHeaderLike(line) && (!isHeaderLike(header) || line.cells.length > header.cells.length));
}

/**
 * Whether the first row of data is the true header, as `line` shows: that row was all text and wider than the one above it, which then has
 * groups of columns or labels, and half of what stands under its names is no text.
 */
export function isSecondHeader(header: Line, sole: Line, { cells, gap }: Line): boolean {
  if (gap > 1 || !isHeaderLike(header) || !isHeaderLike(sole)) return false;
  if (sole.gap > 0 || sole.cells.length <= header.cells.length) return false;
  const named = new Set(sole.cells.map(({ column }) => column));
  return cells.filter((cell) => !isText(cell) && named.has(cell.column)).length * 2 >= cells.length;
}
