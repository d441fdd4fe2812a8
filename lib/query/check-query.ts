// What a statement would do, without its rows: the columns and parameters that it has, or the plan that DuckDB makes of it.
import { type DuckDBPreparedStatement, DuckDBTypeId } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { withoutSecrets } from './errors.ts';
import { parametersOf } from './params.ts';
import { type Statement, withStatement } from './statement.ts';
import { boundColumns, typeName } from './type-names.ts';
import type { QueryCheck, QueryColumn, QueryPlan, QueryRequest, QueryWorld } from './types.ts';

/**
 * Parses, checks and binds `sql` against the tables; values of parameters may be left out, all of them together.
 * Throws the SQL_* faults that running it would throw before its first row.
 */
export const checkQuery = (request: QueryRequest, world: QueryWorld): Promise<QueryCheck> =>
  withStatement(request, world, async (statement) => {
    const parameters = parametersOf(statement.prepared);
    const known = columnsOf(statement.prepared);
    // Bound first, so that a wrong value is told from a wrong statement.
    if (request.params) await statement.bound();
    const columns = known ?? (request.params ? await described(statement) : null);
    boundColumns(columns ?? [], world.limits);
    const { tables, repeatable } = statement.checked;
    return { columns, parameters, tables, repeatable };
  });

/** Null where a type is not known before the parameters are. */
function columnsOf(prepared: DuckDBPreparedStatement): QueryColumn[] | null {
  const count = prepared.columnCount;
  const columns = Array.from({ length: count }, (_, index) => index);
  if (columns.some((index) => prepared.columnTypeId(index) === DuckDBTypeId.INVALID)) return null;
  return columns.map((index) => ({ name: prepared.columnName(index), type: typeName(prepared.columnType(index)) }));
}

/** DuckDB says what the columns are once the values are known, and runs nothing for it. */
export async function described({ bound }: Statement): Promise<QueryColumn[]> {
  const read = await (await bound('DESCRIBE ')).runAndReadAll();
  return read.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/** The plan of `sql` as DuckDB's JSON. Throws SQL_* and QUERY_* faults. */
export const explainQuery = (request: QueryRequest, world: QueryWorld): Promise<QueryPlan> =>
  withStatement({ ...request, params: request.params ?? {} }, world, async ({ bound, secrets }) => {
    const read = await (await bound('EXPLAIN (FORMAT json) ')).runAndReadAll();
    const text = String(read.getRows()[0]?.[1]);
    if (Buffer.byteLength(text) > world.limits.resultBytes)
      throw new Fault('RESULT_TOO_LARGE', 'The plan is too large for an answer.');
    return { plan: JSON.parse(withoutSecrets(text, secrets)) as unknown[] };
  });
