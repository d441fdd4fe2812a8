// What a column's values look like: one scan for all columns (nulls, distinct estimate, range, measures), one over a sample for quantiles
// and histograms (and shapes of texts), then one for each column with few enough different values to count them exactly.
import { must } from '../../core/check.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { identifier, listOf } from '../engine/sql.ts';
import { someColumns } from '../engine/wide.ts';
import type { Column, ColumnPatterns, ColumnProfile, ProfileRequest, ValueCount } from '../reading/types.ts';
import { distributionsOf } from './distribution.ts';
import { cut, type Overview, overviews } from './overview.ts';
import { hasPatterns, patternsIn, samplePatterns, topShapes } from './patterns.ts';

const TOP_VALUES = 5;
/** Different values (by estimate) up to which they are counted one by one, in memory or spilled. */
const COUNTED_VALUES = 100_000;

interface Counted {
  readonly distinct: number;
  readonly topValues: ValueCount[];
  readonly patterns: ColumnPatterns;
}

/** Exact: all values are grouped; equal counts come in the order of the values. Shapes are worked out once for each different value. */
async function countValues(engine: Engine, source: string, { name, type }: Column, present: number): Promise<Counted> {
  const column = identifier(name);
  const shapes = hasPatterns({ type }) ? `(${topShapes('counted')})` : 'NULL';
  const rows = await engine.texts(`WITH counted AS MATERIALIZED
    (SELECT ${column} AS value, count(*) AS times FROM ${source} WHERE ${column} IS NOT NULL GROUP BY ${column})
    SELECT value, times, count(*) OVER () AS distinct_values, ${shapes} AS shapes FROM counted
    ORDER BY times DESC, value LIMIT ${TOP_VALUES}`);
  const topValues = rows.map(([value, times]) => ({ value: cut(value ?? '') ?? '', count: Number(times) }));
  const [, , distinct, counts] = rows[0] ?? [];
  return { distinct: Number(distinct ?? 0), topValues, patterns: patternsIn(counts, present) };
}

async function profileColumn(
  engine: Engine,
  source: string,
  column: Column,
  rows: number,
  seen: Overview,
): Promise<ColumnProfile> {
  const isCounted = seen.distinctEstimate <= COUNTED_VALUES;
  const counted = isCounted ? await countValues(engine, source, column, seen.present) : undefined;
  const nulls = rows - seen.present;
  return {
    ...column,
    nulls,
    nullFraction: rows === 0 ? 0 : nulls / rows,
    distinct: counted?.distinct ?? Math.min(seen.distinctEstimate, seen.present),
    distinctIs: counted === undefined ? 'approximate' : 'exact',
    min: seen.min,
    max: seen.max,
    topValues: counted?.topValues ?? [],
    ...seen.measures,
    ...counted?.patterns,
  };
}

/**
 * Profiles the columns of a table that lies in one or more Parquet files of the same schema, in the order given. `known`: the overviews of the
 * columns, where they have been made.
 */
export async function profileTable(
  request: ProfileRequest & { readonly known?: readonly Overview[] | undefined },
): Promise<ColumnProfile[]> {
  const { parquetPaths, columns, rowCount, workDir, limits, signal, known } = request;
  const source = `read_parquet(${listOf(parquetPaths)})`;
  const seen = new Map(columns.map(({ name }, index) => [name, known?.[index]] as const));
  return withEngine({ workDir, limits, signal }, (engine) =>
    someColumns(engine, source, columns, async (from, some) => {
      const own = some.flatMap(({ name }) => seen.get(name) ?? []);
      return profileColumns(engine, from, some, { rowCount, seen: own.length === some.length ? own : undefined });
    }),
  );
}

async function profileColumns(
  engine: Engine,
  source: string,
  columns: readonly Column[],
  { rowCount, seen }: { readonly rowCount: number; readonly seen: readonly Overview[] | undefined },
): Promise<ColumnProfile[]> {
  const known = seen ?? (await overviews(engine, source, columns));
  const profiles: ColumnProfile[] = [];
  for (const [index, column] of columns.entries())
    profiles.push(await profileColumn(engine, source, column, rowCount, must(known[index], 'an overview')));
  const distributions = await distributionsOf(engine, source, profiles, rowCount);
  const many = profiles.filter((profile) => profile.distinctIs === 'approximate' && hasPatterns(profile));
  const patterns = await samplePatterns(engine, source, many);
  return profiles.map((profile) => ({
    ...profile,
    ...distributions.get(profile.name),
    ...patterns.get(profile.name),
  }));
}
