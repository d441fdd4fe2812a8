// The rows of one SELECT in a file, in any format: what an answer in a format is made of, and what a large result is uploaded from.
import { open } from 'node:fs/promises';
import type { DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { arrowStream } from './arrow.ts';
import { named, type TextFormat, textFormats } from './formats.ts';
import { writeParquet } from './parquet.ts';
import { type Cell, rowsOf } from './rows.ts';
import { type Statement, withStatement } from './statement.ts';
import { boundColumns, columnsOf } from './type-names.ts';
import type { QueryFile, QueryRequest, QueryWorld, ResultOrder } from './types.ts';

/** Writes the rows to `request.into.path`. Throws SQL_*, QUERY_*, RESULT_TOO_LARGE or CANCELLED faults; the file is then worth nothing. */
export async function writeResult(request: QueryRequest, world: QueryWorld): Promise<QueryFile> {
  const started = world.clock.monotonic();
  const into = must(request.into, 'where the result goes');
  const written = await withStatement({ ...request, params: request.params ?? {} }, world, async (statement) => {
    if (into.format === 'parquet') return writeParquet(statement, into, world);
    const result = await (await statement.bound()).stream();
    if (into.format === 'arrow') return writeArrow(result, into, statement, world);
    return writeText(result, into, must(textFormats[into.format], into.format), statement, world);
  });
  return { ...written, elapsedMs: Math.round(world.clock.monotonic() - started) };
}

type Written = Omit<QueryFile, 'elapsedMs'>;

async function writeText(
  result: DuckDBResult,
  into: ResultOrder,
  format: TextFormat,
  statement: Statement,
  world: QueryWorld,
): Promise<Written> {
  const columns = columnsOf(result);
  boundColumns(columns, world.limits);
  await using out = await openSink(into);
  await out.write(format.head(columns));
  const counted = { rowCount: 0, truncated: false };
  for await (const cells of boundedRows(result, format.cell, into, statement, counted))
    await out.write(format.row(cells, columns, counted.rowCount === 1));
  await out.write(format.tail(counted.rowCount, counted.truncated));
  await out.flush();
  return { columns, ...counted, bytes: out.bytes };
}

/** Rows of one record batch. */
const batchRows = 4096;

async function writeArrow(
  result: DuckDBResult,
  into: ResultOrder,
  statement: Statement,
  world: QueryWorld,
): Promise<Written> {
  const columns = columnsOf(result);
  named(columns);
  boundColumns(columns, world.limits);
  const stream = arrowStream(
    columns.map(({ name }) => name),
    result.columnTypes(),
  );
  await using out = await openSink(into);
  await out.write(stream.head);
  const counted = { rowCount: 0, truncated: false };
  let rows: unknown[][] = [];
  const cell = (value: DuckDBValue, _type: DuckDBType, column: number): unknown => stream.cell(value, column);
  for await (const cells of boundedRows(result, cell, into, statement, counted)) {
    if (rows.push(cells) < batchRows) continue;
    await out.write(stream.batch(rows));
    rows = [];
  }
  if (rows.length > 0) await out.write(stream.batch(rows));
  await out.write(stream.tail);
  await out.flush();
  return { columns, ...counted, bytes: out.bytes };
}

/** The rows up to the limit, counted as they are given; one more is looked at to know whether there is one. */
async function* boundedRows<T>(
  result: DuckDBResult,
  cell: Cell<T>,
  into: ResultOrder,
  { deadline }: Statement,
  counted: { rowCount: number; truncated: boolean },
): AsyncGenerator<T[]> {
  for await (const cells of rowsOf(result, cell)) {
    deadline.check();
    counted.truncated = counted.rowCount === into.rows;
    if (counted.truncated) return;
    counted.rowCount += 1;
    yield cells;
  }
  deadline.check();
}

const bufferBytes = 256 * 1024;

/** Pieces to a new file, counted and gathered into larger writes. Throws RESULT_TOO_LARGE past the bytes that it may have. */
async function openSink({ path, bytes: most, format }: ResultOrder) {
  const file = await open(path, 'wx');
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await file.appendFile(Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
  };
  return {
    get bytes() {
      return bytes;
    },
    write: async (piece: string | Uint8Array): Promise<void> => {
      const content = typeof piece === 'string' ? Buffer.from(piece) : piece;
      const size = content.length;
      bytes += size;
      if (bytes > most) throw new Fault('RESULT_TOO_LARGE', `The result has more than ${most} bytes as ${format}.`);
      pending.push(content);
      pendingBytes += size;
      if (pendingBytes >= bufferBytes) await flush();
    },
    flush,
    [Symbol.asyncDispose]: () => file.close(),
  };
}
