// Rows of fields on their way to a file: a buffer that grows to the longest, and is drained at row ends.
import type { Drain, SunkRow } from '../csv/sink.ts';
import { type Fields, putByte, wordsOf } from './fields.ts';

const DRAIN_BYTES = 1 << 20;
const LF = 10;

/** Where rows end in bytes, with their line ends. */
export interface RowEnds {
  readonly count: number;
  readonly endOf: (row: number) => number;
}

const noRows: RowEnds = { count: 0, endOf: () => 0 };

/** Rows that were ended together; of the longest, and of all, the bytes. */
export interface Sunk {
  readonly rows: number;
  readonly bytes: number;
  readonly longest: number;
}

export interface RowBuffer {
  /** Where the next row is written, of at most so many bytes; what was begun of one is dropped. */
  room(bytes: number): Fields;
  /** Puts whole rows that were written elsewhere; `endRow` ends one after the other. What is not ended when room is asked for is dropped. */
  hold(rows: Buffer, ends: RowEnds, hasLineEnds: boolean): void;
  /** Ends the row and answers it, until the next one is begun. */
  endRow(): SunkRow;
  /** Ends all rows that are held, and answers what they are together. */
  endHeld(): Sunk;
  /** Gives what has not been drained yet. */
  drain(): void;
  hasLineEnds(): boolean;
}

/** Where the rows end that are held from `from` on, one after the other. */
function heldRows({ count, endOf }: RowEnds, from: number) {
  let ended = 0;
  return {
    left: (): number => count - ended,
    next: (): number => from + endOf(ended++),
  };
}

export function rowBuffer(drainTo: Drain): RowBuffer {
  let fields: Fields = { ...wordsOf(Buffer.allocUnsafe(2 * DRAIN_BYTES)), used: 0, lineEnds: false };
  let rowStart = 0;
  let lineEnds = false;
  let held = heldRows(noRows, 0);

  const drain = (): void => {
    drainTo(fields.bytes.subarray(0, rowStart));
    fields.used = 0;
    rowStart = 0;
  };
  const room = (bytes: number): Fields => {
    if (rowStart >= DRAIN_BYTES) drain();
    held = heldRows(noRows, 0);
    fields.used = rowStart;
    fields.lineEnds = false;
    if (fields.used + bytes < fields.bytes.length) return fields;
    const larger = wordsOf(Buffer.allocUnsafe(2 * (fields.used + bytes)));
    fields.bytes.copy(larger.bytes, 0, 0, fields.used);
    fields = { ...fields, ...larger };
    return fields;
  };
  /** The row that is written, or the next one that is held. */
  const endRow = (): SunkRow => {
    if (held.left() === 0) putByte(fields, LF);
    const row = { bytes: fields.bytes, start: rowStart, end: held.left() === 0 ? fields.used : held.next() };
    lineEnds ||= fields.lineEnds;
    rowStart = row.end;
    return row;
  };
  return {
    room,
    hold: (rows, ends, hasLineEnds) => {
      const { bytes } = room(rows.length);
      rows.copy(bytes, rowStart);
      held = heldRows(ends, rowStart);
      fields.lineEnds = hasLineEnds;
    },
    endRow,
    endHeld: () => {
      const start = rowStart;
      const rows = held.left();
      let longest = 0;
      for (let row; held.left() > 0; longest = Math.max(longest, row.end - row.start)) row = endRow();
      return { rows, bytes: rowStart - start, longest };
    },
    drain,
    hasLineEnds: () => lineEnds,
  };
}
