// How the values of numeric and time columns lie between the least and the greatest: quantiles and a histogram, of a sample of rows that
// small tables are whole.
import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import { askEach, type Batch, type Question } from '../look/batch.ts';
import type { ColumnDistribution } from '../reading/types.ts';
import { isNumeric } from './measures.ts';
import type { Overview } from './overview.ts';

const POINTS = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const BINS = 20;

const isTime = (type: string): boolean => /^(DATE|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?)$/.test(type);
/** Whether values have an order that can be divided. */
export const isDistributed = (type: string): boolean => isNumeric(type) || isTime(type);

/** A number on which values have the same order: numbers as they are, days, times in microseconds; Parquet knows times without end. */
function asDouble(value: string, type: string): string {
  if (isNumeric(type)) return `${value}::DOUBLE`;
  // Days reach further than timestamps do, and points in time further than the calendar of a zone.
  const timed = type === 'TIMESTAMP WITH TIME ZONE' ? value : `${value}::TIMESTAMP`;
  const since = type === 'DATE' ? `(${value} - DATE '1970-01-01')` : `epoch_us(${timed})`;
  return `CASE WHEN isfinite(${value}) THEN ${since}::DOUBLE END`;
}

/** A value as queries answer it, as DuckDB reads it: years of more than four digits without their sign. */
const readable = (shown: string, type: string): string => (isTime(type) ? shown.replace(/^\+/, '') : shown);

/** Of a batch whose columns are all distributed; nothing of columns without a value. `rows`: how many the batch has. */
export async function distributionsOf(
  engine: Engine,
  batch: Batch,
  seen: readonly Overview[],
  rows: number,
): Promise<ColumnDistribution[]> {
  const answers = await askEach(engine, batch, distributionAsked(seen));
  return answers.map(([quantiles, histogram], place) => {
    if (seen[place]?.min === null) return {};
    const counts = countsIn(histogram);
    return { ...quantilesIn(quantiles), ...(counts && { histogram: counts }), sampled: rows };
  });
}

const distributionAsked =
  (seen: readonly Overview[]): Question =>
  ({ value, type, own }) => {
    const end = (of: 'min' | 'max'): string =>
      own((_, place) => {
        const known = seen[place]?.[of] ?? null;
        return known === null ? 'NULL::DOUBLE' : asDouble(`CAST(${literal(readable(known, type))} AS ${type})`, type);
      });
    const [low, high] = [end('min'), end('max')];
    const share = `(${asDouble(value, type)} - ${low}) / (${high} - ${low})`;
    const bin = `least(${BINS - 1}, floor(${share} * ${BINS}))`;
    return [
      `quantile_disc(${value}, [${POINTS.join(', ')}])`,
      `to_json(histogram(TRY_CAST(${bin} AS TINYINT)) FILTER (isfinite(${share}) AND isfinite(${high} - ${low})))::VARCHAR`,
    ];
  };

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
