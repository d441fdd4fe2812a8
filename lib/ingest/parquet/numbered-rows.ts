// The rows of a Parquet file with their numbers, whatever its columns are called.
import { literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';

type Named = Pick<Column, 'name'>;

export interface NumberedRows {
  /** SQL of the rows. */
  readonly from: string;
  /** The name under which they have their number in the file, from 0. */
  readonly number: string;
}

/** A name that no column has. */
export function unusedName(wanted: string, columns: readonly Named[]): string {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = wanted;
  while (names.has(name)) name += '_';
  return name;
}

const DUCKDB_NUMBER = 'file_row_number';

/** DuckDB numbers no rows of a file that has a column of the name that it gives the numbers. */
export function numberedRows(path: string, columns: readonly Named[]): NumberedRows {
  const number = unusedName(DUCKDB_NUMBER, columns);
  const rows = `read_parquet(${literal(path)}`;
  if (number === DUCKDB_NUMBER) return { from: `${rows}, file_row_number = true)`, number };
  return { from: `(SELECT *, row_number() OVER () - 1 AS ${number} FROM ${rows}))`, number };
}
