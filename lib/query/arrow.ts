// Rows as an Arrow IPC stream: one schema, then record batches. What Arrow has a flat type for keeps it; the rest is text, as in CSV.
import { DuckDBDecimalType, type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import * as arrow from '@uwdata/flechette';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { textOf } from './formats.ts';

/** How a column is built: `store` has the layout of `type`, and takes whole numbers where `type` would take dates. */
interface ArrowColumn {
  readonly type: arrow.DataType;
  readonly store: arrow.DataType;
  readonly cell: (value: DuckDBValue, type: DuckDBType) => unknown;
}

const { MICROSECOND, MILLISECOND, NANOSECOND, SECOND } = arrow.TimeUnit;

const same = (type: arrow.DataType): ArrowColumn => ({ type, store: type, cell: (value) => value });
/** Of a value that is an object, the number inside it. */
const inside = (field: string, type: arrow.DataType, store = type): ArrowColumn => ({
  ...{ type, store },
  cell: (value) => (value === null ? null : (value as unknown as Readonly<Record<string, unknown>>)[field]),
});

const columns: ReadonlyMap<DuckDBTypeId, ArrowColumn> = new Map([
  [DuckDBTypeId.BOOLEAN, same(arrow.bool())],
  [DuckDBTypeId.TINYINT, same(arrow.int8())],
  [DuckDBTypeId.SMALLINT, same(arrow.int16())],
  [DuckDBTypeId.INTEGER, same(arrow.int32())],
  [DuckDBTypeId.BIGINT, same(arrow.int64())],
  [DuckDBTypeId.UTINYINT, same(arrow.uint8())],
  [DuckDBTypeId.USMALLINT, same(arrow.uint16())],
  [DuckDBTypeId.UINTEGER, same(arrow.uint32())],
  [DuckDBTypeId.UBIGINT, same(arrow.uint64())],
  [DuckDBTypeId.FLOAT, same(arrow.float32())],
  [DuckDBTypeId.DOUBLE, same(arrow.float64())],
  [DuckDBTypeId.HUGEINT, { ...same(arrow.decimal(38, 0, 128)), cell: within38Digits }],
  [DuckDBTypeId.UHUGEINT, { ...same(arrow.decimal(38, 0, 128)), cell: within38Digits }],
  [DuckDBTypeId.BLOB, inside('bytes', arrow.binary())],
  [DuckDBTypeId.DATE, inside('days', arrow.dateDay(), arrow.int32())],
  [DuckDBTypeId.TIME, inside('micros', arrow.time(MICROSECOND), arrow.int64())],
  [DuckDBTypeId.TIMESTAMP, inside('micros', arrow.timestamp(MICROSECOND, null), arrow.int64())],
  [DuckDBTypeId.TIMESTAMP_S, inside('seconds', arrow.timestamp(SECOND, null), arrow.int64())],
  [DuckDBTypeId.TIMESTAMP_MS, inside('millis', arrow.timestamp(MILLISECOND, null), arrow.int64())],
  [DuckDBTypeId.TIMESTAMP_NS, inside('nanos', arrow.timestamp(NANOSECOND, null), arrow.int64())],
  [DuckDBTypeId.TIMESTAMP_TZ, inside('micros', arrow.timestamp(MICROSECOND, 'UTC'), arrow.int64())],
]);

function columnOf(type: DuckDBType): ArrowColumn {
  if (type instanceof DuckDBDecimalType) return inside('value', arrow.decimal(type.width, type.scale, 128));
  const known = type.alias === undefined ? columns.get(type.typeId) : undefined;
  return known ?? { ...same(arrow.utf8()), cell: textOf };
}

function within38Digits(value: DuckDBValue): DuckDBValue {
  if (typeof value === 'bigint' && (value >= 10n ** 38n || value <= -(10n ** 38n)))
    throw new Fault(
      'SQL_INVALID',
      `Arrow keeps whole numbers of 38 digits: cast ${value} to text, or ask for another format.`,
    );
  return value;
}

const endOfStream = 8;

/** Writes the rows of one result, some of them at a time. */
export function arrowStream(names: readonly string[], types: readonly DuckDBType[]) {
  const made = types.map(columnOf);
  const stream = (rows: readonly (readonly unknown[])[]): Uint8Array => {
    const built = made.map(({ type, store }, at): [string, arrow.Column<unknown>] => {
      const column: arrow.Column<unknown> = arrow.columnFromArray(
        rows.map((row) => row[at]),
        store,
      );
      return [must(names[at], 'the name of a column'), retyped(column, type)];
    });
    return must(arrow.tableToIPC(arrow.tableFromColumns(built), { format: 'stream' }), 'the stream');
  };
  const empty = stream([]);
  const schemaBytes = 8 + new DataView(empty.buffer, empty.byteOffset).getInt32(4, true);
  return {
    cell: (value: DuckDBValue, at: number): unknown =>
      must(made[at], 'a column').cell(value, must(types[at], 'its type')),
    head: empty.subarray(0, schemaBytes),
    batch: (rows: readonly (readonly unknown[])[]) => stream(rows).subarray(schemaBytes, -endOfStream),
    tail: empty.subarray(-endOfStream),
  };
}

/** The same bytes under the type that they have the layout of. */
function retyped(column: arrow.Column<unknown>, type: arrow.DataType): arrow.Column<unknown> {
  for (const part of [column, ...column.data]) Object.assign(part, { type });
  return column;
}
