// A DuckDB of one query's own: in memory, limited, cut off from everything but the parts of the given tables, and locked. It may be opened before
// its query is known, since opening takes longer than most queries.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { QueryColumn, QueryLimits, QueryTable, QueryWorld } from './types.ts';
import './struct-fields.ts';
import './whole-texts.ts';

export interface Engine extends AsyncDisposable {
  readonly connection: DuckDBConnection;
  /** The folder of its spill files; shown to nobody. */
  readonly spillDirectory: string;
}

/** Deeper expressions take seconds to plan, and planning hears no interrupt. */
const maxExpressionDepth = 400;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;

/** Knows nothing of its query yet. It is for one query, or to be closed. */
export const openBlank = (): Promise<DuckDBInstance> => DuckDBInstance.create(':memory:', blank);

const blank = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  errors_as_json: 'true',
};

/**
 * Opens a locked engine that can read the parts of the tables, write `result` where there is one, and reach nothing else.
 * Dispose of it whatever happens.
 */
export async function openEngine(
  { tables, limits, opened = openBlank }: Pick<QueryWorld, 'tables' | 'limits' | 'opened'>,
  result: string | undefined,
): Promise<Engine> {
  const spillDirectory = await mkdtemp(join(limits.tempDirectory, 'query-'));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rm(spillDirectory, { recursive: true, force: true }));
  try {
    const instance = await opened();
    stack.defer(() => instance.closeSync());
    const connection = await instance.connect();
    stack.defer(() => connection.closeSync());
    const paths = [...tables.flatMap((table) => table.parts), ...(result === undefined ? [] : [result])];
    await connection.run(lockDown(limits, spillDirectory, paths));
    return { connection, spillDirectory, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The folder before the size of what is in it: DuckDB keeps to the size that it had when it was told so. */
const lockDown = (
  { memoryMb, threads, tempMb }: QueryLimits,
  spillDirectory: string,
  paths: readonly string[],
): string => `
  SET memory_limit = '${memoryMb}MB';
  SET threads = ${threads};
  SET temp_directory = ${quoted(tempMb > 0 ? spillDirectory : '')};
  SET max_temp_directory_size = '${tempMb}MB';
  SET TimeZone = 'UTC';
  SET max_expression_depth = ${maxExpressionDepth};
  SET allowed_paths = ${list(paths)};
  SET enable_external_access = false;
  SET lock_configuration = true;`;

/** Makes each table a view over its parts, or an empty one of its columns. */
export async function defineTables(connection: DuckDBConnection, tables: readonly QueryTable[]): Promise<void> {
  for (const table of tables) await connection.run(`CREATE VIEW ${identifier(table.name)} AS ${sourceOf(table)}`);
}

function sourceOf(table: QueryTable): string {
  if (table.parts.length > 0)
    return `SELECT *${replacedIn(table)} FROM read_parquet(${list(table.parts)}, hive_partitioning = false)`;
  const columns = (table.columns ?? []).map(({ name, type }) => `CAST(NULL AS ${type}) AS ${identifier(name)}`);
  if (columns.length === 0) throw new TypeError(`table ${table.name} has neither parts nor columns`);
  return `SELECT ${columns.join(', ')} WHERE false`;
}

/** Masked columns, and those that stand in the parts as another type. */
function replacedIn({ name, columns = [], masked = [] }: QueryTable): string {
  const masks = masked.map((column) => maskOf(name, columns, column));
  const kept = columns.filter((column) => column.stored !== undefined && !masked.includes(column.name));
  const casts = kept.map(
    (column) => `CAST(${identifier(column.name)} AS ${column.type}) AS ${identifier(column.name)}`,
  );
  const all = [...masks, ...casts];
  return all.length === 0 ? '' : ` REPLACE (${all.join(', ')})`;
}

/**
 * Nothing above the view can ask for what stands in the column: no function, no error, no statistic of the file has it. NULL also joins with
 * nothing, which a text in its place would not keep to.
 */
function maskOf(table: string, columns: readonly QueryColumn[], column: string): string {
  const type = columns.find((each) => each.name === column)?.type;
  if (type === undefined) throw new TypeError(`the masked column ${column} of ${table} has no type`);
  return `CAST(NULL AS ${type}) AS ${identifier(column)}`;
}
