// Rows with line ends in quotes, cut across into files for DuckDB. One thread reads them, and holds what it has read of a file until its end: of
// one file, all of it.
import { open } from 'node:fs/promises';
import type { CsvFile } from '../typing/relation.ts';
import { type PieceWriter, pieceWriter } from './pieces.ts';
import { oddQuotes } from './odd-quotes.ts';

const [QUOTE, LF] = [34, 10] as const;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export interface RowPieces {
  /** Of the first piece; the others are named after it. */
  readonly path: string;
  /** Bytes of a piece, which goes on to the end of its last row. */
  readonly pieceBytes: number;
  /** Bytes that all pieces may take together. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes that are read at once. */
  readonly blockBytes?: number;
}

/**
 * The same rows in pieces. Every quote of the file opens a field, closes it, or is one of two that stand for one, so that an odd number of them
 * stands before whatever is in quotes; lines end in LF. Throws the Fault DECOMPRESSION_LIMIT where the pieces take more than they may.
 */
export async function rowPieces(file: CsvFile, { path, pieceBytes, maxBytes = Infinity, ...how }: RowPieces) {
  const { signal, blockBytes = 1 << 20 } = how;
  const writer = pieceWriter(path, maxBytes);
  const source = await open(file.path);
  try {
    const cutter = pieceCutter(file, { writer, pieceBytes });
    const block = Buffer.allocUnsafeSlow(blockBytes);
    for (let read = -1; read !== 0; ) {
      signal?.throwIfAborted();
      read = (await source.read(block, 0, blockBytes)).bytesRead;
      cutter.take(block.subarray(0, read));
    }
    const pieces = { paths: writer.paths(), longest: file.longestRecord, largest: cutter.largest() };
    return { ...file, path, header: 'no header', pieces } as const satisfies CsvFile;
  } finally {
    writer.close();
    await source.close();
  }
}

interface Target {
  readonly writer: PieceWriter;
  readonly pieceBytes: number;
}

function pieceCutter({ header }: CsvFile, { writer, pieceBytes }: Target) {
  let [inHeader, inQuotes, isFirst, inPiece, largest] = [header === 'header', false, true, 0, 0];

  const copy = (bytes: Buffer, from: number, to: number): void => {
    if (inHeader) return;
    writer.copy(bytes, from, to);
    inPiece += to - from;
    largest = Math.max(largest, inPiece);
  };
  /** Behind the line end of the row at hand; undefined where it goes on behind the bytes. */
  const rowEnd = (bytes: Buffer, from: number): number | undefined => {
    for (let at = from; at < bytes.length; at++) {
      if (bytes[at] === QUOTE) inQuotes = !inQuotes;
      else if (bytes[at] === LF && !inQuotes) return at + 1;
    }
    return undefined;
  };
  /** Copies to the end of the row, and goes on in another piece, unless it was the header. */
  const endRow = (bytes: Buffer, from: number): number => {
    const end = rowEnd(bytes, from);
    copy(bytes, from, end ?? bytes.length);
    if (end === undefined) return bytes.length;
    if (!inHeader) writer.next();
    [inHeader, inPiece] = [false, 0];
    return end;
  };
  const inside = (bytes: Buffer, from: number): number => {
    const end = Math.min(bytes.length, from + pieceBytes - inPiece);
    if (oddQuotes(bytes, from, end)) inQuotes = !inQuotes;
    copy(bytes, from, end);
    return end;
  };
  return {
    largest: () => largest,
    take: (bytes: Buffer): void => {
      let at = isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
      isFirst = false;
      while (at < bytes.length) at = inHeader || inPiece >= pieceBytes ? endRow(bytes, at) : inside(bytes, at);
    },
  };
}
