// A statement as DuckDB's own parser reads it.
import type { DuckDBConnection } from '@duckdb/node-api';

/** The serialiser writes numbers beyond a DOUBLE in words that JSON has not. */
const notFinite = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;

/** What the serialiser says of `sql`, which may be that it is an error; infinite numbers are texts in it. */
export async function syntaxTree(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const read = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const text = String(read.getRows()[0]?.[0]);
  return JSON.parse(text.replaceAll(notFinite, (found) => (found.startsWith('"') ? found : `"${found}"`)));
}
