// How the values of numeric and time columns lie between the least and the greatest: quantiles and a histogram, from a sample of rows that
// small tables are whole.
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column, ColumnDistribution } from '../reading/types.ts';
import { isNumeric } from './measures.ts';

/** Rows of the sample. */
export const SAMPLE_ROWS = 10_000;
const POINTS = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const BINS = 20;
/** Planning takes longer than linearly with the expressions. */
const COLUMNS_AT_ONCE = 64;

const isTime = (type: string): boolean => /^(DATE|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?)$/.test(type);

/** A column with its range, as its profile has it. */
export interface Ranged extends Column {
  readonly min: string | null;
  readonly max: string | null;
}

/** A number on which values have the same order: numbers as they are, times in microseconds; Parquet knows times without end. */
const asDouble = (value: string, type: string): string =>
  isNumeric(type) ? `${value}::DOUBLE` : `CASE WHEN isfinite(${value}) THEN epoch_us(${value}::TIMESTAMP)::DOUBLE END`;

/** By name of column; columns without an order that can be divided are not in it. The same rows give the same answer. */
export async function distributionsOf(
  engine: Engine,
  source: string,
  columns: readonly Ranged[],
  rows: number,
): Promise<ReadonlyMap<string, ColumnDistribution>> {
  const measured = columns.filter(({ type, min }) => min !== null && (isNumeric(type) || isTime(type)));
  const found = new Map<string, ColumnDistribution>();
  for (let from = 0; from < measured.length; from += COLUMNS_AT_ONCE) {
    const some = measured.slice(from, from + COLUMNS_AT_ONCE);
    const names = some.map(({ name }) => identifier(name)).join(', ');
    const sample = `SELECT ${names} FROM ${source}${rows > SAMPLE_ROWS ? ` USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS) REPEATABLE (1)` : ''}`;
    const [row] = await engine.texts(`SELECT ${some.flatMap(asked).join(',\n')} FROM (${sample})`);
    for (const [index, { name }] of some.entries()) {
      const quantiles = quantilesIn(row?.[2 * index]);
      const histogram = countsIn(row?.[2 * index + 1]);
      found.set(name, { ...quantiles, ...(histogram && { histogram }), sampled: Math.min(rows, SAMPLE_ROWS) });
    }
  }
  return found;
}

function asked({ name, type, min, max }: Ranged): [string, string] {
  const column = identifier(name);
  const [low, high] = [min, max].map((end) => asDouble(`CAST(${literal(end ?? '')} AS ${type})`, type));
  const share = `(${asDouble(column, type)} - ${low}) / (${high} - ${low})`;
  const bin = `least(${BINS - 1}, floor(${share} * ${BINS}))`;
  return [
    `quantile_disc(${column}, [${POINTS.join(', ')}])`,
    `to_json(histogram(TRY_CAST(${bin} AS TINYINT)) FILTER (isfinite(${share}) AND isfinite(${high} - ${low})))::VARCHAR`,
  ];
}

function quantilesIn(json: string | null | undefined): Pick<ColumnDistribution, 'quantiles'> {
  if (typeof json !== 'string') return {};
  const values = JSON.parse(json) as unknown[];
  return { quantiles: values.map((value, index) => ({ at: POINTS[index] ?? 1, value: String(value) })) };
}

function countsIn(json: string | null | undefined): number[] | undefined {
  if (typeof json !== 'string') return undefined;
  const counts = new Map(Object.entries(JSON.parse(json) as Record<string, number>));
  return counts.size === 0 ? undefined : Array.from({ length: BINS }, (_, bin) => counts.get(String(bin)) ?? 0);
}
