// Rows of text cut up for DuckDB, which holds 2,048 of them at once and plans longer than linearly with their columns: lengthwise into slices of
// some of the columns, where there are many, and across into pieces of some of the rows, where these are long or have line ends in quotes. What is
// between two cuts is copied as it stands.
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CsvFile, csvRelation, type Rows, SLICE_COLUMNS } from '../typing/relation.ts';
import { type PieceWriter, pieceWriter } from './pieces.ts';
import { rowPieces } from './row-pieces.ts';

/** Where slices and pieces are, in the folder of a call. */
export const SLICES = 'slices';

const [QUOTE, LF, CR] = [34, 10, 13];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** From this length on, 2,048 records may be too much for the engine. */
const LONG_BYTES = 32 * 1024;
/** Of all columns, in a piece; one record where that is longer. */
const PIECE_BYTES = 4 * 2 ** 20;

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

/** The rows of a CSV file whose structure is proven, for DuckDB: over the file itself, or over what it is cut into. */
export async function csvRows(file: CsvFile, slicing: Slicing): Promise<Rows> {
  const { columns, longestRecord } = file;
  const isLong = longestRecord > LONG_BYTES;
  const isOne = columns <= SLICE_COLUMNS && !isLong;
  if (isOne && !(await heldWhole(file))) return [{ from: csvRelation(file), first: 0, columns }];
  const folder = join(slicing.workDir, SLICES);
  await mkdir(folder, { recursive: true });
  if (isOne) {
    const pieces = { ...slicing, path: join(folder, basename(file.path)), pieceBytes: PIECE_BYTES };
    return [{ from: csvRelation(await rowPieces(file, pieces)), first: 0, columns }];
  }
  const bounds = sliceBounds(columns);
  const nameOf = (place: number): string => join(folder, `${basename(file.path)}-${place}`);
  const { paths, ...sizes } = await cut(file, bounds, {
    ...{ ...slicing, nameOf },
    pieceBytes: isLong ? PIECE_BYTES : Infinity,
  });
  return paths.map((own, place) => {
    const [first = 0, end = columns] = [bounds[place], bounds[place + 1]];
    const slice = { ...file, path: nameOf(place), columns: end - first, header: 'no header', newline: 'lf' } as const;
    const from = csvRelation(isLong ? { ...slice, pieces: { paths: own, ...sizes } } : slice, first);
    return { from, first, columns: end - first, ...(isLong && { long: true }) };
  });
}

/** Whether DuckDB would hold all of the file while it reads it, and that is much. */
const heldWhole = async ({ path, quotedNewlines }: CsvFile): Promise<boolean> =>
  quotedNewlines === 'quoted newlines' && (await stat(path)).size > 4 * PIECE_BYTES;

interface Cutting extends Slicing {
  readonly nameOf: (slice: number) => string;
  readonly pieceBytes: number;
}

interface Cut {
  /** Of the pieces of each slice: all slices are cut across at the same rows. */
  readonly paths: string[][];
  /** Bytes of the longest record and of the largest piece, all slices together. */
  readonly longest: number;
  readonly largest: number;
}

async function cut(
  file: CsvFile,
  bounds: readonly number[],
  { nameOf, pieceBytes, maxBytes = Infinity, signal }: Cutting,
): Promise<Cut> {
  const writers = bounds.slice(1).map((_, place) => pieceWriter(nameOf(place), maxBytes));
  try {
    const cutter = rowCutter(file, bounds, { writers, pieceBytes });
    for await (const bytes of createReadStream(file.path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      cutter.take(bytes);
    }
    cutter.end();
    return { paths: writers.map((writer) => writer.paths()), ...cutter.sizes() };
  } finally {
    for (const writer of writers) writer.close();
  }
}

interface Target {
  readonly writers: readonly PieceWriter[];
  readonly pieceBytes: number;
}

/** Where pieces end, by the bytes of the rows. */
function pieceEnds({ writers, pieceBytes }: Target) {
  let inPiece = 0;
  const sizes = { longest: 0, largest: 0 };
  const rowEnds = (bytes: number): void => {
    inPiece += bytes;
    sizes.longest = Math.max(sizes.longest, bytes);
    sizes.largest = Math.max(sizes.largest, inPiece);
    if (inPiece < pieceBytes) return;
    for (const writer of writers) writer.next();
    inPiece = 0;
  };
  return { sizes, rowEnds };
}

/** Writes rows to the slices, the header left out. */
function rowWriter(bounds: readonly number[], target: Target, header: CsvFile['header']) {
  const { writers } = target;
  const { sizes, rowEnds } = pieceEnds(target);
  let [slice, isHeader, inRow] = [0, header === 'header', 0];
  let writer = writers[0] as PieceWriter;
  const open = (place: number): number => {
    slice = place;
    writer = writers[place] as PieceWriter;
    return bounds[place + 1] as number;
  };
  return {
    sizes: () => sizes,
    copy: (bytes: Buffer, from: number, to: number): void => {
      if (to <= from || isHeader) return;
      writer.copy(bytes, from, to);
      inRow += to - from;
    },
    /** Answers the column behind the slice that follows, as `endRow`. */
    endSlice: (): number => {
      if (!isHeader) writer.endRow();
      return open(slice + 1);
    },
    endRow: (): number => {
      if (!isHeader) {
        writer.endRow();
        rowEnds(inRow + 1);
      }
      [isHeader, inRow] = [false, 0];
      return open(0);
    },
  };
}

/** Goes through the bytes once. A field is quoted where it begins with a quote; two quotes inside are the end of one and the start of another. */
function rowCutter({ delimiter, header, newline }: CsvFile, bounds: readonly number[], target: Target) {
  const separator = delimiter.charCodeAt(0);
  const { copy, endRow, endSlice, sizes } = rowWriter(bounds, target, header);
  let [inQuotes, column, isFirst, rowBytes, next] = [false, 0, true, 0, bounds[1] as number];

  const rowEnds = (): void => {
    next = endRow();
    [column, rowBytes] = [0, 0];
  };
  /** Where no line end stands in quotes, a CR is a part of one, also where the next bytes begin with the other part. */
  const withoutCr = (bytes: Buffer, to: number): number => (newline === 'crlf' && bytes[to - 1] === CR ? to - 1 : to);
  const take = (bytes: Buffer): void => {
    let from = isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    isFirst = false;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) inQuotes = !inQuotes;
      if (inQuotes || (byte !== LF && (byte !== separator || ++column !== next))) continue;
      copy(bytes, from, byte === LF ? withoutCr(bytes, at) : at);
      if (byte === LF) rowEnds();
      else next = endSlice();
      from = at + 1;
    }
    rowBytes += bytes.length - from;
    copy(bytes, from, withoutCr(bytes, bytes.length));
  };
  return {
    take,
    sizes,
    /** A last row that no line end closes. */
    end: (): void => {
      if (column > 0 || rowBytes > 0) rowEnds();
    },
  };
}
