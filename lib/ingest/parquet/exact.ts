// Columns whose values DuckDB would cut or garble: where it loses nothing of a file's values the file stays as it is, else they become text.
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import {
  BLOB,
  DuckDBBlobValue,
  DuckDBIntervalValue,
  DuckDBTimestampNanosecondsValue,
  type DuckDBType,
  type DuckDBValue,
  INTERVAL,
  TIMESTAMP_NS,
} from '@duckdb/node-api';
import { asError, must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { isoTimestamp } from '../../query/calendar.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import { decimals } from '../rows/leaves.ts';
import { rowGroupRows } from '../typing/row-groups.ts';
import { warn } from '../warnings.ts';
import { anyWithin, leavesIn, rebuilt } from './each-leaf.ts';
import { type Footer, footerOf, replaceFooter } from './footer.ts';
import { type Inexact, type InexactLeaves, plainFooter } from './inexact.ts';
import { numberedRows } from './numbered-rows.ts';

const SHOWN_CHARACTERS = 100;
/** Of values in a row group. */
const GROUP_BYTES = 48 * 2 ** 20;
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
interface Reading {
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

const readingOf = (leaf: Inexact): Reading =>
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

function defineTexts(engine: Engine, { leaves }: InexactLeaves): void {
  engine.defineText('text_of_instant', TIMESTAMP_NS, instantText);
  engine.defineText('text_of_int96', INTERVAL, int96Text);
  const scales = new Set([...leaves.values()].flatMap((leaf) => (leaf.kind === 'decimal' ? leaf.scale : [])));
  for (const scale of scales) engine.defineText(`text_of_decimal_${scale}`, BLOB, decimalText(scale));
}

/** A map with a key twice is none to DuckDB, and no object to who asks for it; as JSON text it has both. */
const repeatsKey = (map: string): string => `len(list_distinct(map_keys(${map}))) < cardinality(${map})`;

/** A column with leaves of this kind or with maps, and what is to be done with it. */
interface Affected {
  readonly column: Column;
  readonly loses: string;
  readonly asRead: string;
  readonly asText: string;
  readonly hasDecimals: boolean;
}

function affected(columns: readonly Column[], types: readonly DuckDBType[], { leaves, count }: InexactLeaves) {
  let first = 0;
  const each = columns.map((column, place): Affected | undefined => {
    const type = must(types[place], 'a type');
    const value = identifier(column.name);
    const from = first;
    first += leavesIn(type);
    const of = (make: keyof Reading) => (leafValue: string, leaf: number) => {
      const found = leaves.get(leaf);
      return found && readingOf(found)[make](leafValue);
    };
    const loses = anyWithin(type, value, from, { leaf: of('loses'), map: repeatsKey });
    if (loses === undefined) return undefined;
    const asRead = rebuilt(type, value, from, of('asRead')) ?? value;
    const asText = rebuilt(type, value, from, of('asText')) ?? `to_json(${value})::VARCHAR`;
    const kinds = [...leaves].filter(([leaf]) => leaf >= from && leaf < first).map(([, { kind }]) => kind);
    return { column, loses, asRead, asText, hasDecimals: kinds.includes('decimal') };
  });
  if (first === count || leaves.size === 0) return each;
  throw new Fault(
    'UNSUPPORTED_SCHEMA',
    'A column is nested in a way that is not read beside times in nanoseconds or long decimals.',
  );
}

interface Loss {
  readonly count: number;
  readonly row: number;
  readonly example: string | null;
}

/** What each column would lose, in the same places. A text is made of the first value alone: making it takes longer than the question. */
async function lossesOf(
  engine: Engine,
  path: string,
  of: readonly Column[],
  columns: readonly (Affected | undefined)[],
) {
  const { from, number } = numberedRows(path, of);
  const asked = columns.flatMap((column) =>
    column === undefined ? ['0', 'NULL'] : [`count_if(${column.loses})`, `min(${number}) FILTER (${column.loses})`],
  );
  const [found = []] = await engine.texts(`SELECT ${asked.join(', ')} FROM ${from}`);
  const losses: (Loss | undefined)[] = [];
  for (const [place, column] of columns.entries()) {
    const [count, row] = [Number(found[2 * place]), Number(found[2 * place + 1])];
    const [[example = null] = []] =
      column === undefined || count === 0
        ? []
        : await engine.texts(`SELECT ${column.asText} FROM ${from} WHERE ${number} = ${row}`);
    losses.push(count === 0 ? undefined : { count, row: row + 1, example });
  }
  return losses;
}

function lossWarning({ column, hasDecimals }: Affected, loss: Loss | undefined): Warning | undefined {
  if (hasDecimals)
    return warn('TYPE_AS_TEXT', { column: column.name, detail: 'They are decimals of more than 38 digits.' });
  if (loss === undefined) return undefined;
  const { count, row, example } = loss;
  return warn('TYPE_AS_TEXT', {
    column: column.name,
    row,
    count,
    ...(example !== null && { example: example.slice(0, SHOWN_CHARACTERS) }),
  });
}

function plainly(footer: Footer, leaves: InexactLeaves): Footer {
  try {
    return plainFooter(footer, leaves);
  } catch (thrown) {
    throw new Fault('PARSE_ERROR', `Parquet: ${asError(thrown).message}.`, { cause: thrown });
  }
}

/** Makes `target` a copy of `path` in which DuckDB reads what is stored in these leaves. Gives back how to undo that. Throws the Fault PARSE_ERROR. */
export async function copyPlain(path: string, target: string, leaves: InexactLeaves): Promise<() => Promise<void>> {
  const footer = await footerOf(path);
  const plain = plainly(footer, leaves);
  await copyFile(path, target);
  await replaceFooter(target, plain);
  return () => replaceFooter(target, footer);
}

export interface Plain {
  /** A plain copy, or the file itself where it has no leaves of this kind. */
  readonly path: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly leaves: InexactLeaves;
}

/** Writes `target`, which may be the plain copy, where a column loses something; the warnings tell which. Undefined where none does. */
export async function writeExact(engine: Engine, read: Plain, target: string): Promise<Warning[] | undefined> {
  const { path, leaves } = read;
  const from = `read_parquet(${literal(path)})`;
  const columns = affected(read.columns, await engine.types(`FROM ${from}`), leaves);
  if (columns.every((column) => column === undefined)) return undefined;
  defineTexts(engine, leaves);
  const losses = await lossesOf(engine, path, read.columns, columns);
  const warned = columns.map((column, place) => column && lossWarning(column, losses[place]));
  const warnings = warned.filter((warning) => warning !== undefined);
  if (warnings.length === 0) return undefined;
  const values = columns.map((column, place) => {
    const name = identifier(read.columns[place]?.name ?? '');
    if (column === undefined) return name;
    return `${warned[place] === undefined ? column.asRead : column.asText} AS ${name}`;
  });
  const { size: bytes } = await stat(path);
  const group = rowGroupRows({ bytes, rows: read.rowCount, columns: columns.length });
  const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${group}, ROW_GROUP_SIZE_BYTES ${GROUP_BYTES}`;
  // One thread keeps the order of rows; asked to keep it, DuckDB counts no bytes.
  await engine.run('SET threads = 1; SET preserve_insertion_order = false');
  const exact = `${target}-exact`;
  try {
    await engine.run(`COPY (SELECT ${values.join(', ')} FROM ${from}) TO ${literal(exact)} (${options})`);
    await rename(exact, target);
  } finally {
    await rm(exact, { force: true });
  }
  return warnings;
}
