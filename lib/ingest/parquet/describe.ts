import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';

/** The columns of a Parquet file as DuckDB reads them. */
export async function describeParquet(engine: Engine, path: string): Promise<Column[]> {
  const rows = await engine.rows(`DESCRIBE FROM read_parquet(${literal(path)})`);
  return rows.map((row) => ({ name: row['column_name'] as string, type: row['column_type'] as string }));
}
