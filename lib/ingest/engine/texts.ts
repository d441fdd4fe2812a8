// A function of JavaScript that DuckDB calls for the text of a value, chunk by chunk.
import {
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';

export function registerTexts(
  connection: DuckDBConnection,
  name: string,
  type: DuckDBType,
  of: (value: DuckDBValue) => string,
): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name,
      parameterTypes: [type],
      returnType: VARCHAR,
      mainFunction: (_info, chunk, output) => {
        const values = chunk.getColumnVector(0);
        for (let row = 0; row < chunk.rowCount; row++) {
          const value = values.getItem(row);
          output.setItem(row, value === null ? null : of(value));
        }
        output.flush();
      },
    }),
  );
}
