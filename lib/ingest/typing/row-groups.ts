/** DuckDB's default; fewer rows where they are wide, since a row group is built up in memory. */
const ROW_GROUP_ROWS = 122_880;
const ROW_GROUP_BYTES = 48 * 2 ** 20;
const VECTOR_ROWS = 2048;
const CELL_BYTES = 16;

/** Rows of a row group of Parquet for a table of this size. */
export function rowGroupRows(table: {
  readonly bytes: number;
  readonly rows: number;
  readonly columns: number;
}): number {
  const rowBytes = table.bytes / Math.max(table.rows, 1) + CELL_BYTES * table.columns;
  const rows = Math.min(ROW_GROUP_ROWS, ROW_GROUP_BYTES / rowBytes);
  return Math.max(VECTOR_ROWS, Math.floor(rows / VECTOR_ROWS) * VECTOR_ROWS);
}
