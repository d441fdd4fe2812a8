// Columns with few enough different values to count them one by one: all values are grouped, so that what is said of them is exact.
import { cut } from '../profile/overview.ts';
import { hasPatterns, patternsOf, startOf } from '../profile/patterns.ts';
import type { ColumnPatterns, ValueCount } from '../reading/types.ts';
import type { Batch } from './batch.ts';
import type { Looking } from './request.ts';
import { told, trimmed, valuesOfCounted } from './values.ts';

/** Different values (by estimate) up to which they are counted, in memory or spilled. */
export const COUNTED_VALUES = 100_000;
const TOP_VALUES = 5;

export interface Counted {
  readonly distinct: number;
  /** Equal counts come in the order of the values. */
  readonly topValues: readonly ValueCount[];
  readonly patterns: ColumnPatterns;
  /** That tags are decided on. */
  readonly values: readonly string[];
}

const nothing: Counted = { distinct: 0, topValues: [], patterns: {}, values: [] };

/** The columns of a batch, one by one where they stand beside each other: each takes memory. */
export async function countEach(looking: Looking, { form, from, columns, values }: Batch): Promise<Counted[]> {
  const type = columns[0]?.type ?? '';
  if (form === 'cells') {
    const counted = `SELECT place, v AS value, count(*) AS times FROM ${from} WHERE v IS NOT NULL GROUP BY place, v`;
    const found = await counts(looking, type, counted);
    return columns.map((_, place) => found.get(place) ?? nothing);
  }
  const found: Counted[] = [];
  for (const [place, column] of columns.entries()) {
    const value = values[place] ?? '';
    const counted = `SELECT 0 AS place, ${told(value, column.type)} AS value, count(*) AS times FROM ${from} WHERE ${value} IS NOT NULL GROUP BY 2`;
    found.push((await counts(looking, column.type, counted)).get(0) ?? nothing);
  }
  return found;
}

/** By place. Shapes are worked out once for each different value. */
async function counts(looking: Looking, type: string, counted: string): Promise<ReadonlyMap<number, Counted>> {
  const { engine, request, seed, values: wanted } = looking;
  const [profile, values] = [request.wanted.has('profile'), request.wanted.has('values')];
  const asked = [
    'count(*)',
    profile ? `min({n: -times, v: value}, ${TOP_VALUES})` : 'NULL',
    values ? valuesOfCounted('value', type, { seed, wanted }) : 'NULL',
    ...(profile && hasPatterns({ type })
      ? [`to_json(list(${startOf('value')}))::VARCHAR`, 'to_json(list(times))::VARCHAR']
      : ['NULL', 'NULL']),
  ];
  const rows = await engine.values(`SELECT place, ${asked.join(', ')} FROM (${counted}) GROUP BY place`);
  return new Map(rows.map(([place, ...row]) => [Number(place), readCounts(row)]));
}

/** A value with how often it is there, below zero. */
interface Count {
  readonly n: number;
  readonly v: unknown;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function readCounts(row: readonly unknown[]): Counted {
  const [distinct, most, ...lists] = row as [number, Count[] | null, ...(string | null)[]];
  const [looked, texts, times] = lists;
  const counts = JSON.parse(times ?? '[]') as number[];
  return {
    distinct,
    topValues: (most ?? []).map(({ n, v }) => ({ value: cut(textOf(v)) ?? '', count: -n })),
    patterns: patternsOf({ texts: JSON.parse(texts ?? '[]') as string[], times: (place) => counts[place] ?? 0 }),
    values: trimmed(looked),
  };
}
