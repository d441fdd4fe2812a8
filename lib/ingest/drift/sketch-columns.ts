// Sketches of columns, by DuckDB. Of a column with many different values only those with small hashes are gathered, so that memory stays
// flat; numbers and times are brought to one form first, so that a column whose type grew still has the same hashes.
import { must } from '../../core/check.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { identifier, listOf } from '../engine/sql.ts';
import { stampText } from '../engine/stamp-text.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { SKETCH_VALUES, type Sketch } from './value-overlap.ts';

export interface SketchRequest {
  readonly parquetPaths: readonly string[];
  readonly columns: readonly Column[];
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

const LAST_HASH = 2n ** 64n - 1n;
/** Hashes that are drawn, about: enough for those that are kept, and to tell within a few percent how many values differ. */
const DRAWN = 8n * BigInt(SKETCH_VALUES);
/** At least so much of a range of whole numbers is there. */
const DENSE_SHARE = 0.3;

const isNumber = (type: string): boolean =>
  /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE)$/.test(type);
const isWhole = (type: string): boolean => /^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/.test(type);

function comparable({ name, type }: Column): string {
  const column = identifier(name);
  if (isNumber(type)) return `CAST(CAST(${column} AS DOUBLE) AS VARCHAR)`;
  if (/^(DATE|TIMESTAMP)/.test(type) && !type.includes('ZONE')) return stampText(column, type);
  return `CAST(${column} AS VARCHAR)`;
}

/** By name. Memory is that of the engine's limit. */
export function sketchColumns(request: SketchRequest): Promise<ReadonlyMap<string, Sketch>> {
  const { parquetPaths, columns } = request;
  const source = `read_parquet(${listOf(parquetPaths)})`;
  return withEngine(request, async (engine) => {
    const [[count] = []] = await engine.texts(`SELECT count(*) FROM ${source}`);
    const rows = BigInt(count ?? 0);
    const sketches = new Map<string, Sketch>();
    for (const column of columns) sketches.set(column.name, await sketchOf(engine, source, column, rows));
    return sketches;
  });
}

/** Drawn among as many values as there are rows; once more where values repeat, so that too few are. */
async function sketchOf(engine: Engine, source: string, column: Column, rows: bigint): Promise<Sketch> {
  const first = await draw(engine, source, column, rows);
  const enough = first.until === LAST_HASH || first.hashes.length === SKETCH_VALUES;
  const { hashes, until, differ } = enough ? first : await draw(engine, source, column, first.differ);
  const dense = await isDense(engine, source, column, Number(differ));
  return { hashes, dense, until: hashes.length < SKETCH_VALUES ? until : must(hashes.at(-1), 'the last hash') };
}

/** The least hashes of the values, about `of` of which are thought to differ, and about how many do. */
async function draw(engine: Engine, source: string, column: Column, of: bigint) {
  const until = of <= DRAWN ? LAST_HASH : (LAST_HASH / of) * DRAWN;
  const drawn = `SELECT DISTINCT hash(${comparable(column)}) AS h FROM ${source}
    WHERE ${identifier(column.name)} IS NOT NULL AND h <= ${until}`;
  const found = await engine.texts(`SELECT h, count(*) OVER () FROM (${drawn}) ORDER BY h LIMIT ${SKETCH_VALUES}`);
  const lots = BigInt(found[0]?.[1] ?? 0);
  const differ = until === LAST_HASH ? lots : (lots * LAST_HASH) / until;
  return { until, differ, hashes: found.map(([hash]) => BigInt(must(hash, 'a hash'))) };
}

/** Whether so many whole numbers fill most of their range. */
async function isDense(engine: Engine, source: string, { name, type }: Column, differ: number): Promise<boolean> {
  const column = identifier(name);
  const whole = type === 'DATE' ? `date_diff('day', DATE '1970-01-01', ${column})` : isWhole(type) ? column : undefined;
  if (whole === undefined) return false;
  const [[span] = []] = await engine.texts(`SELECT max(${whole})::HUGEINT - min(${whole})::HUGEINT + 1 FROM ${source}`);
  return typeof span === 'string' && differ >= DENSE_SHARE * Number(span);
}
