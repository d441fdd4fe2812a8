// One scan over all columns of a table: how many values each has, about how many differ, the least and the greatest, and their measures.
import { must } from '../../core/check.ts';
import { type Engine, type EngineSettings, withEngine } from '../engine/engine.ts';
import { identifier, listOf } from '../engine/sql.ts';
import type { Column, ColumnMeasures } from '../reading/types.ts';
import { MEASURES, measuresAsked, readMeasures } from './measures.ts';

const VALUE_CHARACTERS = 256;
const COLUMNS_AT_ONCE = 64;

/** What one scan of all columns says of one. */
export interface Overview {
  readonly present: number;
  readonly distinctEstimate: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly measures: ColumnMeasures;
}

/** Nested values and JSON have no order that would mean something to a reader. */
const isOrdered = (type: string): boolean => !/^(STRUCT|MAP|UNION|JSON|VARIANT|INTERVAL|BLOB|GEOMETRY)|\]$/.test(type);

export const cut = (text: string | null): string | null =>
  text === null || text.length <= VALUE_CHARACTERS
    ? text
    : `${text.slice(0, VALUE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

const OVERVIEW = 4 + MEASURES;

/** In the order of the columns. */
export async function overviews(engine: Engine, source: string, columns: readonly Column[]): Promise<Overview[]> {
  const found: Overview[] = [];
  for (let from = 0; from < columns.length; from += COLUMNS_AT_ONCE) {
    const some = columns.slice(from, from + COLUMNS_AT_ONCE);
    const asked = some.map((one) => {
      const column = identifier(one.name);
      const range = isOrdered(one.type) ? `min(${column}), max(${column})` : 'NULL::VARCHAR, NULL::VARCHAR';
      return [`count(${column})`, `approx_count_distinct(${column})`, range, ...measuresAsked(one)].join(', ');
    });
    const [row] = await engine.texts(`SELECT ${asked.join(',\n')} FROM ${source}`);
    const answers = must(row, 'a row');
    found.push(...some.map((_, index) => readOverview(answers.slice(OVERVIEW * index, OVERVIEW * (index + 1)))));
  }
  return found;
}

const readOverview = ([present, distinct, min, max, ...more]: (string | null)[]): Overview => ({
  present: Number(present),
  distinctEstimate: Number(distinct),
  min: cut(min ?? null),
  max: cut(max ?? null),
  measures: readMeasures(more),
});

interface Overlooked extends EngineSettings {
  /** Of one schema. */
  readonly parquetPaths: readonly string[];
  readonly columns: readonly Column[];
}

/** Of a table that lies in Parquet files. */
export const overviewTable = ({ parquetPaths, columns, ...settings }: Overlooked): Promise<Overview[]> =>
  withEngine(settings, (engine) => overviews(engine, `read_parquet(${listOf(parquetPaths)})`, columns));
