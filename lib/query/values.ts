// DuckDB values as JSON. The rule goes by the column's type, so that a client can rely on it:
// integers are numbers up to 2^53-1 either way and strings beyond; decimals always strings; what JSON cannot say is text.
import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBBitValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimeNSValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  DuckDBUnionValue,
  DuckDBUUIDValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api';
import { isoDate, isoDuration, isoOffset, isoTime, isoTimestamp } from './calendar.ts';
import { parseJsonText } from './json-text.ts';

/**
 * One value as JSON.
 *
 * - TINYINT to UHUGEINT, BIGNUM: a number if |value| ≤ 2^53−1, else a string of digits. One rule for every integer
 *   type, since a sum of INTEGER is a HUGEINT and would be an odd string otherwise.
 * - DECIMAL: a string with all its places. DOUBLE, FLOAT: a number; "NaN", "Infinity", "-Infinity" as strings.
 *   A FLOAT is written with the fewest digits that name it (0.1, not 0.10000000149011612).
 * - DATE `YYYY-MM-DD`; TIME `HH:MM:SS[.fff…]`; TIMESTAMP `YYYY-MM-DDTHH:MM:SS[.fff…]`, with Z if it has a time zone;
 *   infinite ones "infinity" and "-infinity"; INTERVAL an ISO 8601 duration.
 * - BLOB and GEOMETRY (as WKB): base64. UUID, ENUM, BIT: text.
 * - LIST, ARRAY: array. STRUCT: object. MAP: object if its keys are VARCHAR, else an array of {key, value}.
 *   UNION: {tag, value}. JSON: parsed, or the text where parsing would lose digits. VARIANT: by the type it holds.
 */
export function toJson(value: DuckDBValue, type: DuckDBType | undefined): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return fromNumber(value, type);
  if (typeof value === 'string') return type?.alias === 'JSON' ? parseJsonText(value) : value;
  if (value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue)
    return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBUUIDValue || value instanceof DuckDBBitValue)
    return value.toString();
  return fromTime(value) ?? fromNested(value, type);
}

function fromNumber(value: number, type: DuckDBType | undefined): number | string {
  if (!Number.isFinite(value)) return String(value);
  if (type?.typeId !== DuckDBTypeId.FLOAT) return value;
  for (let digits = 1; digits <= 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function fromTime(value: object): string | undefined {
  if (value instanceof DuckDBIntervalValue) return isoDuration(value.months, value.days, value.micros);
  if (value instanceof DuckDBTimeValue) return isoTime(value.micros * 1000n);
  if (value instanceof DuckDBTimeNSValue) return isoTime(value.nanos);
  if (value instanceof DuckDBTimeTZValue) return `${isoTime(value.micros * 1000n)}${isoOffset(value.offset)}`;
  if (value instanceof DuckDBDateValue) return infinite(value, value.days) ?? isoDate(value.days);
  if (value instanceof DuckDBTimestampTZValue)
    return infinite(value, value.micros) ?? `${isoTimestamp(value.micros * 1000n)}Z`;
  if (value instanceof DuckDBTimestampValue) return infinite(value, value.micros) ?? isoTimestamp(value.micros * 1000n);
  if (value instanceof DuckDBTimestampSecondsValue)
    return infinite(value, value.seconds) ?? isoTimestamp(value.seconds * 1_000_000_000n);
  if (value instanceof DuckDBTimestampMillisecondsValue)
    return infinite(value, value.millis) ?? isoTimestamp(value.millis * 1_000_000n);
  if (value instanceof DuckDBTimestampNanosecondsValue)
    return infinite(value, value.nanos) ?? isoTimestamp(value.nanos);
  return undefined;
}

const infinite = (value: { readonly isFinite: boolean }, size: number | bigint): string | undefined => {
  if (value.isFinite) return undefined;
  return size > 0 ? 'infinity' : '-infinity';
};

function fromNested(value: object, type: DuckDBType | undefined): unknown {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const item = type instanceof DuckDBListType || type instanceof DuckDBArrayType ? type.valueType : undefined;
    return value.items.map((one) => toJson(one, item));
  }
  if (value instanceof DuckDBStructValue) {
    const [names, types] = type instanceof DuckDBStructType ? [type.entryNames, type.entryTypes] : [[], []];
    const fields = Object.entries(value.entries);
    return Object.fromEntries(fields.map(([name, one]) => [name, toJson(one, types[names.indexOf(name)])]));
  }
  if (value instanceof DuckDBUnionValue) {
    const [tags, types] = type instanceof DuckDBUnionType ? [type.memberTags, type.memberTypes] : [[], []];
    return { tag: value.tag, value: toJson(value.value, types[tags.indexOf(value.tag)]) };
  }
  if (value instanceof DuckDBMapValue) return fromMap(value, type);
  if (value instanceof DuckDBVariantValue) return toJson(value.value, value.type);
  throw new TypeError(`no JSON form for ${value.constructor.name}`);
}

function fromMap(value: DuckDBMapValue, type: DuckDBType | undefined): unknown {
  const [keyType, valueType] = type instanceof DuckDBMapType ? [type.keyType, type.valueType] : [];
  const entries = value.entries.map(({ key, value: one }) => ({
    key: toJson(key, keyType),
    value: toJson(one, valueType),
  }));
  if (keyType?.typeId !== DuckDBTypeId.VARCHAR || keyType.alias !== undefined) return entries;
  return Object.fromEntries(entries.map((entry) => [String(entry.key), entry.value]));
}
