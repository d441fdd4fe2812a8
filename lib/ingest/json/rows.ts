// Rows of fields on their way to a file: a buffer that grows to the longest, and is drained at row ends.
import type { Drain, SunkRow } from '../csv/sink.ts';
import { type Fields, putByte, wordsOf } from './fields.ts';

const DRAIN_BYTES = 1 << 20;
const LF = 10;

/** Where rows end in bytes, with their line ends. */
export interface RowEnds {
  readonly count: number;
  endOf(row: number): number;
}

const noRows: RowEnds = { count: 0, endOf: () => 0 };

export interface RowBuffer {
  /** Where the next row is written, of at most so many bytes; what was begun of one is dropped. */
  room(bytes: number): Fields;
  /** Puts whole rows that were written elsewhere; `endRow` ends one after the other. What is not ended when room is asked for is dropped. */
  hold(rows: Buffer, ends: RowEnds, hasLineEnds: boolean): void;
  /** Ends the row and answers it, until the next one is begun. */
  endRow(): SunkRow;
  /** Gives what has not been drained yet. */
  drain(): void;
  hasLineEnds(): boolean;
}

export function rowBuffer(drainTo: Drain): RowBuffer {
  let fields: Fields = { ...wordsOf(Buffer.allocUnsafe(2 * DRAIN_BYTES)), used: 0, lineEnds: false };
  let rowStart = 0;
  let lineEnds = false;
  let held = { rows: noRows, from: 0, ended: 0 };

  const drain = (): void => {
    drainTo(fields.bytes.subarray(0, rowStart));
    fields.used = 0;
    rowStart = 0;
  };
  const room = (bytes: number): Fields => {
    if (rowStart >= DRAIN_BYTES) drain();
    held = { rows: noRows, from: 0, ended: 0 };
    fields.used = rowStart;
    fields.lineEnds = false;
    if (fields.used + bytes < fields.bytes.length) return fields;
    const larger = wordsOf(Buffer.allocUnsafe(2 * (fields.used + bytes)));
    fields.bytes.copy(larger.bytes, 0, 0, fields.used);
    fields = { ...fields, ...larger };
    return fields;
  };
  /** Ends the row that is written, or the next one that is held. */
  const rowEnd = (): number => {
    if (held.ended < held.rows.count) return held.from + held.rows.endOf(held.ended++);
    putByte(fields, LF);
    return fields.used;
  };
  return {
    room,
    hold: (rows, ends, hasLineEnds) => {
      const { bytes } = room(rows.length);
      rows.copy(bytes, rowStart);
      held = { rows: ends, from: rowStart, ended: 0 };
      fields.lineEnds = hasLineEnds;
    },
    endRow: () => {
      const end = rowEnd();
      lineEnds ||= fields.lineEnds;
      const row = { bytes: fields.bytes, start: rowStart, end };
      rowStart = end;
      return row;
    },
    drain,
    hasLineEnds: () => lineEnds,
  };
}
