// The columns of a table as the schema of a Parquet file has them, which may call them otherwise than DuckDB does: it tells names apart.
import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';

/** In the order of the columns. */
export interface TopColumn {
  readonly name: string;
  /** Its place among the leaves of the schema, where it is one. */
  readonly leaf: number | undefined;
}

/** Columns as DuckDB reads them, and in the same places as the schema has them. */
export interface SchemaColumns {
  readonly columns: readonly Column[];
  readonly tops: readonly TopColumn[];
}

export async function topColumns(engine: Engine, path: string): Promise<TopColumn[]> {
  const [, ...elements] = await engine.rows(
    `SELECT name, coalesce(num_children, 0) AS children FROM parquet_schema(${literal(path)})`,
  );
  const tops: TopColumn[] = [];
  // Elements that are still to come below the column at hand.
  let [below, leaf] = [0, 0];
  for (const { name, children } of elements) {
    const count = Number(children);
    if (below === 0) tops.push({ name: name as string, leaf: count === 0 ? leaf : undefined });
    below = Math.max(0, below - 1) + count;
    if (count === 0) leaf += 1;
  }
  return tops;
}
