// Reads a file in windows that a consumer eats record by record: what it leaves is carried into the next window, so that
// every record lies whole in memory once, and memory is bounded by the longest record allowed.
import { type FileHandle, open } from 'node:fs/promises';
import { Fault } from '../../core/fault.ts';
import { requireUtf8 } from './encoding/utf.ts';
import { lineAt } from './place.ts';

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
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Calls `consume` until the file is used up; it answers how many bytes it is done with. Those are proven to be text in UTF-8.
 * Faults: LINE_TOO_LONG, ENCODING_INVALID, PARSE_ERROR (a NUL).
 */
export async function eachWindow(source: WindowSource, consume: (window: Window) => number): Promise<void> {
  const file = await open(source.path, 'r');
  try {
    let window: Window | undefined;
    for (let used = 0; window?.last !== true; used = await consumed(source, window, consume)) {
      source.signal?.throwIfAborted();
      window = await nextWindow(file, source, window, used);
    }
  } finally {
    await file.close();
  }
}

/** Moves what the consumer left to the front and reads on behind it. */
async function nextWindow(
  file: FileHandle,
  source: WindowSource,
  before: Window | undefined,
  used: number,
): Promise<Window> {
  const carried = before === undefined ? 0 : before.end - used;
  const offset = before === undefined ? source.start : before.offset + used;
  if (carried > source.maxRecordBytes) throw await tooLong(source, offset);
  const roomy = before !== undefined && before.bytes.length >= carried + CHUNK_BYTES;
  const bytes = roomy ? before.bytes : Buffer.allocUnsafe(2 * carried + 2 * CHUNK_BYTES);
  before?.bytes.copy(bytes, 0, used, before.end);
  const from = offset + carried;
  const wanted = Math.min(CHUNK_BYTES, Math.max(0, (source.end ?? Infinity) - from));
  const { bytesRead } = await file.read(bytes, carried, wanted, from);
  return { bytes, end: carried + bytesRead, offset, last: bytesRead === 0 };
}

async function consumed(source: WindowSource, window: Window, consume: (window: Window) => number): Promise<number> {
  const used = consume(window);
  await proveText(source, window.bytes.subarray(0, window.last ? window.end : used), window.offset);
  return used;
}

async function proveText(source: WindowSource, bytes: Uint8Array, offset: number): Promise<void> {
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw await noText(source, offset + nul);
  try {
    requireUtf8(bytes, offset);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const line = await lineAt(source.path, Number(thrown.extra['byteOffset']));
    throw new Fault(thrown.code, `Line ${line}: ${thrown.detail}`, { extra: { ...thrown.extra, line } });
  }
}

async function noText({ path }: WindowSource, byteOffset: number): Promise<Fault> {
  const line = await lineAt(path, byteOffset);
  return new Fault('PARSE_ERROR', `Line ${line}: The byte at offset ${byteOffset} is NUL, which no text has.`, {
    extra: { line, byteOffset },
  });
}

async function tooLong(source: WindowSource, offset: number): Promise<Fault> {
  const line = await lineAt(source.path, offset);
  return new Fault(
    'LINE_TOO_LONG',
    `The record that starts on line ${line} is longer than ${source.maxRecordBytes} bytes.`,
    {
      extra: { line, byteOffset: offset, limit: source.maxRecordBytes },
    },
  );
}
