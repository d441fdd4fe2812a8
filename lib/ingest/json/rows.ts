// Rows of fields on their way to a file: a buffer that grows to the longest, and is drained at row ends.
import type { Drain, SunkRow } from '../csv/sink.ts';
import { type Fields, putByte, wordsOf } from './fields.ts';

const DRAIN_BYTES = 1 << 20;
const LF = 10;

export interface RowBuffer {
  /** Where the next row is written, of at most so many bytes; what was begun of one is dropped. */
  room(bytes: number): Fields;
  /** Ends the row and answers it. */
  endRow(): SunkRow;
  /** Gives what has not been drained yet. */
  drain(): void;
  hasLineEnds(): boolean;
}

export function rowBuffer(drainTo: Drain): RowBuffer {
  let fields: Fields = { ...wordsOf(Buffer.allocUnsafe(2 * DRAIN_BYTES)), used: 0, lineEnds: false };
  let rowStart = 0;
  let lineEnds = false;

  const drain = (): void => {
    drainTo(fields.bytes.subarray(0, rowStart));
    fields.used = 0;
    rowStart = 0;
  };
  return {
    room: (bytes) => {
      fields.used = rowStart;
      fields.lineEnds = false;
      if (fields.used + bytes < fields.bytes.length) return fields;
      const larger = wordsOf(Buffer.allocUnsafe(2 * (fields.used + bytes)));
      fields.bytes.copy(larger.bytes, 0, 0, fields.used);
      fields = { ...fields, ...larger };
      return fields;
    },
    endRow: () => {
      putByte(fields, LF);
      lineEnds ||= fields.lineEnds;
      const row = { bytes: fields.bytes, start: rowStart, end: fields.used };
      rowStart = fields.used;
      if (rowStart >= DRAIN_BYTES) drain();
      return row;
    },
    drain,
    hasLineEnds: () => lineEnds,
  };
}
