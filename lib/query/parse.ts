// Reads SQL with DuckDB's own parser and lets only what the firewall accepts go further.
import type { DuckDBConnection } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { type ErrorContext, fromFields, toFault } from './errors.ts';
import { type Checked, checkStatements, positional } from './firewall.ts';
import { syntaxTree } from './syntax-tree.ts';

/** The longest SQL in UTF-8 bytes: parsing and planning grow faster than their text. */
export const maxSqlBytes = 65_536;

type Serialised =
  | { readonly error: false; readonly statements: readonly unknown[] }
  | { readonly error: true; readonly error_type: string; readonly error_message: string; readonly position?: string };

/** What `sql` says of itself. Throws SQL_INVALID, SQL_NOT_SELECT or SQL_FORBIDDEN unless it is one SELECT over `tables`. */
export async function checkSql(
  connection: DuckDBConnection,
  context: ErrorContext,
  tables: readonly string[],
): Promise<Checked> {
  checkText(context.sql);
  const tree = (await syntaxTree(connection, context.sql)) as Serialised;
  if (!tree.error) return checkStatements(tree.statements, tables);
  if (tree.error_message.includes('positional parameters')) throw positional();
  // The serialiser knows SELECT only; whatever else the parser understood is refused here.
  if (tree.error_type === 'not implemented')
    throw new Fault('SQL_NOT_SELECT', 'The statement is not a SELECT, or a PIVOT without IN (…).');
  throw toFault(fromFields(tree.error_type, tree.error_message, tree.position), context);
}

function checkText(sql: string): void {
  const bytes = Buffer.byteLength(sql);
  if (bytes > maxSqlBytes) throw new Fault('SQL_INVALID', `The SQL has ${bytes} bytes; ${maxSqlBytes} are the limit.`);
  if (!sql.isWellFormed()) throw new Fault('SQL_INVALID', 'The SQL holds half of a surrogate pair.');
  // DuckDB would read to the first NUL and run less than what was checked.
  if (sql.includes('\0')) throw new Fault('SQL_INVALID', 'The SQL holds a NUL character.');
  if (sql.trim() === '') throw new Fault('SQL_INVALID', 'The SQL is empty.');
}
