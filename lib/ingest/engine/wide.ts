// Columns of Parquet files, some at a time: a statement about one column of a file of thousands reads what the file says of all of them. So
// some columns of such a file are first copied to where reading one costs what one costs.
import type { Engine } from './engine.ts';
import { identifier } from './sql.ts';

/** Columns of a table that are read where they are. */
const MANY = 256;
/** Columns that are copied together. */
const AT_ONCE = 64;
const COPY = 'some_columns';

/** Calls `use` for all columns, or for some after the others, each time with what stands after FROM. */
export async function someColumns<C extends { readonly name: string }, T>(
  engine: Engine,
  source: string,
  columns: readonly C[],
  use: (source: string, columns: readonly C[]) => Promise<readonly T[]>,
): Promise<T[]> {
  if (columns.length <= MANY) return [...(await use(source, columns))];
  const found: T[] = [];
  for (let from = 0; from < columns.length; from += AT_ONCE) {
    const some = columns.slice(from, from + AT_ONCE);
    const names = some.map(({ name }) => identifier(name)).join(', ');
    await engine.run(`CREATE OR REPLACE TEMP TABLE ${COPY} AS SELECT ${names} FROM ${source}`);
    found.push(...(await use(COPY, some)));
  }
  await engine.run(`DROP TABLE ${COPY}`);
  return found;
}
