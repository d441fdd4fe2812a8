// A table with many columns, cut lengthwise: DuckDB holds 2,048 rows of all columns that a statement reads, and plans longer than linearly
// with them. Each slice is a CSV file of some of the columns; what is between two of them in a row is copied as it stands.
import { createReadStream, openSync, closeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CsvFile, csvRelation, type Rows, SLICE_COLUMNS } from '../typing/relation.ts';
import { type ByteSink, byteSink, intoFile } from './sink.ts';

/** Where slices are, in the folder of a call. */
export const SLICES = 'slices';

const [QUOTE, LF, CR] = [34, 10, 13];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

interface Slicing {
  readonly workDir: string;
  /** Bytes that all slices may take together. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The first column of each slice, and the number behind the last: all of about one width, so that none has one column alone. */
export function sliceBounds(columns: number): readonly number[] {
  const slices = Math.ceil(columns / SLICE_COLUMNS);
  return Array.from({ length: slices + 1 }, (_, place) => Math.floor((place * columns) / slices));
}

/** The rows of a CSV file whose structure is proven, for DuckDB: over the file itself, or over slices of it where it is wide. */
export async function csvRows(file: CsvFile, slicing: Slicing): Promise<Rows> {
  const { columns } = file;
  if (columns <= SLICE_COLUMNS) return [{ from: csvRelation(file), first: 0, columns }];
  const folder = join(slicing.workDir, SLICES);
  await mkdir(folder, { recursive: true });
  const bounds = sliceBounds(columns);
  const paths = bounds.slice(1).map((_, place) => join(folder, `${basename(file.path)}-${place}`));
  await cut(file, bounds, paths, slicing);
  return paths.map((path, place) => {
    const [first = 0, end = columns] = [bounds[place], bounds[place + 1]];
    const own = { ...file, path, columns: end - first, header: 'no header', newline: 'lf' } as const;
    return { from: csvRelation(own, first), first, columns: end - first };
  });
}

async function cut(
  file: CsvFile,
  bounds: readonly number[],
  paths: readonly string[],
  { maxBytes = Infinity, signal }: Slicing,
): Promise<void> {
  const handles = paths.map((path) => openSync(path, 'w'));
  try {
    const sinks = handles.map((fd) => byteSink(intoFile(fd, maxBytes), 64 * 1024));
    for (const sink of sinks) sink.copy(BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    const cutter = rowCutter(file, bounds, sinks);
    for await (const bytes of createReadStream(file.path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      cutter.take(bytes);
    }
    cutter.end();
    for (const sink of sinks) sink.drain();
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

/** Goes through the bytes once. A field is quoted where it begins with a quote; two quotes inside are the end of one and the start of another. */
function rowCutter({ delimiter, header, newline }: CsvFile, bounds: readonly number[], sinks: readonly ByteSink[]) {
  const separator = delimiter.charCodeAt(0);
  let [inQuotes, column, slice, isHeader, isFirst, rowBytes] = [false, 0, 0, header === 'header', true, 0];
  let sink = sinks[0] as ByteSink;
  let next = bounds[1] as number;

  const open = (place: number): void => {
    slice = place;
    sink = sinks[place] as ByteSink;
    next = bounds[place + 1] as number;
  };
  const endRow = (): void => {
    if (!isHeader) sink.endRow();
    isHeader = false;
    [column, rowBytes] = [0, 0];
    open(0);
  };
  const copy = (bytes: Buffer, from: number, to: number): void => {
    if (to > from && !isHeader) sink.copy(bytes, from, to);
  };
  const endOfSlice = (bytes: Buffer, from: number, to: number): void => {
    copy(bytes, from, to);
    if (!isHeader) sink.endRow();
    open(slice + 1);
  };
  const endOfRow = (bytes: Buffer, from: number, to: number): void => {
    copy(bytes, from, newline === 'crlf' && bytes[to - 1] === CR ? to - 1 : to);
    endRow();
  };
  const take = (bytes: Buffer): void => {
    let from = isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    isFirst = false;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) inQuotes = !inQuotes;
      if (inQuotes || (byte !== LF && (byte !== separator || ++column !== next))) continue;
      if (byte === LF) endOfRow(bytes, from, at);
      else endOfSlice(bytes, from, at);
      from = at + 1;
    }
    rowBytes += bytes.length - from;
    copy(bytes, from, bytes.length);
  };
  return {
    take,
    /** A last row that no line end closes. */
    end: (): void => {
      if (column > 0 || rowBytes > 0) endRow();
    },
  };
}
