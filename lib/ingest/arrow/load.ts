// Columns of a batch, some rows at a time: what lies in the buffers for these rows is read, and a value made when it is asked for.
import { isUtf8 } from 'node:buffer';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { Reading } from '../rows/reading.ts';
import { slice } from './body.ts';
import { damaged } from './flatbuffer.ts';
import type { Layout } from './layout.ts';
import type { ArrowField } from './schema.ts';

/** The value of a row, counted from the first row that was loaded. */
export type Cell = (row: number) => DuckDBValue;
/** Loads rows `from` to `to`, of those in the batch. */
export type Load = (layout: Layout, from: number, to: number) => Cell;

export interface Loader {
  readonly type: DuckDBType;
  readonly load: Load;
}

/** What loaders share in one pass over a file. */
export interface Loading {
  readonly reading: Reading;
  readonly budget: Budget;
  /** Values of a dictionary, as the field with this place wants them. */
  readonly dictionaries: Map<number, Dictionary[]>;
}

/** What a field makes of the values of its dictionary. */
export interface Dictionary {
  readonly field: ArrowField;
  readonly loader: Loader;
  values: DuckDBValue[];
  /** What each takes in a row. */
  sizes: number[];
  /** The text of those that the type of the column does not hold. */
  misfits: Map<number, string>;
}

/** The bytes that the rows at hand may take in memory. */
export interface Budget {
  left: number;
}

/** Rows take more than the budget: fewer of them are to be loaded at once. */
export class TooMuch extends Error {}

export function take({ budget }: Loading, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new TooMuch();
}

/** Bits of a bitmap from `from` on. */
export function bits(loading: Loading, layout: Layout, region: Layout['validity'], from: number, to: number) {
  const first = Math.floor(from / 8);
  take(loading, (to - from) / 8);
  const bytes = slice(layout.body, region, first, Math.ceil(to / 8));
  const start = from - 8 * first;
  return (row: number): boolean => (((bytes[(start + row) >> 3] ?? 0) >> ((start + row) & 7)) & 1) === 1;
}

const all = (): boolean => true;

export function validity(loading: Loading, layout: Layout, from: number, to: number): (row: number) => boolean {
  if (layout.validity.length === 0 || from === to) return all;
  return bits(loading, layout, layout.validity, from, to);
}

/** Items of `width` bytes, from `from` on. */
export function items(
  loading: Loading,
  layout: Layout,
  buffer: number,
  width: number,
  from: number,
  to: number,
): DataView {
  take(loading, (to - from) * width);
  const region = layout.buffers[buffer] ?? { offset: 0, length: 0 };
  const bytes = slice(layout.body, region, from * width, to * width);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A loader of values of one width. */
export function fixed<R>(
  loading: Loading,
  type: DuckDBType,
  width: number,
  get: (view: DataView, at: number) => R,
  make: (raw: R) => DuckDBValue,
): Loader {
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const view = items(loading, layout, 0, width, from, to);
    return (row) => (isValid(row) ? make(get(view, row * width)) : null);
  };
  return { type, load };
}

const longs = (view: DataView, at: number): number => Number(view.getBigInt64(at, true));
const ints = (view: DataView, at: number): number => view.getInt32(at, true);

/** Where each of the rows starts and ends in what lies below it. */
export interface Ranges {
  readonly first: number;
  readonly last: number;
  readonly of: (row: number) => { readonly start: number; readonly end: number };
}

export function ranges(loading: Loading, layout: Layout, width: 32 | 64, from: number, to: number): Ranges {
  if (from === to) return { first: 0, last: 0, of: () => ({ start: 0, end: 0 }) };
  const [bytes, read] = width === 32 ? [4, ints] : [8, longs];
  const view = items(loading, layout, 0, bytes, from, to + 1);
  const [first, last] = [read(view, 0), read(view, (to - from) * bytes)];
  if (first < 0 || last < first) throw damaged('the places of values go backwards.');
  const of = (row: number) => {
    const [start, end] = [read(view, row * bytes), read(view, (row + 1) * bytes)];
    if (start < first || end < start || end > last) throw damaged('the places of values go backwards.');
    return { start: start - first, end: end - first };
  };
  return { first, last, of };
}

/** Places and lengths of list views. */
export function viewRanges(loading: Loading, layout: Layout, width: 32 | 64, from: number, to: number): Ranges {
  const [bytes, read] = width === 32 ? [4, ints] : [8, longs];
  const [offsets, sizes] = [0, 1].map((buffer) => items(loading, layout, buffer, bytes, from, to));
  if (offsets === undefined || sizes === undefined) return { first: 0, last: 0, of: () => ({ start: 0, end: 0 }) };
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < to - from; at++) {
    const [offset, size] = [read(offsets, at * bytes), read(sizes, at * bytes)];
    if (offset < 0 || size < 0) throw damaged('the places of values are negative.');
    if (size > 0) [first, last] = [Math.min(first, offset), Math.max(last, offset + size)];
  }
  if (last === 0) first = 0;
  const of = (row: number) => {
    const [offset, size] = [read(offsets, row * bytes), read(sizes, row * bytes)];
    return size === 0 ? { start: 0, end: 0 } : { start: offset - first, end: offset - first + size };
  };
  return { first, last, of };
}

/** Texts or bytes with offsets, or as views. */
export function variable(
  loading: Loading,
  type: DuckDBType,
  offsets: 32 | 64 | 'view',
  make: (raw: Buffer) => DuckDBValue,
): Loader {
  const { reading } = loading;
  const spent = (raw: Buffer): DuckDBValue => {
    reading.spend(raw.length);
    return make(raw);
  };
  if (offsets === 'view') return { type, load: views(loading, spent) };
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const { first, last, of } = ranges(loading, layout, offsets, from, to);
    take(loading, last - first);
    const data = slice(layout.body, layout.buffers[1] ?? { offset: 0, length: 0 }, first, last);
    return (row) => {
      if (!isValid(row)) return null;
      const { start, end } = of(row);
      return spent(data.subarray(start, end));
    };
  };
  return { type, load };
}

const INLINE_BYTES = 12;
const VIEW_BYTES = 16;

const views =
  (loading: Loading, make: (raw: Buffer) => DuckDBValue): Load =>
  (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const view = items(loading, layout, 0, VIEW_BYTES, from, to);
    return (row) => {
      if (!isValid(row)) return null;
      const at = row * VIEW_BYTES;
      const length = view.getInt32(at, true);
      if (length < 0) throw damaged('a value has a negative length.');
      if (length <= INLINE_BYTES) return make(Buffer.from(view.buffer, view.byteOffset + at + 4, length));
      const region = layout.variadic[view.getInt32(at + 8, true)];
      if (region === undefined) throw damaged('a value stands in a buffer that is not there.');
      loading.reading.spend(length);
      const start = view.getInt32(at + 12, true);
      return make(slice(layout.body, region, start, start + length));
    };
  };

/** Throws the Fault ENCODING_INVALID. */
export function textOf(reading: Reading, raw: Buffer): string {
  if (isUtf8(raw)) return raw.toString('utf8');
  throw reading.fault('ENCODING_INVALID', 'the text is not UTF-8.');
}
