// Columns with few enough different values to count them one by one: all values are grouped, so that what is said of them is exact.
import type { Engine } from '../engine/engine.ts';
import { hasLength, isNumeric } from '../profile/measures.ts';
import { cut, type Overview, overviewCounted, readOverview } from '../profile/overview.ts';
import { hasPatterns, patternsOf, startOf } from '../profile/patterns.ts';
import type { ColumnPatterns, ValueCount } from '../reading/types.ts';
import type { Batch } from './batch.ts';
import type { Looking } from './request.ts';
import { readValues, told, valuesOfCounted } from './values.ts';

/** Different values (by estimate) up to which they are counted, in memory or spilled. */
export const COUNTED_VALUES = 100_000;
/** Different values of a column up to which the shapes of all of them are worked out. */
const SHAPED_VALUES = 10_000;
const TOP_VALUES = 5;

export interface Counted {
  readonly distinct: number;
  /** Equal counts come in the order of the values. */
  readonly topValues: readonly ValueCount[];
  /** Absent where there are too many values for all of their shapes. */
  readonly patterns?: ColumnPatterns;
  /** That tags are decided on. */
  readonly values: readonly string[];
  /** Of a profile. */
  readonly overview: Overview;
}

const nothing: Counted = { distinct: 0, topValues: [], patterns: {}, values: [], overview: readOverview([]) };

/** Of columns whose cells stand below each other. */
export async function countCells(engine: Engine, looking: Looking, { from, columns }: Batch): Promise<Counted[]> {
  const type = columns[0]?.type ?? '';
  const groups = `SELECT place, v AS value, count(*) AS times FROM ${from} WHERE v IS NOT NULL GROUP BY place, v`;
  const found = await counts(engine, looking, type, `SELECT *, ${lengthOf('value', type)} AS length FROM (${groups})`);
  return columns.map((_, place) => found.get(place) ?? nothing);
}

/** Of the column at some place of a batch. `long`: what tells its values from each other is not all of them. */
export async function countColumn(
  engine: Engine,
  looking: Looking,
  { from, columns, values }: Batch,
  { place, long }: { readonly place: number; readonly long: boolean },
): Promise<Counted> {
  const [value, type] = [values[place] ?? '', columns[place]?.type ?? ''];
  const [key, length] = long ? [told(value, type), `, any_value(${lengthOf(value, type)}) AS length`] : [value, ''];
  const groups = `SELECT ${key} AS value, count(*) AS times${length} FROM ${from} WHERE ${value} IS NOT NULL GROUP BY 1`;
  const known = `SELECT 0 AS place, *${long ? '' : `, ${lengthOf('value', type)} AS length`} FROM (${groups})`;
  return (await counts(engine, looking, type, known)).get(0) ?? nothing;
}

const lengthOf = (value: string, type: string): string => (hasLength(type) ? `length(${value})` : 'NULL');

/** By place. Shapes are worked out once for each different value. */
async function counts(
  engine: Engine,
  looking: Looking,
  type: string,
  counted: string,
): Promise<ReadonlyMap<number, Counted>> {
  const { request, seed, values: wanted } = looking;
  const [profile, values] = [request.wanted.has('profile'), request.wanted.has('values')];
  const few = `FILTER (many <= ${SHAPED_VALUES})`;
  const asked = [
    'count(*)',
    profile ? `min({n: -times, v: value}, ${TOP_VALUES})` : 'NULL',
    values ? valuesOfCounted('value', type, 'many', { seed, wanted }) : 'NULL',
    ...(profile && hasPatterns({ type })
      ? [`to_json(list(${startOf('value')}) ${few})::VARCHAR`, `to_json(list(times) ${few})::VARCHAR`]
      : ['NULL', 'NULL']),
    ...(profile ? overviewCounted(type) : []),
  ];
  const mean = isNumeric(type) ? 'sum(value::DOUBLE * times) / sum(times)' : 'NULL';
  const rows = await engine.values(`WITH counted AS MATERIALIZED (${counted}),
    totals AS (SELECT place, count(*) AS many, sum(times) AS present, ${mean} AS mean FROM counted GROUP BY place)
    SELECT place, ${asked.join(', ')} FROM counted JOIN totals USING (place) GROUP BY place`);
  return new Map(rows.map(([place, ...row]) => [Number(place), readCounts(row)]));
}

/** A value with how often it is there, below zero. */
interface Count {
  readonly n: number;
  readonly v: unknown;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function readCounts(row: readonly unknown[]): Counted {
  const [distinct, most, ...others] = row as [number, Count[] | null, ...(string | null)[]];
  const [looked, texts, times, ...overview] = others;
  const counts = JSON.parse(times ?? '[]') as number[];
  return {
    distinct,
    topValues: (most ?? []).map(({ n, v }) => ({ value: cut(textOf(v)) ?? '', count: -n })),
    ...(typeof texts === 'string' && {
      patterns: patternsOf({ texts: JSON.parse(texts) as string[], times: (place) => counts[place] ?? 0 }),
    }),
    values: readValues(looked),
    overview: readOverview(overview.map((value) => (value === null ? null : textOf(value)))),
  };
}
