// Plain values of binary formats as DuckDB holds them: each kind with its type, its value, and its text where the type does not hold it.
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBUUIDValue,
  type DuckDBValue,
  FLOAT,
  INTEGER,
  SMALLINT,
  TIME,
  TIMESTAMP,
  TIMESTAMP_NS,
  TIMESTAMPTZ,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
  VARCHAR,
} from '@duckdb/node-api';
import { isoDate, isoTime, isoTimestamp } from '../../query/calendar.ts';
import type { Mode, Reading } from './reading.ts';

/** One kind of value, as a format stores it. */
export interface Leaf<R> {
  readonly type: DuckDBType;
  /** Undefined where the type does not hold it. */
  readonly value: (raw: R) => DuckDBValue | undefined;
  readonly text: (raw: R) => string;
  /** Whether its text is JSON as it is. */
  readonly bare?: boolean;
}

const same = <R extends DuckDBValue>(type: DuckDBType): Leaf<R> => ({
  type,
  value: (raw) => raw,
  text: String,
  bare: true,
});

export const booleans = same<boolean>(BOOLEAN);
export const bigints = same<bigint>(BIGINT);
export const ubigints = same<bigint>(UBIGINT);
export const texts: Leaf<string> = { type: VARCHAR, value: (raw) => raw, text: (raw) => raw };
export const blobs: Leaf<Uint8Array> = {
  type: BLOB,
  value: blobValue,
  text: (raw) => Buffer.from(raw).toString('base64'),
};

/** Whole numbers of at most 32 bits. */
export function integers(bits: number, signed: boolean): Leaf<number> {
  if (bits === 8) return same(signed ? TINYINT : UTINYINT);
  if (bits === 16) return same(signed ? SMALLINT : USMALLINT);
  return same(signed ? INTEGER : UINTEGER);
}

const floating = (type: DuckDBType): Leaf<number> => ({
  type,
  value: (raw) => raw,
  text: (raw) => (Number.isFinite(raw) ? String(raw) : JSON.stringify(String(raw))),
  bare: true,
});
export const floats = floating(FLOAT);
export const doubles = floating(DOUBLE);

const DECIMAL_DIGITS = 38;

function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return `${unscaled}${unscaled === 0n ? '' : '0'.repeat(-scale)}`;
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Of an unscaled whole number; text where no DECIMAL has so many digits. */
export function decimals(precision: number, scale: number): Leaf<bigint> {
  const width = Math.max(precision, scale, precision - Math.min(scale, 0));
  const text = (raw: bigint): string => decimalText(raw, scale);
  if (width > DECIMAL_DIGITS) return { type: VARCHAR, value: text, text };
  const [places, factor] = [Math.max(scale, 0), 10n ** BigInt(Math.max(-scale, 0))];
  const most = 10n ** BigInt(width);
  const value = (raw: bigint): DuckDBValue | undefined => {
    const stored = raw * factor;
    return stored < most && stored > -most ? new DuckDBDecimalValue(stored, width, places) : undefined;
  };
  return { type: DECIMAL(width, places), value, text, bare: true };
}

/** Years 1 to 9999; what lies outside is mostly a mistake, and has no text that every reader takes for a date. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;
const DAY_MICROS = 86_400_000_000n;
const FIRST_MICROS = BigInt(FIRST_DAY) * DAY_MICROS;
const LAST_MICROS = (BigInt(LAST_DAY) + 1n) * DAY_MICROS - 1n;
/** What DuckDB takes for the first; a nanosecond less than what 64 bits hold stands for infinity. */
const FIRST_NANOS = -9_223_286_400_000_000_000n;
const LAST_NANOS = 2n ** 63n - 2n;

export const dates: Leaf<number> = {
  type: DATE,
  value: (days) => (days >= FIRST_DAY && days <= LAST_DAY ? new DuckDBDateValue(days) : undefined),
  text: isoDate,
};

const MILLIS_PER_DAY = 86_400_000n;
/** Of milliseconds, which must be whole days. */
export const dateMillis: Leaf<bigint> = {
  type: DATE,
  value: (millis) => (millis % MILLIS_PER_DAY === 0n ? dates.value(Number(millis / MILLIS_PER_DAY)) : undefined),
  text: (millis) => isoTimestamp(millis * 1_000_000n),
};

export type TimeUnit = 'second' | 'millisecond' | 'microsecond' | 'nanosecond';
const nanosIn: Readonly<Record<TimeUnit, bigint>> = {
  second: 1_000_000_000n,
  millisecond: 1_000_000n,
  microsecond: 1000n,
  nanosecond: 1n,
};

/** Whole microseconds, or undefined. */
function microsOf(nanos: bigint): bigint | undefined {
  return nanos % 1000n === 0n ? nanos / 1000n : undefined;
}

/** Times of day. */
export function times(unit: TimeUnit): Leaf<bigint | number> {
  const nanos = (raw: bigint | number): bigint => BigInt(raw) * nanosIn[unit];
  return {
    type: TIME,
    value: (raw) => {
      const micros = microsOf(nanos(raw));
      return micros !== undefined && micros >= 0n && micros < DAY_MICROS ? new DuckDBTimeValue(micros) : undefined;
    },
    text: (raw) => (raw < 0 ? `${raw} ${unit}s` : isoTime(nanos(raw))),
  };
}

/** `instant`: a point in time, in UTC; `local`: what a calendar and a clock show. */
export function timestamps(unit: TimeUnit, of: 'instant' | 'local'): Leaf<bigint> {
  const text = (raw: bigint): string => `${isoTimestamp(raw * nanosIn[unit])}${of === 'instant' ? 'Z' : ''}`;
  if (unit === 'nanosecond' && of === 'local') {
    const value = (raw: bigint) =>
      raw >= FIRST_NANOS && raw <= LAST_NANOS ? new DuckDBTimestampNanosecondsValue(raw) : undefined;
    return { type: TIMESTAMP_NS, value, text };
  }
  const make = of === 'instant' ? DuckDBTimestampTZValue : DuckDBTimestampValue;
  const value = (raw: bigint): DuckDBValue | undefined => {
    const micros = microsOf(raw * nanosIn[unit]);
    if (micros === undefined || micros < FIRST_MICROS || micros > LAST_MICROS) return undefined;
    return new make(micros);
  };
  return { type: of === 'instant' ? TIMESTAMPTZ : TIMESTAMP, value, text };
}

/** Of sixteen bytes. */
export const uuids: Leaf<Uint8Array> = {
  type: UUID,
  value: (raw) => DuckDBUUIDValue.fromUint128(BigInt(`0x${Buffer.from(raw).toString('hex')}`)),
  text: (raw) =>
    Buffer.from(raw)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
};

/** How values of a leaf are made in a mode. */
export function making<R>(leaf: Leaf<R>, mode: Mode, reading: Reading): (raw: R) => DuckDBValue {
  if (mode === 'text') return leaf.text;
  if (mode === 'json') return leaf.bare === true ? leaf.text : (raw) => JSON.stringify(leaf.text(raw));
  return (raw) => {
    const value = leaf.value(raw);
    return value === undefined ? reading.note(leaf.text(raw)) : value;
  };
}
