// The rows of one SELECT in a file, in any format: what an answer in a format is made of, and what a large result is uploaded from.
import { open } from 'node:fs/promises';
import type { DuckDBResult } from '@duckdb/node-api';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { type TextFormat, textFormats } from './formats.ts';
import { writeParquet } from './parquet.ts';
import { rowsOf } from './rows.ts';
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
    return writeText(result, into, must(textFormats[into.format], into.format), statement, world);
  });
  return { ...written, elapsedMs: Math.round(world.clock.monotonic() - started) };
}

type Written = Omit<QueryFile, 'elapsedMs'>;

async function writeText(
  result: DuckDBResult,
  into: ResultOrder,
  format: TextFormat,
  { deadline }: Statement,
  world: QueryWorld,
): Promise<Written> {
  const columns = columnsOf(result);
  boundColumns(columns, world.limits);
  await using out = await openSink(into);
  await out.write(format.head(columns));
  let rowCount = 0;
  let truncated = false;
  for await (const cells of rowsOf(result, format.cell)) {
    deadline.check();
    truncated = rowCount === into.rows;
    if (truncated) break;
    await out.write(format.row(cells, columns, rowCount === 0));
    rowCount += 1;
  }
  deadline.check();
  await out.write(format.tail(rowCount, truncated));
  await out.flush();
  return { columns, rowCount, truncated, bytes: out.bytes };
}

const bufferBytes = 256 * 1024;

/** Text to a new file, counted and gathered into larger writes. Throws RESULT_TOO_LARGE past the bytes that it may have. */
async function openSink({ path, bytes: most, format }: ResultOrder) {
  const file = await open(path, 'wx');
  let pending: string[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await file.appendFile(pending.join(''));
    pending = [];
    pendingBytes = 0;
  };
  return {
    get bytes() {
      return bytes;
    },
    write: async (text: string): Promise<void> => {
      const size = Buffer.byteLength(text);
      bytes += size;
      if (bytes > most) throw new Fault('RESULT_TOO_LARGE', `The result has more than ${most} bytes as ${format}.`);
      pending.push(text);
      pendingBytes += size;
      if (pendingBytes >= bufferBytes) await flush();
    },
    flush,
    [Symbol.asyncDispose]: () => file.close(),
  };
}
