// Rows that a reader makes become one Parquet file. A column with a value that its type does not hold is text, as a whole: the rows are then
// read once more to find all such columns, and a third time to be written.
import { stat } from 'node:fs/promises';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, type EngineSettings, withEngine } from '../engine/engine.ts';
import { CHUNK_ROWS } from '../engine/feed.ts';
import { identifier, literal } from '../engine/sql.ts';
import { describeParquet } from '../parquet/describe.ts';
import type { Column } from '../reading/types.ts';
import { rowGroupRows } from '../typing/row-groups.ts';
import { warn } from '../warnings.ts';
import { type Mode, type Misfit, type Reading, startReading } from './reading.ts';

/** The types that a reader gives its columns, and its rows, each with a value a column. */
export interface Rows {
  readonly types: readonly DuckDBType[];
  readonly rows: Iterable<readonly DuckDBValue[]>;
}

/** A file whose rows can be read from the start any number of times. */
export interface RowFile {
  readonly path: string;
  readonly names: readonly string[];
  /** Columns whose values are JSON text. */
  readonly json?: ReadonlySet<number>;
  /** How many rows there seem to be, to size the row groups; it need not be true. */
  readonly guessedRows: number;
  /** `modes` says of each column whether it is read as its type or as text. */
  open(reading: Reading, modes: readonly Mode[]): Rows;
}

export interface WrittenRows {
  readonly columns: Column[];
  readonly rowCount: number;
  readonly warnings: readonly Warning[];
}

/** Bytes of values that are handed to DuckDB at once. */
const CHUNK_BYTES = 8 * 2 ** 20;

/** Of values in a row group, also where the bytes of the file are few for its rows. */
const GROUP_BYTES = 48 * 2 ** 20;

/** Ends a pass that would write what is not to be written. */
class Contradicted extends Error {}

/** The rows by column, chunk by chunk; `check` may throw after each. */
function chunks({ types, rows }: Rows, reading: Reading, check: () => void) {
  const iterator = rows[Symbol.iterator]();
  return (): DuckDBValue[][] | undefined => {
    const columns = types.map((): DuckDBValue[] => []);
    let [count, bytes] = [0, 0];
    while (count < CHUNK_ROWS && bytes < CHUNK_BYTES) {
      const next = iterator.next();
      if (next.done === true) break;
      for (const [index, column] of columns.entries()) column.push(next.value[index] ?? null);
      bytes += reading.endRow();
      count++;
    }
    check();
    return count === 0 ? undefined : columns;
  };
}

interface Pass {
  readonly file: RowFile;
  readonly bytes: number;
  readonly target: string;
  readonly modes: readonly Mode[];
}

type Ended = { readonly kind: 'written'; readonly rows: number } | { readonly kind: 'contradicted' };

async function write(settings: EngineSettings, engine: Engine, pass: Pass): Promise<Ended> {
  const { file, bytes, target, modes } = pass;
  const reading = startReading(file.names, bytes, settings.limits);
  const rows = file.open(reading, modes);
  let thrown: { readonly reason: unknown } | undefined;
  const next = chunks(rows, reading, () => {
    settings.signal?.throwIfAborted();
    if (reading.misfits.size > 0) throw new Contradicted();
  });
  engine.feed('file_rows', rows.types, () => {
    try {
      return next();
    } catch (reason) {
      thrown = { reason };
      throw reason;
    }
  });
  const columns = file.names.map((name, index) => {
    const column = file.json?.has(index) === true ? `CAST(c${index} AS JSON)` : `c${index}`;
    return `${column} AS ${identifier(name)}`;
  });
  const group = rowGroupRows({ bytes, rows: file.guessedRows, columns: file.names.length });
  const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${group}, ROW_GROUP_SIZE_BYTES ${GROUP_BYTES}`;
  try {
    // The one thread that makes the rows keeps their order; asked to keep it, DuckDB counts no bytes.
    await engine.run('SET preserve_insertion_order = false');
    const copy = `COPY (SELECT ${columns.join(', ')} FROM file_rows()) TO ${literal(target)} (${options})`;
    const { Count } = await engine.row(copy);
    if (Number(Count) === reading.row) return { kind: 'written', rows: reading.row };
    throw new Fault('INTERNAL', `${reading.row} rows were read, ${Number(Count)} were written.`);
  } catch (error) {
    if (thrown === undefined) throw error;
    if (thrown.reason instanceof Contradicted) return { kind: 'contradicted' };
    throw thrown.reason;
  }
}

/** Reads all rows without writing them: which columns hold a value that their type does not. */
async function findMisfits(
  settings: EngineSettings,
  { file, bytes, modes }: Pass,
): Promise<ReadonlyMap<number, Misfit>> {
  const reading = startReading(file.names, bytes, settings.limits);
  const next = chunks(file.open(reading, modes), reading, () => settings.signal?.throwIfAborted());
  for (let more = next(); more !== undefined; more = next()) await new Promise(setImmediate);
  return reading.misfits;
}

const asText = ([index, { row, example, count }]: [number, Misfit], file: RowFile): Warning =>
  warn('TYPE_AS_TEXT', { column: must(file.names[index], 'a name'), row, count, example });

/** Faults: those of the reader, CELL_TOO_LARGE, LINE_TOO_LONG, DECOMPRESSION_LIMIT, TOO_MANY_COLUMNS. */
export async function writeRows(settings: EngineSettings, file: RowFile, target: string): Promise<WrittenRows> {
  const { length } = file.names;
  const limit = settings.limits.maxColumns;
  if (length > limit)
    throw new Fault('TOO_MANY_COLUMNS', `There are ${length} columns; the limit is ${limit}.`, {
      extra: { columns: length, limit },
    });
  const { size: bytes } = await stat(file.path);
  const pass = (modes: readonly Mode[]): Pass => ({ file, bytes, target, modes });
  const typed = file.names.map((): Mode => 'typed');
  const first = await withEngine(settings, (engine) => write(settings, engine, pass(typed)));
  if (first.kind === 'written') return finish(settings, target, first.rows, []);
  const misfits = await findMisfits(settings, pass(typed));
  const modes = typed.map((mode, index) => (misfits.has(index) ? 'text' : mode));
  const second = await withEngine(settings, (engine) => write(settings, engine, pass(modes)));
  if (second.kind === 'contradicted') throw new Fault('INTERNAL', 'A column of text holds a value that is none.');
  return finish(
    settings,
    target,
    second.rows,
    [...misfits].map((misfit) => asText(misfit, file)),
  );
}

async function finish(settings: EngineSettings, target: string, rowCount: number, warnings: Warning[]) {
  const columns = await withEngine(settings, (engine) => describeParquet(engine, target));
  return { columns, rowCount, warnings };
}
