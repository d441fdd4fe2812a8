// The values that the tags of a table are decided on: for each column a sample of its different values, the same whatever the order of the rows,
// so that a column that is nearly empty, or has one value a million times, is seen as well as any other.
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { someColumns } from '../engine/wide.ts';
import type { Column } from '../reading/types.ts';

/** Different values of a column that are looked at, about; of wide tables fewer. */
const VALUES = 1000;
const VALUES_OF_TABLE = 200_000;
const FEWEST_VALUES = 50;
/** Characters of a value that are looked at. */
const LOOKED_AT = 1000;
/** Each list of different values takes megabytes of a thread, however few there are. */
const COLUMNS_AT_ONCE = 16;

export interface ValuesOf extends Column {
  /** Different values as text, in the order of their hashes under the seed. */
  readonly values: readonly string[];
}

const isNested = (type: string): boolean => /^(STRUCT|MAP|UNION|JSON|VARIANT)|\]$/.test(type);
const isLooked = (type: string): boolean => !/^(BOOLEAN|BLOB|BIT|GEOMETRY|INTERVAL)/.test(type);

interface Sampling {
  /** What stands after FROM. */
  readonly source: string;
  readonly columns: readonly Column[];
  /** Decides which values are looked at. */
  readonly seed: string;
  /** By name of column, about how many different values it has, where that is known. */
  readonly distinct?: ReadonlyMap<string, number> | undefined;
}

/** Two scans: how many different values there are, unless that is known, then those whose hash says so. */
export async function sampleValues(engine: Engine, sampling: Sampling): Promise<ValuesOf[]> {
  const { source, columns, seed } = sampling;
  const looked = columns.filter(({ type }) => isLooked(type));
  const wanted = Math.max(FEWEST_VALUES, Math.min(VALUES, Math.floor(VALUES_OF_TABLE / Math.max(1, looked.length))));
  const found = new Map<string, readonly string[]>();
  await someColumns(engine, source, looked, async (rows, there) => {
    for (let from = 0; from < there.length; from += COLUMNS_AT_ONCE) {
      const some = there.slice(from, from + COLUMNS_AT_ONCE);
      const counts = await countDistinct(engine, { ...sampling, source: rows }, some);
      const lists = some.map((each, at) => sampled(each, Math.ceil((counts[at] ?? 0) / wanted), seed));
      const values = await rowOf(engine, `SELECT ${lists.join(',\n')} FROM ${rows}`);
      for (const [at, { name }] of some.entries()) found.set(name, trimmed(values[at]));
    }
    return [];
  });
  return columns.map((column) => ({ ...column, values: found.get(column.name) ?? [] }));
}

async function countDistinct(
  engine: Engine,
  { source, distinct }: Sampling,
  columns: readonly Column[],
): Promise<number[]> {
  const known = columns.flatMap(({ name }) => distinct?.get(name) ?? []);
  if (known.length === columns.length) return known;
  const asked = columns.map(({ name }) => `approx_count_distinct(${identifier(name)})`);
  return (await rowOf(engine, `SELECT ${asked.join(',\n')} FROM ${source}`)).map(Number);
}

async function rowOf(engine: Engine, sql: string): Promise<(string | null)[]> {
  const [row] = await engine.texts(sql);
  return must(row, 'a row');
}

/** One different value in `every`, as a JSON list in the order of the hashes. Only what is sampled becomes text: that is what takes time. */
function sampled({ name, type }: Column, every: number, seed: string): string {
  const column = identifier(name);
  const value =
    type === 'VARCHAR'
      ? `CASE WHEN strlen(${column}) > ${LOOKED_AT} THEN left(${column}, ${LOOKED_AT}) ELSE ${column} END`
      : column;
  const hash = (of: string): string => `hash(${of}, ${literal(seed)})`;
  const some = every > 1 ? `${column} IS NOT NULL AND ${hash(column)} % ${every} = 0` : `${column} IS NOT NULL`;
  const text = isNested(type) ? 'CAST(to_json(x) AS VARCHAR)' : 'CAST(x AS VARCHAR)';
  const list = `coalesce(list(DISTINCT ${value}) FILTER (${some}), [])`;
  const ordered = `list_sort(list_transform(${list}, lambda x: {h: ${hash('x')}, x: left(${text}, ${LOOKED_AT})}))`;
  // `y.x` would be a field of a column `y`, where the table has one.
  return `CAST(to_json(list_transform(${ordered}, lambda y: struct_extract(y, 'x'))) AS VARCHAR)`;
}

/** Blank ones are no values. */
const trimmed = (json: string | null | undefined): string[] => {
  const values = JSON.parse(json ?? '[]') as string[];
  return [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
};
