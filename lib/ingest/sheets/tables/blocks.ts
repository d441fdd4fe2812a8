// Tables that stand side by side: as two blank rows end a table, so do two blank columns.

/** Columns of a sheet, from 0; both belong to it. */
export interface ColumnRange {
  readonly from: number;
  readonly to: number;
}

/** Blank columns, or rows, between two tables that part them. */
export const PARTING_GAP = 2;
/** A header is a row of two cells or more. */
const FEWEST_COLUMNS = 2;

export const isWithin = (column: number, range: ColumnRange | undefined): boolean =>
  range === undefined || (column >= range.from && column <= range.to);

/**
 * Where the tables stand that share these rows; none where it is one. Each has a header and data of its own: what stands aside without
 * them is a column of its neighbour.
 */
export function blocksOf(header: readonly number[], data: ReadonlySet<number>): ColumnRange[] {
  const blocks: ColumnRange[] = [];
  for (const column of [...new Set([...header, ...data])].sort((a, b) => a - b)) {
    const last = blocks.at(-1);
    if (last === undefined || column - last.to > PARTING_GAP) blocks.push({ from: column, to: column });
    else blocks[blocks.length - 1] = { from: last.from, to: column };
  }
  const isTable = (block: ColumnRange): boolean =>
    header.filter((column) => isWithin(column, block)).length >= FEWEST_COLUMNS &&
    [...data].some((column) => isWithin(column, block));
  return blocks.length > 1 && blocks.every(isTable) ? blocks : [];
}
