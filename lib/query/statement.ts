// One checked statement in a DuckDB of its own: open, check, define, prepare, and whatever its user does with it, until closed.
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { defineTables, openEngine } from './engine.ts';
import { type ErrorContext, parseDuckDbError, toFault } from './errors.ts';
import type { Checked } from './firewall.ts';
import { bindParams, checkNames } from './params.ts';
import { checkSql } from './parse.ts';
import { asSubquery } from './subquery.ts';
import type { QueryRequest, QueryWorld } from './types.ts';

export interface Statement {
  readonly connection: DuckDBConnection;
  /** The statement as it was sent, not bound yet. */
  readonly prepared: DuckDBPreparedStatement;
  /** What it says of itself. */
  readonly checked: Checked;
  readonly deadline: Deadline;
  /** Texts that an answer must not carry: local paths. */
  readonly secrets: readonly string[];
  /** The statement behind `lead`, in brackets where a `tail` follows, with the parameters of the request bound. */
  readonly bound: (lead?: string, tail?: string) => Promise<DuckDBPreparedStatement>;
}

/** Gives `use` the statement of `request`. Throws SQL_*, QUERY_* or CANCELLED faults, and those of `use`. */
export async function withStatement<T>(
  request: QueryRequest,
  world: QueryWorld,
  use: (statement: Statement) => Promise<T>,
): Promise<T> {
  await using engine = await openEngine(world, request.into?.path);
  using deadline = startDeadline(engine.connection, world.limits.timeoutMs, world.clock, world.signal);
  const written = request.into ? [request.into.path] : [];
  const secrets = [...secretsOf(world, engine.spillDirectory), ...written];
  let context: ErrorContext = { sql: request.sql, secrets };
  const { connection } = engine;
  try {
    const checked = await checkSql(
      connection,
      context,
      world.tables.map((table) => table.name),
    );
    if (request.params) checkNames(checked.parameters, request.params);
    await defineTables(connection, world.tables);
    deadline.check();
    const prepared = await connection.prepare(request.sql);
    const bound: Statement['bound'] = async (lead = '', tail = '') => {
      const sql = tail === '' ? request.sql : await asSubquery(connection, request.sql);
      context = { ...context, lead: Buffer.byteLength(lead) };
      const statement = lead === '' ? prepared : await connection.prepare(`${lead}${sql}${tail}`);
      await bindParams(connection, statement, request.params ?? {});
      deadline.check();
      return statement;
    };
    return await use({ connection, prepared, checked, deadline, secrets, bound });
  } catch (error) {
    deadline.check();
    throw error instanceof Fault || error instanceof TypeError ? error : toFault(parseDuckDbError(error), context);
  }
}

const secretsOf = (world: QueryWorld, spillDirectory: string): string[] => [
  ...world.tables.flatMap((table) => table.parts),
  spillDirectory,
  world.limits.tempDirectory,
];
