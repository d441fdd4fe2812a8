// Reads a file in windows that a consumer eats record by record: what it leaves is carried into the next window, so that
// every record lies whole in memory once, and memory is bounded by the longest record allowed.
import { type FileHandle, open } from 'node:fs/promises';
import { Fault } from '../../core/fault.ts';
import { requireUtf8 } from './encoding/utf.ts';
import { type Base, lineAt, placeOf, wholeFile } from './place.ts';

export interface Window {
  readonly bytes: Buffer;
  /** How many of `bytes` are filled. */
  readonly end: number;
  /** Where `bytes[0]` stands in the file. */
  readonly offset: number;
  /** Nothing follows. */
  readonly last: boolean;
}

export interface WindowSource {
  readonly path: string;
  readonly start: number;
  /** Where the last byte stands, plus one; the end of the file by default. */
  readonly end?: number | undefined;
  readonly maxRecordBytes: number;
  /** Of one value as it is written; as a record by default. */
  readonly maxCellBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of a file that is a stretch of a larger one. */
  readonly base?: Base | undefined;
  /** Of a file that is still written: resolves once it has this many bytes, or all that it will have. */
  readonly arrived?: ((bytes: number) => Promise<unknown>) | undefined;
  /** Is told of the bytes that the consumer is done with, in order, and where they stand in the file. */
  readonly consumed?: ((bytes: Buffer, offset: number) => void) | undefined;
  /** More follows behind the last byte, in another file: what is not whole before it is left. */
  readonly goesOn?: boolean | undefined;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Calls `consume` until the file is used up; it answers how many bytes it is done with. Those are proven to be text in UTF-8. Answers
 * where the first byte stands that was left. Faults: LINE_TOO_LONG, ENCODING_INVALID, PARSE_ERROR (a NUL).
 */
export async function eachWindow(source: WindowSource, consume: (window: Window) => number): Promise<number> {
  await using file = await open(source.path, 'r');
  for (let read: Read | undefined, used = 0; ; ) {
    source.signal?.throwIfAborted();
    read = await nextWindow(file, source, read, used);
    used = await consumed(source, read, consume);
    if (read.atEnd) return read.offset + used;
  }
}

interface Read extends Window {
  /** The file ends with it. */
  readonly atEnd: boolean;
}

/** Moves what the consumer left to the front and reads on behind it. */
async function nextWindow(
  file: FileHandle,
  source: WindowSource,
  before: Read | undefined,
  used: number,
): Promise<Read> {
  const carried = before === undefined ? 0 : before.end - used;
  const offset = before === undefined ? source.start : before.offset + used;
  if (carried > source.maxRecordBytes) throw await tooLong(source, offset);
  // The consumer begins with what is carried: reading as much again, it goes over a long record twice and not once a window.
  const most = Math.min(Math.max(CHUNK_BYTES, carried), source.maxRecordBytes + CHUNK_BYTES - carried);
  const roomy = before !== undefined && before.bytes.length >= carried + most;
  const bytes = roomy ? before.bytes : Buffer.allocUnsafe(Math.max(2 * CHUNK_BYTES, carried + most));
  before?.bytes.copy(bytes, 0, used, before.end);
  const from = offset + carried;
  const wanted = Math.min(most, Math.max(0, (source.end ?? Infinity) - from));
  await source.arrived?.(from + wanted);
  const { bytesRead } = await file.read(bytes, carried, wanted, from);
  const atEnd = bytesRead === 0;
  return { bytes, end: carried + bytesRead, offset, atEnd, last: atEnd && source.goesOn !== true };
}

async function consumed(source: WindowSource, window: Window, consume: (window: Window) => number): Promise<number> {
  const used = consume(window);
  await proveText(source, window.bytes.subarray(0, window.last ? window.end : used), window.offset);
  source.consumed?.(window.bytes.subarray(0, used), window.offset);
  return used;
}

async function proveText(source: WindowSource, bytes: Uint8Array, offset: number): Promise<void> {
  const { base = wholeFile } = source;
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw await noText(source, offset + nul);
  try {
    requireUtf8(bytes, base.offset + offset);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const line = base.lines + (await lineAt(source.path, Number(thrown.extra['byteOffset']) - base.offset));
    throw new Fault(thrown.code, `Line ${line}: ${thrown.detail}`, { extra: { ...thrown.extra, line } });
  }
}

async function noText(source: WindowSource, offset: number): Promise<Fault> {
  const { line, byteOffset } = await placeOf(source, offset);
  return new Fault('PARSE_ERROR', `Line ${line}: The byte at offset ${byteOffset} is NUL, which no text has.`, {
    extra: { line, byteOffset },
  });
}

/** The LINE_TOO_LONG of the record at `offset`. */
export async function tooLong(source: WindowSource, offset: number, limit = source.maxRecordBytes): Promise<Fault> {
  const { line, byteOffset } = await placeOf(source, offset);
  return new Fault('LINE_TOO_LONG', `The record that starts on line ${line} is longer than ${limit} bytes.`, {
    extra: { line, byteOffset, limit },
  });
}
