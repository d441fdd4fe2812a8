// The rows of a streamed result, each turned into values of our own only when it is asked for.
import type { DuckDBResult, DuckDBType, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';

/** What one value becomes. */
export type Cell<T> = (value: DuckDBValue, type: DuckDBType, column: number) => T;

export async function* rowsOf<T>(result: DuckDBResult, cell: Cell<T>): AsyncGenerator<T[]> {
  // A vector's own type has lost the alias that tells JSON from text.
  const types = result.columnTypes();
  for await (const chunk of result) {
    const vectors = types.map((_, column) => chunk.getColumnVector(column));
    for (let row = 0; row < chunk.rowCount; row += 1) yield rowOf(vectors, row, types, cell);
  }
}

function rowOf<T>(vectors: readonly DuckDBVector[], row: number, types: readonly DuckDBType[], cell: Cell<T>): T[] {
  try {
    return types.map((type, column) => cell(vectors[column]?.getItem(row) ?? null, type, column));
  } catch (error) {
    // A single text or blob beyond what a JavaScript string can hold.
    if (
      error instanceof RangeError ||
      (error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG')
    ) {
      throw new Fault('RESULT_TOO_LARGE', 'One value is larger than an answer may be.');
    }
    throw error;
  }
}
