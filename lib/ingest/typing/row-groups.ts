import type { Engine } from '../engine/engine.ts';
import type { Rows } from './relation.ts';

/** DuckDB's default; fewer rows where they are wide, since a row group is built up in memory. */
const ROW_GROUP_ROWS = 122_880;
const ROW_GROUP_BYTES = 48 * 2 ** 20;
/** Bytes of text of a row in the mean from which on values are long enough for large pages, which writers and readers hold whole, and twice. */
const WIDE_BYTES = 200;
/** Of text in a row group of such rows. */
const TEXT_BYTES = 8 * 2 ** 20;
const VECTOR_ROWS = 2048;
const CELL_BYTES = 16;

/** Bytes of text in a row group of long rows, unless it is one row: whoever reads the file holds one as a whole. */
const LONG_GROUP_BYTES = 8 * 2 ** 20;

/**
 * How COPY is to form row groups of `rows`. Long rows are read by one thread, which keeps their order by itself: DuckDB counts bytes only
 * where it is not asked to keep it. Slices need groups of the same rows, which are those of each piece.
 */
export async function rowGroups(
  engine: Pick<Engine, 'run'>,
  rows: Rows,
  table: Parameters<typeof rowGroupRows>[0],
): Promise<string> {
  if (!rows.some(({ long }) => long)) return `ROW_GROUP_SIZE ${rowGroupRows(table)}`;
  await engine.run('SET threads = 1; SET preserve_insertion_order = false');
  if (rows.length > 1) return 'ROW_GROUP_SIZE 1';
  return `ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, ROW_GROUP_SIZE_BYTES ${LONG_GROUP_BYTES}`;
}

/** Rows of a row group of Parquet for a table of this size. */
export function rowGroupRows(table: {
  readonly bytes: number;
  readonly rows: number;
  readonly columns: number;
}): number {
  const textBytes = table.bytes / Math.max(table.rows, 1);
  const most = textBytes > WIDE_BYTES ? TEXT_BYTES / textBytes : ROW_GROUP_ROWS;
  const rows = Math.min(ROW_GROUP_ROWS, most, ROW_GROUP_BYTES / (textBytes + CELL_BYTES * table.columns));
  return Math.max(VECTOR_ROWS, Math.floor(rows / VECTOR_ROWS) * VECTOR_ROWS);
}
