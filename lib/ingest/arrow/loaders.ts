// A loader for each type of Arrow.
import { BIGINT, type DuckDBType, VARCHAR } from '@duckdb/node-api';
import { isoDuration } from '../../query/calendar.ts';
import * as leaf from '../rows/leaves.ts';
import type { Mode } from '../rows/reading.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import { bits, fixed, type Load, type Loader, type Loading, textOf, validity, variable } from './load.ts';
import { nestedLoader } from './nested.ts';
import type { ArrowField, ArrowType } from './schema.ts';
import { dictionaryLoader } from './dictionary.ts';

type Get<R> = (view: DataView, at: number) => R;

const bigint: Get<bigint> = (view, at) => view.getBigInt64(at, true);
const int: Get<number> = (view, at) => view.getInt32(at, true);

/** By number of bits, signed and not. */
const wholes: Readonly<Record<string, Get<number>>> = {
  '8 true': (view, at) => view.getInt8(at),
  '8 false': (view, at) => view.getUint8(at),
  '16 true': (view, at) => view.getInt16(at, true),
  '16 false': (view, at) => view.getUint16(at, true),
  '32 true': int,
  '32 false': (view, at) => view.getUint32(at, true),
};

/** IEEE 754 of 16 bits; each is a FLOAT as well. */
function half(view: DataView, at: number): number {
  const word = view.getUint16(at, true);
  const [exponent, fraction] = [(word >> 10) & 31, word & 1023];
  const sign = word >> 15 === 1 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A whole number of 32 to 256 bits. */
const unscaled =
  (width: number): Get<bigint> =>
  (view, at) => {
    let value = width === 4 ? BigInt(view.getInt32(at, true)) : view.getBigInt64(at + width - 8, true);
    for (let word = at + width - 16; word >= at; word -= 8) value = (value << 64n) | view.getBigUint64(word, true);
    return value;
  };

function leafLoader<R>(loading: Loading, mode: Mode, of: leaf.Leaf<R>, width: number, get: Get<R>): Loader {
  const type = mode === 'typed' ? of.type : VARCHAR;
  return fixed(loading, type, width, get, leaf.making(of, mode, loading.reading));
}

function intLoader(loading: Loading, mode: Mode, bitCount: number, signed: boolean): Loader {
  if (bitCount === 64 && signed) return leafLoader(loading, mode, leaf.bigints, 8, bigint);
  if (bitCount === 64) return leafLoader(loading, mode, leaf.ubigints, 8, (view, at) => view.getBigUint64(at, true));
  const get = wholes[`${bitCount} ${signed}`] ?? int;
  return leafLoader(loading, mode, leaf.integers(bitCount, signed), bitCount / 8, get);
}

function floatLoader(loading: Loading, mode: Mode, bitCount: 16 | 32 | 64): Loader {
  if (bitCount === 64) return leafLoader(loading, mode, leaf.doubles, 8, (view, at) => view.getFloat64(at, true));
  const get: Get<number> = bitCount === 16 ? half : (view, at) => view.getFloat32(at, true);
  return leafLoader(loading, mode, leaf.floats, bitCount / 8, get);
}

const wide = (bitCount: number): Get<bigint | number> => (bitCount === 64 ? bigint : int);

/** An interval is text: Parquet has no form for all of its parts. */
function intervalLoader(loading: Loading, mode: Mode, unit: 'months' | 'days' | 'nanos'): Loader {
  const get: Get<string> = (view, at) => {
    if (unit === 'months') return isoDuration(int(view, at), 0, 0n);
    if (unit === 'days') return isoDuration(0, int(view, at), 1000n * BigInt(int(view, at + 4)));
    return nanosText(int(view, at), int(view, at + 4), bigint(view, at + 8));
  };
  return leafLoader(loading, mode, leaf.texts, { months: 4, days: 8, nanos: 16 }[unit], get);
}

/** An ISO 8601 duration, its time in seconds alone. */
function nanosText(months: number, days: number, nanos: bigint): string {
  const date = isoDuration(months, days, 0n);
  if (nanos === 0n) return date;
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const seconds = `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
  return `${date === 'PT0S' ? 'P' : date}T${seconds}S`;
}

function boolLoader(loading: Loading, mode: Mode): Loader {
  const make = leaf.making(leaf.booleans, mode, loading.reading);
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const isTrue = from === to ? isValid : bits(loading, layout, layout.buffers[0] ?? layout.validity, from, to);
    return (row) => (isValid(row) ? make(isTrue(row)) : null);
  };
  return { type: mode === 'typed' ? leaf.booleans.type : VARCHAR, load };
}

function bytesLoader(loading: Loading, mode: Mode, { kind, offsets }: ArrowType & { kind: 'text' | 'binary' }): Loader {
  const { reading } = loading;
  const of: leaf.Leaf<string> | leaf.Leaf<Uint8Array> = kind === 'text' ? leaf.texts : leaf.blobs;
  const type: DuckDBType = mode === 'typed' ? of.type : VARCHAR;
  if (kind === 'text') {
    const make = leaf.making(leaf.texts, mode, reading);
    return variable(loading, type, offsets, (raw) => make(textOf(reading, raw)));
  }
  return variable(loading, type, offsets, leaf.making(leaf.blobs, mode, reading));
}

/** An extension of 16 bytes that is a UUID; others are bytes. */
function fixedBytes(loading: Loading, mode: Mode, bytes: number, extension: string | undefined): Loader {
  if (bytes > MAX_HELD_BYTES) throw tooLarge('A value', bytes);
  const of = extension === 'arrow.uuid' && bytes === 16 ? leaf.uuids : leaf.blobs;
  const get: Get<Uint8Array> = (view, at) => new Uint8Array(view.buffer, view.byteOffset + at, bytes);
  return leafLoader(loading, mode, of, bytes, (view, at) => {
    loading.reading.spend(bytes);
    return get(view, at);
  });
}

/** How values of this field are loaded; `mode` says as what. */
export function loaderOf(loading: Loading, field: ArrowField, mode: Mode): Loader {
  if (field.dictionary !== undefined) return dictionaryLoader(loading, field, mode, loaderOf);
  const { type } = field;
  switch (type.kind) {
    case 'null':
      return { type: VARCHAR, load: () => () => null };
    case 'bool':
      return boolLoader(loading, mode);
    case 'int':
      return intLoader(loading, mode, type.bits, type.signed);
    case 'float':
      return floatLoader(loading, mode, type.bits);
    case 'decimal':
      return leafLoader(
        loading,
        mode,
        leaf.decimals(type.precision, type.scale),
        type.bits / 8,
        unscaled(type.bits / 8),
      );
    case 'date':
      if (type.unit === 'day') return leafLoader(loading, mode, leaf.dates, 4, int);
      return leafLoader(loading, mode, leaf.dateMillis, 8, bigint);
    case 'time':
      return leafLoader(loading, mode, leaf.times(type.unit), type.bits / 8, wide(type.bits));
    case 'timestamp': {
      const of = type.zone === undefined || type.zone === '' ? 'local' : 'instant';
      return leafLoader(loading, mode, leaf.timestamps(type.unit, of), 8, bigint);
    }
    case 'duration':
      return leafLoader(loading, mode, { ...leaf.bigints, type: BIGINT }, 8, bigint);
    case 'interval':
      return intervalLoader(loading, mode, type.unit);
    case 'text':
    case 'binary':
      return bytesLoader(loading, mode, type);
    case 'fixed binary':
      return fixedBytes(loading, mode, type.bytes, field.extension);
    default:
      return nestedLoader(loading, field, mode, loaderOf);
  }
}
