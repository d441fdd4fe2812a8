// A reader for each type of Avro: takes a value off the block and makes it what DuckDB holds.
import { isUtf8 } from 'node:buffer';
import { type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import { isoDuration } from '../../query/calendar.ts';
import * as leaf from '../rows/leaves.ts';
import { fieldNames, inside, listOf, listType, mapOf, mapType, structOf, structType } from '../rows/nested.ts';
import type { Mode, Reading } from '../rows/reading.ts';
import { type Cursor, damaged, readBytes, readCount, readInt, readLong, readSize } from './cursor.ts';
import type { AvroField, AvroType, Logical } from './schema.ts';

export interface ValueReader {
  readonly type: DuckDBType;
  readonly read: (cursor: Cursor) => DuckDBValue;
}

const MAX_DECIMAL_BYTES = 1024;
const DECIMAL_DIGITS = 10_000;
const ELEMENT_BYTES = 8;

/** Bytes, most significant first, in two's complement. */
function unscaled(bytes: Buffer): bigint {
  if (bytes.length > MAX_DECIMAL_BYTES) throw damaged(`a decimal has ${bytes.length} bytes.`);
  return bytes.length === 0 ? 0n : BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));
}

/** Of a decimal that the specification allows; another says nothing. */
function decimalOf({ logical, precision = 0, scale = 0 }: Logical): leaf.Leaf<bigint> | undefined {
  const isDecimal = logical === 'decimal' && precision > 0 && precision <= DECIMAL_DIGITS;
  return isDecimal && scale >= 0 && scale <= precision ? leaf.decimals(precision, scale) : undefined;
}

const longs: Readonly<Record<string, leaf.Leaf<bigint>>> = {
  'time-micros': leaf.times('microsecond'),
  'timestamp-millis': leaf.timestamps('millisecond', 'instant'),
  'timestamp-micros': leaf.timestamps('microsecond', 'instant'),
  'timestamp-nanos': leaf.timestamps('nanosecond', 'instant'),
  'local-timestamp-millis': leaf.timestamps('millisecond', 'local'),
  'local-timestamp-micros': leaf.timestamps('microsecond', 'local'),
  'local-timestamp-nanos': leaf.timestamps('nanosecond', 'local'),
};

const ints: Readonly<Record<string, leaf.Leaf<number>>> = {
  date: leaf.dates,
  'time-millis': leaf.times('millisecond'),
};

const ofLogical = <T>(known: Readonly<Record<string, T>>, { logical = '' }: Logical): T | undefined =>
  Object.hasOwn(known, logical) ? known[logical] : undefined;

function duration(bytes: Buffer): string {
  return isoDuration(bytes.readUInt32LE(0), bytes.readUInt32LE(4), 1000n * BigInt(bytes.readUInt32LE(8)));
}

export const isDuration = (type: AvroType): boolean =>
  type.kind === 'fixed' && type.logical === 'duration' && type.size === 12;

/** The types that stand by themselves. */
function leafReader(type: AvroType, mode: Mode, reading: Reading): ValueReader | undefined {
  const made = <R>(of: leaf.Leaf<R>, read: (cursor: Cursor) => R): ValueReader => {
    const make = leaf.making(of, mode, reading);
    return { type: mode === 'typed' ? of.type : VARCHAR, read: (cursor) => make(read(cursor)) };
  };
  const sized =
    (length: (cursor: Cursor) => number) =>
    (cursor: Cursor): Buffer => {
      const bytes = readBytes(cursor, length(cursor));
      reading.spend(bytes.length);
      return bytes;
    };
  switch (type.kind) {
    case 'null':
      return { type: VARCHAR, read: () => null };
    case 'boolean':
      return made(leaf.booleans, (cursor) => booleanIn(readBytes(cursor, 1)));
    case 'int':
      return made(ofLogical(ints, type) ?? leaf.integers(32, true), readInt);
    case 'long':
      return made(ofLogical(longs, type) ?? leaf.bigints, readLong);
    case 'float':
      return made(leaf.floats, (cursor) => readBytes(cursor, 4).readFloatLE());
    case 'double':
      return made(leaf.doubles, (cursor) => readBytes(cursor, 8).readDoubleLE());
    case 'string':
      return made(leaf.texts, (cursor) => textIn(reading, sized(readSize)(cursor)));
    case 'enum':
      return made(leaf.texts, (cursor) => symbolAt(type.symbols, readInt(cursor)));
    case 'bytes': {
      const decimal = decimalOf(type);
      if (decimal === undefined) return made(leaf.blobs, sized(readSize));
      return made(decimal, (cursor) => unscaled(sized(readSize)(cursor)));
    }
    case 'fixed': {
      const [decimal, read] = [decimalOf(type), sized(() => type.size)];
      if (decimal !== undefined) return made(decimal, (cursor) => unscaled(read(cursor)));
      if (isDuration(type)) return made(leaf.texts, (cursor) => duration(read(cursor)));
      return made(type.logical === 'uuid' && type.size === 16 ? leaf.uuids : leaf.blobs, read);
    }
    default:
      return undefined;
  }
}

