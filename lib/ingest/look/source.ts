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
  return { from, row: hides ? `hash(${some.join(', ')})` : 'xor(hash(file_row_number), hash(file_index))' };
}

/** Bytes of the values of each column, as the files hold them before they are compressed: of a value that repeats itself fewer than it has. */
export async function bytesOf(
  engine: Engine,
  parquetPaths: readonly string[],
  columns: readonly Column[],
): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map(columns.map(({ name }) => [name, 0]));
  if (parquetPaths.length === 0) return bytes;
  const sizes = await engine.texts(
    `SELECT path_in_schema, sum(total_uncompressed_size) FROM parquet_metadata(${listOf(parquetPaths)}) GROUP BY 1`,
  );
  for (const [path, size] of sizes) {
    const name = columnAt(path ?? '', bytes);
    if (name !== undefined) bytes.set(name, (bytes.get(name) ?? 0) + Number(size));
  }
  return bytes;
}

/** The column that a leaf of the schema belongs to: the names on the way to it are joined by commas, which names may hold too. */
function columnAt(path: string, columns: ReadonlyMap<string, unknown>): string | undefined {
  const names = path.split(', ');
  const ends = names.map((_, at) => names.slice(0, names.length - at).join(', '));
  return ends.find((name) => columns.has(name));
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
    await engine.run(`CREATE OR REPLACE TABLE ${COPY} AS SELECT ${names}, ${source.row} AS ${row} FROM ${source.from}`);
    found.push(...(await use({ from: COPY, row }, some)));
  }
  await engine.run(`DROP TABLE ${COPY}`);
  return found;
}

/** A name that no column has. */
const unlike = (name: string, columns: readonly Column[]): string =>
  columns.some((column) => column.name.toLowerCase() === name) ? unlike(`${name}_`, columns) : name;
