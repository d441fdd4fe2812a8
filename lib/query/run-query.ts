// Answers one SELECT in this process: rows are streamed until there are enough. Services call it through query-process.ts,
// since some work inside DuckDB hears no interrupt and some memory escapes its limit.
import type { DuckDBResult } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import type { Deadline } from './deadline.ts';
import { rowsOf } from './rows.ts';
import { withStatement } from './statement.ts';
import { boundColumns, columnsOf } from './type-names.ts';
import type { QueryAnswer, QueryRequest, QueryWorld } from './types.ts';
import { toJson } from './values.ts';

interface Bounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Runs `sql` over `tables` in a fresh DuckDB. Throws SQL_*, QUERY_*, RESULT_TOO_LARGE or CANCELLED faults. */
export async function runQuery(request: QueryRequest, world: QueryWorld): Promise<QueryAnswer> {
  const started = world.clock.monotonic();
  const bounds = {
    rows: Math.min(request.limit ?? world.limits.rowCap, world.limits.rowCap),
    bytes: world.limits.resultBytes,
  };
  const answer = await withStatement({ ...request, params: request.params ?? {} }, world, async (statement) => {
    const result = await (await statement.bound()).stream();
    const columns = columnsOf(result);
    boundColumns(columns, world.limits);
    return { columns, ...(await collect(result, bounds, statement.deadline)) };
  });
  return { ...answer, elapsedMs: Math.round(world.clock.monotonic() - started) };
}

/** Reads no further than one row past the limit, so that an endless result costs its first rows only. */
async function collect(
  result: DuckDBResult,
  bounds: Bounds,
  deadline: Deadline,
): Promise<Pick<QueryAnswer, 'rows' | 'rowCount' | 'truncated'>> {
  const rows: unknown[][] = [];
  let room = bounds.bytes;
  for await (const values of rowsOf(result, toJson)) {
    deadline.check();
    if (rows.length === bounds.rows) return { rows, rowCount: rows.length, truncated: true };
    room -= Buffer.byteLength(JSON.stringify(values)) + 1;
    if (room < 0) throw new Fault('RESULT_TOO_LARGE', `The rows have more than ${bounds.bytes} bytes as JSON.`);
    rows.push(values);
  }
  deadline.check();
  return { rows, rowCount: rows.length, truncated: false };
}
