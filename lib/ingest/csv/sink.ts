// A growing buffer of bytes on their way to a file; drained at row ends, so that it stays small.
import { writeSync } from 'node:fs';
import { Fault } from '../../core/fault.ts';
import { WRITE_BYTES } from '../../core/write-bytes.ts';

/** Where a row stands, valid until the next write. */
export interface SunkRow {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export interface ByteSink {
  readonly byte: (value: number) => void;
  readonly copy: (bytes: Buffer, start: number, end: number) => void;
  readonly text: (value: string) => void;
  /** In quotes, with those inside doubled. */
  readonly quoted: (bytes: Buffer, start: number, end: number) => void;
  /** Ends a row and answers it. */
  readonly endRow: () => SunkRow;
  /** Gives what has not been drained yet. */
  readonly drain: () => void;
}

export type Drain = (bytes: Buffer) => void;

const DRAIN_BYTES = 1 << 20;
/** Up to here a loop is quicker than a call of the runtime's. */
const SHORT_BYTES = 64;
const QUOTE = 34;
const LF = 10;

/** Drains into an open file, at most `maxBytes`: padding can make rows much longer than they were. */
export function intoFile(fd: number, maxBytes: number): Drain {
  let written = 0;
  return (bytes) => {
    written += bytes.length;
    if (written > maxBytes)
      throw new Fault('DECOMPRESSION_LIMIT', `Its rows, made equally wide, take more than ${maxBytes} bytes.`);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, Math.min(WRITE_BYTES, bytes.length - at));
  };
}

/** Copies bytes, and answers where they end. */
function copied(bytes: Buffer, start: number, end: number, target: Buffer, to: number): number {
  if (end - start > SHORT_BYTES) return to + bytes.copy(target, to, start, end);
  const shift = to - start;
  for (let at = start; at < end; at++) target[at + shift] = bytes[at] as number;
  return end + shift;
}

/** `size`: bytes that are gathered before they are drained. */
export function byteSink(drainTo: Drain, size = DRAIN_BYTES): ByteSink {
  let buffer = Buffer.allocUnsafe(size);
  let used = 0;
  let rowStart = 0;

  const reserve = (more: number): void => {
    if (used + more <= buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (used + more));
    buffer.copy(larger, 0, 0, used);
    buffer = larger;
  };
  const byte = (value: number): void => {
    reserve(1);
    buffer[used++] = value;
  };
  const copy = (bytes: Buffer, start: number, end: number): void => {
    reserve(end - start);
    used = copied(bytes, start, end, buffer, used);
  };
  const text = (value: string): void => {
    reserve(Buffer.byteLength(value));
    used += buffer.write(value, used);
  };
  const quoted = (bytes: Buffer, start: number, end: number): void => {
    reserve(2 * (end - start) + 2);
    buffer[used++] = QUOTE;
    for (let at = start; at < end; at++) {
      if (bytes[at] === QUOTE) buffer[used++] = QUOTE;
      buffer[used++] = bytes[at] as number;
    }
    buffer[used++] = QUOTE;
  };
  const drain = (): void => {
    drainTo(buffer.subarray(0, used));
    used = 0;
    rowStart = 0;
  };
  const endRow = (): SunkRow => {
    byte(LF);
    const row = { bytes: buffer, start: rowStart, end: used };
    if (used >= size) drain();
    rowStart = used;
    return row;
  };
  return { byte, copy, text, quoted, endRow, drain };
}
