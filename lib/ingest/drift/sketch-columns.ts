// Sketches of columns, by DuckDB. Of a column with many different values only those with small hashes are gathered, so that memory stays
// flat; numbers and times are brought to one form first, so that a column whose type grew still has the same hashes.
import { must } from '../../core/check.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { identifier, listOf } from '../engine/sql.ts';
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
/** Hashes gathered for each that is kept, since how many different values there are is an estimate. */
const SPARE = 8n;
/** At least so much of a range of whole numbers is there. */
const DENSE_SHARE = 0.3;

const isNumber = (type: string): boolean =>
  /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL.*|FLOAT|DOUBLE)$/.test(type);
const isWhole = (type: string): boolean => /^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/.test(type);

function comparable({ name, type }: Column): string {
  const column = identifier(name);
  if (isNumber(type)) return `CAST(CAST(${column} AS DOUBLE) AS VARCHAR)`;
  if (/^(DATE|TIMESTAMP)/.test(type) && !type.includes('ZONE')) return `CAST(CAST(${column} AS TIMESTAMP) AS VARCHAR)`;
  return `CAST(${column} AS VARCHAR)`;
}

/** By name. Memory is that of the engine's limit. */
export function sketchColumns(request: SketchRequest): Promise<ReadonlyMap<string, Sketch>> {
  const { parquetPaths, columns } = request;
  const source = `read_parquet(${listOf(parquetPaths)})`;
  return withEngine(request, async (engine) => {
    const sketches = new Map<string, Sketch>();
    for (const column of columns) sketches.set(column.name, await sketchOf(engine, source, column));
    return sketches;
  });
}

async function sketchOf(engine: Engine, source: string, column: Column): Promise<Sketch> {
  const { estimate, dense } = await measure(engine, source, column);
  const until = thresholdFor(estimate);
  const found = await engine.texts(
    `SELECT DISTINCT hash(${comparable(column)}) AS h FROM ${source}
     WHERE ${identifier(column.name)} IS NOT NULL AND h <= ${until} ORDER BY h LIMIT ${SKETCH_VALUES}`,
  );
  const hashes = found.map(([hash]) => BigInt(must(hash, 'a hash')));
  return { hashes, dense, until: hashes.length < SKETCH_VALUES ? until : must(hashes.at(-1), 'the last hash') };
}

function thresholdFor(estimate: bigint): bigint {
  const wanted = SPARE * BigInt(SKETCH_VALUES);
  return estimate <= wanted ? LAST_HASH : (LAST_HASH / estimate) * wanted;
}

async function measure(engine: Engine, source: string, { name, type }: Column) {
  const column = identifier(name);
  const whole = type === 'DATE' ? `date_diff('day', DATE '1970-01-01', ${column})` : isWhole(type) ? column : undefined;
  const range = whole === undefined ? 'NULL' : `max(${whole})::HUGEINT - min(${whole})::HUGEINT + 1`;
  const [row] = await engine.texts(`SELECT approx_count_distinct(${column}), ${range} FROM ${source}`);
  const [estimate, span] = must(row, 'a row');
  const count = BigInt(estimate ?? 0);
  return { estimate: count, dense: span !== null && span !== undefined && Number(count) >= DENSE_SHARE * Number(span) };
}
