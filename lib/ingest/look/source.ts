// The rows of a table as a statement reads them: what stands after FROM, and a number for each row that its lot is made of.
import type { Engine } from '../engine/engine.ts';
import { identifier, listOf } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';

export interface Source {
  /** What stands after FROM. */
  readonly from: string;
  /** SQL of the hash of a row's place. */
  readonly row: string;
}

/** Columns of a table that are read where they are. */
const MANY = 256;
/** Columns that are copied together. */
const AT_ONCE = 64;
const COPY = 'some_columns';
/** What stands in for the place of a row where a column of the table hides it. */
const HASHED_COLUMNS = 64;

/** Of Parquet files of one schema, in the order of the rows; of no file no row. */
export function sourceOf(parquetPaths: readonly string[], columns: readonly Column[]): Source {
  if (parquetPaths.length === 0) {
    const empty = columns.map(({ name, type }) => `NULL::${type} AS ${identifier(name)}`);
    return { from: `(SELECT ${empty.join(', ')} WHERE false)`, row: '0::UBIGINT' };
  }
  const from = `read_parquet(${listOf(parquetPaths)}, hive_partitioning = false)`;
  const hides = columns.some(({ name }) => /^file_(?:row_number|index)$/i.test(name));
  const some = columns.slice(0, HASHED_COLUMNS).map(({ name }) => identifier(name));
  return { from, row: hides ? `hash(${some.join(', ')})` : 'hash(file_row_number + (file_index::BIGINT << 40))' };
}

/** Bytes of all values that are copied whole at once. */
const LIGHT_BYTES = 64 * 2 ** 20;

/** Whether the values have more bytes than are copied at once, however few rows there are. */
export async function isHeavy(engine: Engine, parquetPaths: readonly string[]): Promise<boolean> {
  if (parquetPaths.length === 0) return false;
  const sizes = `SELECT sum(total_uncompressed_size) AS bytes FROM parquet_metadata(${listOf(parquetPaths)})`;
  return Number((await engine.row(sizes))['bytes']) > LIGHT_BYTES;
}

/**
 * Calls `use` for all columns, or for some after the others: a statement about one column of a file of thousands reads what the file says of
 * all of them, so that some columns of such a file are first copied to where reading one costs what one costs.
 */
export async function someColumns<T>(
  engine: Engine,
  source: Source,
  columns: readonly Column[],
  use: (source: Source, columns: readonly Column[]) => Promise<readonly T[]>,
): Promise<T[]> {
  if (columns.length <= MANY) return [...(await use(source, columns))];
  const found: T[] = [];
  for (let from = 0; from < columns.length; from += AT_ONCE) {
    const some = columns.slice(from, from + AT_ONCE);
    const names = some.map(({ name }) => identifier(name)).join(', ');
    const row = identifier(unlike('row', some));
    await engine.run(
      `CREATE OR REPLACE TEMP TABLE ${COPY} AS SELECT ${names}, ${source.row} AS ${row} FROM ${source.from}`,
    );
    found.push(...(await use({ from: COPY, row }, some)));
  }
  await engine.run(`DROP TABLE ${COPY}`);
  return found;
}

/** A name that no column has. */
const unlike = (name: string, columns: readonly Column[]): string =>
  columns.some((column) => column.name.toLowerCase() === name) ? unlike(`${name}_`, columns) : name;
