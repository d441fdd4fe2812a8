// How each kind of value that DuckDB would cut or garble is asked about, read and written as text, in SQL of what is stored.
import {
  BLOB,
  DuckDBBlobValue,
  DuckDBIntervalValue,
  DuckDBTimestampNanosecondsValue,
  type DuckDBValue,
  INTERVAL,
  TIMESTAMP_NS,
} from '@duckdb/node-api';
import { isoTimestamp } from '../../query/calendar.ts';
import type { Engine } from '../engine/engine.ts';
import { decimals } from '../rows/leaves.ts';
import type { Inexact, InexactLeaves } from './inexact.ts';

const EPOCH_JULIAN_DAY = 2_440_588;
const DAY_NANOS = 86_400_000_000_000n;
/** Days from the epoch that a timestamp of DuckDB reaches for certain. */
const DAYS = 100_000_000;

/** INT96 read as an interval: nanoseconds as 32 bits of months and 32 bits of days, the Julian day as milliseconds. */
const unsigned = (number: string): string => `(${number} & 4294967295)`;
const lowOf = (value: string): string => unsigned(`(12 * date_part('year', ${value}) + date_part('month', ${value}))`);
const highOf = (value: string): string => unsigned(`date_part('day', ${value})`);
const dayOf = (value: string): string =>
  `(3600000 * date_part('hour', ${value}) + 60000 * date_part('minute', ${value}) + date_part('millisecond', ${value}) - ${EPOCH_JULIAN_DAY})`;
/** The greatest upper half of the nanoseconds of a day. */
const DAY_HIGH = Number(DAY_NANOS >> 32n);

/** Whether DuckDB's own reading loses something, that reading, and the text that loses nothing, each as SQL of what is stored. */
export interface Reading {
  readonly loses: (value: string) => string;
  readonly asRead: (value: string) => string;
  readonly asText: (value: string) => string;
}

const nanoseconds: Reading = {
  loses: (value) => `(epoch_ns(${value}) % 1000 <> 0 OR NOT isfinite(${value}))`,
  asRead: (value) => `${value}::TIMESTAMP::TIMESTAMPTZ`,
  asText: (value) => `text_of_instant(${value})`,
};

const int96: Reading = {
  loses: (value) =>
    `((${highOf(value)} * ${2 ** 32 % 1000} + ${lowOf(value)}) % 1000 <> 0 OR ${highOf(value)} > ${DAY_HIGH} OR abs(${dayOf(value)}) > ${DAYS})`,
  asRead: (value) =>
    `make_timestamp(${dayOf(value)} * 86400000000 + (${highOf(value)} * ${2 ** 32} + ${lowOf(value)}) // 1000)`,
  asText: (value) => `text_of_int96(${value})`,
};

const decimal = (scale: number): Reading => ({
  loses: () => 'true',
  asRead: (value) => value,
  asText: (value) => `text_of_decimal_${scale}(${value})`,
});

export const readingOf = (leaf: Inexact): Reading =>
  leaf.kind === 'decimal' ? decimal(leaf.scale) : { nanoseconds, int96 }[leaf.kind];

const bytesOf = (value: DuckDBValue): Buffer => {
  if (!(value instanceof DuckDBBlobValue)) throw new TypeError('the value is no bytes');
  return Buffer.from(value.bytes);
};

function int96Text(value: DuckDBValue): string {
  if (!(value instanceof DuckDBIntervalValue)) throw new TypeError('the value is no interval');
  const [low, high] = [BigInt.asUintN(32, BigInt(value.months)), BigInt(value.days)];
  const day = value.micros / 1000n - BigInt(EPOCH_JULIAN_DAY);
  return isoTimestamp(day * DAY_NANOS + (high << 32n) + low);
}

function instantText(value: DuckDBValue): string {
  if (!(value instanceof DuckDBTimestampNanosecondsValue)) throw new TypeError('the value is no time');
  return `${isoTimestamp(value.nanos)}Z`;
}

/** Of a whole number of any length, the greatest byte first. */
const decimalText = (scale: number) => (value: DuckDBValue) => {
  const bytes = bytesOf(value);
  const unsigned = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
  return decimals(DECIMAL_WIDTH, scale).text(BigInt.asIntN(8 * bytes.length, unsigned));
};
/** More digits than any DECIMAL has. */
const DECIMAL_WIDTH = 1000;

/** Defines the SQL functions that `asText` names. */
export function defineTexts(engine: Engine, { leaves }: InexactLeaves): void {
  engine.defineText('text_of_instant', TIMESTAMP_NS, instantText);
  engine.defineText('text_of_int96', INTERVAL, int96Text);
  const scales = new Set([...leaves.values()].flatMap((leaf) => (leaf.kind === 'decimal' ? leaf.scale : [])));
  for (const scale of scales) engine.defineText(`text_of_decimal_${scale}`, BLOB, decimalText(scale));
}
