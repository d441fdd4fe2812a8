// Rows as Parquet, written by DuckDB itself. Types that Parquet would round, cut or not take are written as one that it keeps.
import { stat } from 'node:fs/promises';
import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { millis } from '../core/time.ts';
import { described } from './check-query.ts';
import { named } from './formats.ts';
import { fold } from './scope.ts';
import type { Statement } from './statement.ts';
import { close, open } from './subquery.ts';
import { boundColumns, columnsOf, typeName } from './type-names.ts';
import type { QueryFile, QueryWorld, ResultOrder } from './types.ts';

/** What Parquet has no form for: whole numbers of 128 bits become DOUBLE, intervals lose microseconds, offsets are applied. */
const kept: ReadonlyMap<DuckDBTypeId, string> = new Map([
  [DuckDBTypeId.HUGEINT, 'DECIMAL(38,0)'],
  [DuckDBTypeId.UHUGEINT, 'DECIMAL(38,0)'],
  [DuckDBTypeId.BIGNUM, 'VARCHAR'],
  [DuckDBTypeId.BIT, 'VARCHAR'],
  [DuckDBTypeId.INTERVAL, 'VARCHAR'],
  [DuckDBTypeId.TIME_TZ, 'VARCHAR'],
  [DuckDBTypeId.UNION, 'VARCHAR'],
  [DuckDBTypeId.SQLNULL, 'INTEGER'],
]);

/** The type to write a column of `type` as. */
export function parquetType(type: DuckDBType): string {
  if (type.alias !== undefined) return type.alias;
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return `${parquetType(type.valueType)}[]`;
  if (type instanceof DuckDBMapType) return `MAP(${parquetType(type.keyType)}, ${parquetType(type.valueType)})`;
  if (type instanceof DuckDBStructType)
    return `STRUCT(${type.entryNames.map((name, at) => `${quoted(name)} ${parquetType(type.entryTypes[at] as DuckDBType)}`).join(', ')})`;
  return kept.get(type.typeId) ?? typeName(type);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

type Written = Omit<QueryFile, 'elapsedMs'>;

/** Throws SQL_INVALID where two columns have one name, RESULT_TOO_LARGE past the bytes, and what running it throws. */
export async function writeParquet(statement: Statement, into: ResultOrder, world: QueryWorld): Promise<Written> {
  const empty = await (await statement.bound(`SELECT * ${open}`, `${close} LIMIT 0`)).stream();
  // As a subquery the columns have been named apart already.
  const names = await described(statement);
  named(names, fold);
  boundColumns(names, world.limits);
  const columns = columnsOf(empty).map(({ type }, at) => ({ name: names[at]?.name ?? '', type }));
  const types = empty.columnTypes();
  const casts = columns.map(({ name, type }, at) => {
    const target = parquetType(types[at] as DuckDBType);
    return `${target === type ? `c${at}` : `CAST(c${at} AS ${target})`} AS ${quoted(name)}`;
  });
  const limit = Number.isFinite(into.rows) ? `LIMIT ${into.rows}` : '';
  const alias = `result(${columns.map((_, at) => `c${at}`).join(', ')})`;
  const copy = await statement.bound(
    `COPY (SELECT ${casts.join(', ')} ${open}`,
    `${close} AS ${alias} ${limit}) TO '${into.path.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
  );
  using watched = watchSize(statement, into, world);
  const [[count] = []] = (await copy.runAndReadAll().catch(watched.orTooLarge)).getRows();
  const { size } = await stat(into.path);
  if (size > into.bytes) throw tooLarge(into);
  const rowCount = Number(count);
  const truncated = rowCount === into.rows && (await hasMore(statement, rowCount));
  return { columns, rowCount, truncated, bytes: size };
}

/** Asked only when the rows are exactly as many as may be. */
async function hasMore({ bound }: Statement, rows: number): Promise<boolean> {
  const read = await (await bound(`SELECT 1 ${open}`, `${close} LIMIT 1 OFFSET ${rows}`)).runAndReadAll();
  return read.currentRowCount > 0;
}

const tooLarge = ({ bytes, format }: ResultOrder): Fault =>
  new Fault('RESULT_TOO_LARGE', `The result has more than ${bytes} bytes as ${format}.`);

/** Ends the copy once the file has outgrown its bytes; a disk that is full helps nobody. */
function watchSize({ connection }: Statement, into: ResultOrder, { clock }: QueryWorld) {
  const stop = new AbortController();
  let outgrown = false;
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(millis(50), stop.signal);
      if (stop.signal.aborted) return;
      const size = await stat(into.path).then(
        (file) => file.size,
        () => 0,
      );
      outgrown ||= size > into.bytes;
      if (outgrown) connection.interrupt();
    }
  };
  void watch();
  return {
    orTooLarge: (error: unknown): never => {
      throw outgrown ? tooLarge(into) : error;
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
