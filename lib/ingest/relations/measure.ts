// Containment, counted by DuckDB: which share of the different values of one column stands in another. What is held in memory are the
// values looked at; of very many, those whose hash falls into one class, the same on both sides.
import type { Engine } from '../engine/engine.ts';
import { comparable } from './groups.ts';
import type { KeyColumn, Measured } from './types.ts';

/** Different values up to which all of them are looked at. */
export const LOOKED_VALUES = 100_000;

/** A column with the FROM item that its rows are read from. */
export interface MeasuredColumn extends KeyColumn {
  readonly source: string;
}

/** One scan of each of the two columns. */
export async function measurePair(engine: Engine, from: MeasuredColumn, to: MeasuredColumn): Promise<Measured> {
  const classes = Math.ceil((from.distinct ?? from.rows) / LOOKED_VALUES);
  const [left, right] = [comparable(from), comparable(to)];
  const chosen = classes > 1 ? `AND hash(${left}) % ${classes} = 0` : '';
  const row = await engine.row(`
    WITH looked AS (
      SELECT ${left} AS value, count(*) AS times FROM ${from.source} WHERE ${left} IS NOT NULL ${chosen} GROUP BY 1
    ), met AS (
      SELECT ${right} AS value, count(*) AS times FROM ${to.source}
      WHERE ${right} IN (SELECT value FROM looked) GROUP BY 1
    )
    SELECT count(*)::VARCHAR AS looked, count(met.value)::VARCHAR AS found,
      coalesce(sum(looked.times), 0)::VARCHAR AS looked_rows,
      coalesce(sum(looked.times) FILTER (met.value IS NOT NULL), 0)::VARCHAR AS found_rows,
      coalesce(max(looked.times), 0)::VARCHAR AS most_from, coalesce(max(met.times), 0)::VARCHAR AS most_to
    FROM looked LEFT JOIN met USING (value)`);
  return {
    looked: Number(row['looked']),
    found: Number(row['found']),
    lookedRows: Number(row['looked_rows']),
    foundRows: Number(row['found_rows']),
    sampled: classes > 1,
    mostFrom: Number(row['most_from']),
    mostTo: Number(row['most_to']),
    fromRows: from.rows,
    fromNulls: from.nulls,
    toRows: to.rows,
    toNulls: to.nulls,
    toDistinct: Math.min(to.distinct ?? to.rows, to.rows - to.nulls),
  };
}
