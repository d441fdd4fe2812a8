// A look at a table of many rows: one scan of its columns, some at a time; then those whose values can be counted are read once more each.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { distributionsOf, isDistributed } from '../profile/distribution.ts';
import type { Overview } from '../profile/overview.ts';
import { hasPatterns, samplePatterns } from '../profile/patterns.ts';
import { profileOf } from '../profile/profile.ts';
import type { Column } from '../reading/types.ts';
import { type Batch, besideEachOther } from './batch.ts';
import { COUNTED_VALUES, countEach } from './counts.ts';
import { type ColumnLooked, type DrawnRow, type Looking, ROW_COLUMNS, SAMPLE_ROWS } from './request.ts';
import { columnsWhere, readDrawn, scan, takeRows, takeSample } from './scan.ts';
import { someColumns, type Source } from './source.ts';

/** Planning takes longer than linearly with the columns, and what is drawn of each takes memory. */
const COLUMNS_AT_ONCE = 16;

export interface TableFound {
  readonly columns: readonly ColumnLooked[];
  readonly rows: readonly DrawnRow[];
}

export async function lookAtLarge(looking: Looking, source: Source): Promise<TableFound> {
  const rows: DrawnRow[][] = [];
  let done = 0;
  const columns = await someColumns(looking.engine, source, looking.request.columns, async (from, there) => {
    const found: ColumnLooked[] = [];
    for (let at = 0; at < there.length; at += COLUMNS_AT_ONCE) {
      const some = there.slice(at, at + COLUMNS_AT_ONCE);
      const whole = looking.request.wanted.has('rows') && done < ROW_COLUMNS;
      const looked = await lookAtSome(looking, besideEachOther(from, some), whole);
      found.push(...looked.columns);
      if (whole) rows.push(looked.rows.map((row) => row.slice(0, ROW_COLUMNS - done)));
      done += some.length;
    }
    return found;
  });
  const [first = [], ...others] = rows;
  return { columns, rows: first.map((row, at) => [row, ...others.map((each) => each[at] ?? [])].flat()) };
}

/** Half of them at a time where a row of all is too wide for the memory of the engine. */
async function lookAtSome(looking: Looking, batch: Batch, whole: boolean): Promise<TableFound> {
  try {
    return await lookAtBatch(looking, batch, whole);
  } catch (thrown) {
    const half = Math.ceil(batch.columns.length / 2);
    if (batch.columns.length < 2 || !(thrown instanceof Fault) || thrown.code !== 'INGEST_MEMORY') throw thrown;
    const one = await lookAtSome(
      looking,
      columnsWhere(batch, (place) => place < half),
      whole,
    );
    const other = await lookAtSome(
      looking,
      columnsWhere(batch, (place) => place >= half),
      whole,
    );
    const rows = one.rows.map((row, at) => [...row, ...(other.rows[at] ?? [])]);
    return { columns: [...one.columns, ...other.columns], rows };
  }
}

async function lookAtBatch(looking: Looking, batch: Batch, whole: boolean): Promise<TableFound> {
  const { wanted, rowCount: rows } = looking.request;
  const { overviews, drawn: drawnRows } = await scan(looking, batch, whole);
  const drawn = await readDrawn(looking, batch, drawnRows);
  const few = columnsWhere(batch, (place) => (drawn[place]?.differ ?? 0) <= COUNTED_VALUES);
  const counts = wanted.has('profile') || wanted.has('values') ? await countEach(looking, few) : [];
  const counted = new Map(few.columns.map((column, place) => [column, counts[place]]));
  const fromSample = wanted.has('profile') ? await sampleOf(looking, drawnRows, overviews, counted) : undefined;
  const columns = batch.columns.map((column, place) => {
    const { differ, values, texts } = must(drawn[place], 'what was drawn');
    const exact = counted.get(column);
    const found = { values: exact?.values ?? values, texts };
    if (fromSample === undefined) return found;
    const overview = must(overviews[place], 'an overview');
    return { ...found, profile: profileOf(column, { rows, overview, differ: exact ?? differ, ...fromSample(column) }) };
  });
  return { columns, rows: whole ? await takeRows(looking, drawnRows) : [] };
}

/** Of each column its distribution, and its shapes where its values are not counted. */
async function sampleOf(
  looking: Looking,
  drawn: Batch,
  overviews: readonly Overview[],
  counted: ReadonlyMap<Column, unknown>,
) {
  const sample = await takeSample(looking, drawn);
  const { engine } = looking;
  const isNumber = (place: number): boolean => isDistributed(drawn.columns[place]?.type ?? '');
  const numbers = columnsWhere(sample, isNumber);
  const seen = overviews.filter((_, place) => isNumber(place));
  const distributions = await distributionsOf(engine, numbers, seen, SAMPLE_ROWS);
  const many = columnsWhere(sample, (place) => {
    const column = must(drawn.columns[place], 'a column');
    return hasPatterns(column) && !counted.has(column);
  });
  const patterns = await samplePatterns(engine, many, SAMPLE_ROWS);
  const distributed = new Map(numbers.columns.map((column, place) => [column, distributions[place]]));
  const shaped = new Map(many.columns.map((column, place) => [column, patterns[place]]));
  return (column: Column) => ({ distribution: distributed.get(column), patterns: shaped.get(column) });
}
