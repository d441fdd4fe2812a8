// Rows made in JavaScript as a table function of DuckDB: they go into the statement that reads them a chunk at a time, and nothing is kept.
import { type DuckDBConnection, DuckDBTableFunction, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';

/** Rows of one chunk of DuckDB. */
export const CHUNK_ROWS = 2048;

/** The next rows by column, at most `CHUNK_ROWS` of them; undefined when there are no more. Must not wait. */
export type NextRows = () => readonly (readonly DuckDBValue[])[] | undefined;

/** One thread reads, so that rows keep their order. */
export function registerFeed(
  connection: DuckDBConnection,
  name: string,
  types: readonly DuckDBType[],
  next: NextRows,
): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name,
      bindFunction: (bind) => {
        for (const [index, type] of types.entries()) bind.addResultColumn(`c${index}`, type);
      },
      initFunction: (init) => {
        init.setMaxThreads(1);
      },
      mainFunction: (_info, chunk) => {
        const columns = next();
        chunk.rowCount = columns?.[0]?.length ?? 0;
        for (const [index, values] of (columns ?? []).entries()) chunk.setColumnValues(index, values);
      },
    }),
  );
}
