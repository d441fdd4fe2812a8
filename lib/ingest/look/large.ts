// A look at a table of many rows, some columns at a time: rows are drawn of all of them, then each column is looked at by itself.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { distributionsOf, isDistributed } from '../profile/distribution.ts';
import { hasPatterns, samplePatterns } from '../profile/patterns.ts';
import { profileOf } from '../profile/profile.ts';
import type { Column } from '../reading/types.ts';
import { type Batch, besideEachOther, columnsWhere } from './batch.ts';
import { drawnTexts, type DrawnRows, drawRows, inTable, wholeRows } from './drawn-rows.ts';
import { evenShares, inLanes } from './lanes.ts';
import { type ColumnLooked, type DrawnRow, type Looking, ROW_COLUMNS, SAMPLE_ROWS, widthIn } from './request.ts';
import { type Scanned, scanColumn } from './scan.ts';
import { someColumns, type Source } from './source.ts';

/** Planning takes longer than linearly with the columns, and what is drawn of each takes memory. */
const COLUMNS_AT_ONCE = 16;
/** Bytes of a row in the mean: of each column that is read at once, thousands of values are in memory. */
const WIDTH_AT_ONCE = 4096;

export interface TableFound {
  readonly columns: readonly ColumnLooked[];
  readonly rows: readonly DrawnRow[];
}

export async function lookAtLarge(looking: Looking, source: Source): Promise<TableFound> {
  const rows: DrawnRow[][] = [];
  let done = 0;
  const columns = await someColumns(looking.engines[0], source, looking.request.columns, async (from, there) => {
    const found: ColumnLooked[] = [];
    for (const some of atOnce(looking, there)) {
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

/** The columns, in their order, as many together as are looked at at once. */
function atOnce({ bytes, request }: Looking, columns: readonly Column[]): Column[][] {
  const groups: Column[][] = [];
  let width = Infinity;
  for (const column of columns) {
    const own = widthIn(bytes, request.rowCount, column);
    const last = groups.at(-1);
    if (last === undefined || last.length === COLUMNS_AT_ONCE || width + own > WIDTH_AT_ONCE) {
      groups.push([column]);
      width = own;
    } else {
      last.push(column);
      width += own;
    }
  }
  return groups;
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

/** Some of the columns, and the rows that are drawn of them. */
interface Part {
  readonly batch: Batch;
  readonly drawn: DrawnRows;
}

async function lookAtBatch(looking: Looking, batch: Batch, whole: boolean): Promise<TableFound> {
  const { engines } = looking;
  const weightOf = ({ name }: Column): number => looking.bytes.get(name) ?? 0;
  const shares = evenShares(batch.columns.map(weightOf), engines.length).map((places) =>
    columnsWhere(batch, (place) => places.has(place)),
  );
  const parts = await inLanes(engines, shares, async (engine, some, share): Promise<Part> => {
    return { batch: some, drawn: await drawRows(engine, looking, some, { name: String(share), whole }) };
  });
  // The longest first, so that nobody begins one when the others have ended.
  const each = parts
    .flatMap((part) => part.batch.columns.map((column, place) => ({ part, place, column })))
    .toSorted((one, other) => weightOf(other.column) - weightOf(one.column));
  const scans = await inLanes(engines, each, (engine, { part, place }) =>
    scanColumn(engine, looking, part.batch, { place, sample: part.drawn.sample }),
  );
  const scanned = new Map(each.map(({ column }, at) => [column, must(scans[at], 'a scan')]));
  const looked = await inLanes(engines, parts, (engine, part) => lookAtPart(engine, looking, part, scanned, whole));
  const found = new Map(looked.flatMap(({ columns }) => [...columns]));
  const cells = new Map(looked.flatMap(({ cells: some }) => [...some]));
  const rows = Math.max(0, ...looked.map(({ rows: some }) => some));
  return {
    columns: batch.columns.map((column) => must(found.get(column), 'what was found')),
    rows: Array.from({ length: rows }, (_, row) => batch.columns.map((column) => cells.get(column)?.[row] ?? null)),
  };
}

/** What is asked of the rows that are drawn, and of all that is known of each column. */
async function lookAtPart(
  engine: Engine,
  looking: Looking,
  { batch, drawn }: Part,
  scanned: ReadonlyMap<Column, Scanned>,
  whole: boolean,
) {
  const { wanted, rowCount: rows } = looking.request;
  const texts = await drawnTexts(engine, looking, batch, drawn.table);
  const found = batch.columns.map((column) => must(scanned.get(column), 'a scan'));
  const fromSample = wanted.has('profile') ? await sampleOf(engine, inTable(batch, drawn.sample), found) : undefined;
  const lines = whole ? await wholeRows(engine, looking, batch, drawn.table) : [];
  const columns = batch.columns.map((column, place): [Column, ColumnLooked] => {
    const { values, overview, differ } = must(found[place], 'a scan');
    const looked = { values, texts: texts[place] ?? [] };
    if (fromSample === undefined) return [column, looked];
    return [column, { ...looked, profile: profileOf(column, { rows, overview, differ, ...fromSample(column) }) }];
  });
  const cells = batch.columns.map((column, place) => [column, lines.map((line) => line[place] ?? null)] as const);
  return { columns, cells, rows: lines.length };
}

/** Of each column its distribution, and its shapes where it has too many values for all of theirs. */
async function sampleOf(engine: Engine, sample: Batch, scanned: readonly Scanned[]) {
  const isNumber = (place: number): boolean => isDistributed(sample.columns[place]?.type ?? '');
  const numbers = columnsWhere(sample, isNumber);
  const seen = scanned.filter((_, place) => isNumber(place)).map(({ overview }) => overview);
  const distributions = await distributionsOf(engine, numbers, seen, SAMPLE_ROWS);
  const many = columnsWhere(sample, (place) => {
    const differ = scanned[place]?.differ;
    const shaped = typeof differ === 'object' && differ.patterns !== undefined;
    return hasPatterns(must(sample.columns[place], 'a column')) && !shaped;
  });
  const patterns = await samplePatterns(engine, many, SAMPLE_ROWS);
  const distributed = new Map(numbers.columns.map((column, place) => [column, distributions[place]]));
  const shaped = new Map(many.columns.map((column, place) => [column, patterns[place]]));
  return (column: Column) => ({ distribution: distributed.get(column), patterns: shaped.get(column) });
}
