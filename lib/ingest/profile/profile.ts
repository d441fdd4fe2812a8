// The profile of a column, out of what a look at its table found.
import type { Column, ColumnDistribution, ColumnPatterns, ColumnProfile, ValueCount } from '../reading/types.ts';
import type { Overview } from './overview.ts';

interface Found {
  readonly rows: number;
  readonly overview: Overview;
  /** Of a column whose values were counted; else an estimate of how many differ. */
  readonly differ:
    | number
    | { readonly distinct: number; readonly topValues: readonly ValueCount[]; readonly patterns?: ColumnPatterns };
  readonly distribution?: ColumnDistribution | undefined;
  /** From a sample. */
  readonly patterns?: ColumnPatterns | undefined;
}

export function profileOf(
  { name, type }: Column,
  { rows, overview, differ, distribution, patterns }: Found,
): ColumnProfile {
  const { present, min, max, measures } = overview;
  const nulls = rows - present;
  const counted = typeof differ !== 'number';
  return {
    name,
    type,
    nulls,
    nullFraction: rows === 0 ? 0 : nulls / rows,
    distinct: counted ? differ.distinct : Math.min(differ, present),
    distinctIs: counted ? 'exact' : 'approximate',
    min,
    max,
    topValues: counted ? differ.topValues : [],
    ...measures,
    ...(counted && differ.patterns),
    ...distribution,
    ...patterns,
  };
}