function booleanIn([byte]: Buffer): boolean {
  if (byte !== 0 && byte !== 1) throw damaged('a boolean is neither true nor false.');
  return byte === 1;
}

function textIn(reading: Reading, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw reading.fault('ENCODING_INVALID', 'the text is not UTF-8.');
  return bytes.toString('utf8');
}

function symbolAt(symbols: readonly string[], place: number): string {
  const symbol = symbols[place];
  if (symbol === undefined) throw damaged(`a value has the place ${place} among ${symbols.length} symbols.`);
  return symbol;
}

/** All items of an array or a map, block after block. */
function readItems<T>(reading: Reading, cursor: Cursor, read: () => T): T[] {
  const items: T[] = [];
  for (let count = readCount(cursor); count > 0; count = readCount(cursor)) {
    reading.spend(ELEMENT_BYTES * count);
    for (let item = 0; item < count; item++) items.push(read());
  }
  return items;
}

function arrayReader(of: AvroType, mode: Mode, reading: Reading): ValueReader {
  const item = readerOf(of, inside(mode), reading);
  const read = (cursor: Cursor): DuckDBValue => {
    const items = readItems(reading, cursor, () => item.read(cursor));
    return listOf(reading, mode, items.length, (at) => items[at] ?? null);
  };
  return { type: listType(item.type, mode), read };
}

function mapReader(of: AvroType, mode: Mode, reading: Reading): ValueReader {
  const [key, value] = [{ kind: 'string' } as const, of].map((one) => readerOf(one, inside(mode), reading));
  if (key === undefined || value === undefined) throw new TypeError('a map has keys and values');
  const pairs = (cursor: Cursor) => readItems(reading, cursor, () => [key.read(cursor), value.read(cursor)] as const);
  return { type: mapType(key.type, value.type, mode), read: (cursor) => mapOf(reading, mode, pairs(cursor)) };
}

function recordReader(fields: readonly AvroField[], mode: Mode, reading: Reading): ValueReader {
  const names = fieldNames(fields.map(({ name }) => name));
  const readers = fields.map(({ type }) => readerOf(type, inside(mode), reading));
  const read = (cursor: Cursor): DuckDBValue =>
    structOf(
      names,
      readers.map((one) => one.read(cursor)),
      mode,
    );
  return {
    type: structType(
      names,
      readers.map(({ type }) => type),
      mode,
    ),
    read,
  };
}

/** Of one type and null: that type. Of several: a struct with a field for each. */
function unionReader(branches: readonly AvroField[], mode: Mode, reading: Reading): ValueReader {
  const present = branches.filter(({ type }) => type.kind !== 'null');
  const [only] = present;
  const inner = present.length > 1 ? inside(mode) : mode;
  const readers = new Map(present.map((branch) => [branch, readerOf(branch.type, inner, reading)]));
  const branchOf = (cursor: Cursor): AvroField => {
    const place = readSize(cursor);
    const branch = branches[place];
    if (branch === undefined) throw damaged(`a value is of type ${place} of a union of ${branches.length}.`);
    return branch;
  };
  if (present.length <= 1) {
    const type = (only && readers.get(only)?.type) ?? VARCHAR;
    return { type, read: (cursor) => readers.get(branchOf(cursor))?.read(cursor) ?? null };
  }
  const names = fieldNames(present.map(({ name }) => name));
  const types = present.map((branch) => readers.get(branch)?.type ?? VARCHAR);
  const read = (cursor: Cursor): DuckDBValue => {
    const branch = branchOf(cursor);
    const value = readers.get(branch)?.read(cursor);
    if (value === undefined) return null;
    return structOf(
      names,
      present.map((one) => (one === branch ? value : null)),
      mode,
    );
  };
  return { type: structType(names, types, mode), read };
}

/** How values of this type are read; `mode` says as what. */
export function readerOf(type: AvroType, mode: Mode, reading: Reading): ValueReader {
  switch (type.kind) {
    case 'array':
      return arrayReader(type.of, mode, reading);
    case 'map':
      return mapReader(type.of, mode, reading);
    case 'record':
      return recordReader(type.fields, mode, reading);
    case 'union':
      return unionReader(type.branches, mode, reading);
    default: {
      const reader = leafReader(type, mode, reading);
      if (reader === undefined) throw new TypeError(`no reader for ${type.kind}`);
      return reader;
    }
  }
}
