// A growing buffer of bytes on their way to a file; drained at row ends, so that it stays small.
import { writeSync } from 'node:fs';
import { Fault } from '../../core/fault.ts';

export interface ByteSink {
  readonly byte: (value: number) => void;
  readonly copy: (bytes: Buffer, start: number, end: number) => void;
  readonly text: (value: string) => void;
  /** In quotes, with those inside doubled. */
  readonly quoted: (bytes: Buffer, start: number, end: number) => void;
  /** Ends a row and answers its bytes, which are valid until the next write. */
  readonly endRow: () => Buffer;
  /** Gives what has not been drained yet. */
  readonly drain: () => void;
}

export type Drain = (bytes: Buffer) => void;

const DRAIN_BYTES = 1 << 20;
const QUOTE = 34;
const LF = 10;

/** Drains into an open file, at most `maxBytes`: padding can make rows much longer than they were. */
export function intoFile(fd: number, maxBytes: number): Drain {
  let written = 0;
  return (bytes) => {
    written += bytes.length;
    if (written > maxBytes)
      throw new Fault('DECOMPRESSION_LIMIT', `Its rows, made equally wide, take more than ${maxBytes} bytes.`);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  };
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
    used += bytes.copy(buffer, used, start, end);
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
  const endRow = (): Buffer => {
    byte(LF);
    const row = buffer.subarray(rowStart, used);
    if (used >= size) drain();
    rowStart = used;
    return row;
  };
  return { byte, copy, text, quoted, endRow, drain };
}
