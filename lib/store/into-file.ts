// Bytes into a local file, many of them a write: what a write costs is nearly the same for few bytes and for many, up to `WRITE_BYTES`.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { asError } from '../core/check.ts';
import { WRITE_BYTES } from '../core/write-bytes.ts';

/** Pieces may be of a few bytes each, and each is held until it is written. */
const MOST_PIECES = 256;

/** Writes all of `bytes` at a position, or behind what was written to the file before. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const place = position === undefined ? null : position + at;
    at += (await file.write(bytes, at, bytes.length - at, place)).bytesWritten;
  }
}

interface Streaming {
  /** Where its first byte goes; behind what was written to the file before where it is absent. */
  readonly at?: number | undefined;
  /** Is told of the bytes of each write. */
  readonly wrote?: ((bytes: number) => void) | undefined;
  /** Is told of each piece once it is written. */
  readonly used?: ((piece: Uint8Array) => void) | undefined;
}

/** Writes all of some pieces, one behind the other. */
async function writePieces(file: FileHandle, pieces: readonly Uint8Array[], position?: number): Promise<void> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(pieces, position);
  if (bytesWritten === size) return;
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  await writeAll(file, rest, position === undefined ? undefined : position + bytesWritten);
}

/** Writes a stream into a file. By events: a promise a piece, and a copy of it, are a sixth of what it costs to receive one. */
export async function streamIntoFile(
  source: Readable,
  file: FileHandle,
  { at, wrote, used }: Streaming = {},
): Promise<void> {
  let place = at;
  let [pieces, bytes]: [Uint8Array[], number] = [[], 0];
  const write = async (): Promise<void> => {
    const [now, size] = [pieces, bytes];
    [pieces, bytes] = [[], 0];
    if (size === 0) return;
    await writePieces(file, now, place);
    if (place !== undefined) place += size;
    wrote?.(size);
    if (used !== undefined) for (const piece of now) used(piece);
  };
  let writing: Promise<unknown> = Promise.resolve();
  source.on('data', (piece: Uint8Array) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < WRITE_BYTES && pieces.length < MOST_PIECES) return;
    source.pause();
    writing = write().then(
      () => source.resume(),
      (thrown: unknown) => source.destroy(asError(thrown)),
    );
  });
  await finished(source, { writable: false });
  await writing;
  await write();
}

interface Copying {
  readonly start: number;
  readonly end: number;
  readonly signal?: AbortSignal | undefined;
  readonly wrote?: ((bytes: number) => void) | undefined;
}

/** Writes the bytes of another file behind what was written to this one; those that it has, where it ends before `end`. */
export async function copyIntoFile(
  source: FileHandle,
  file: FileHandle,
  { start, end, signal, wrote }: Copying,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(WRITE_BYTES, end - start));
  for (let at = start; at < end; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) return;
    await writeAll(file, buffer.subarray(0, bytesRead));
    wrote?.(bytesRead);
    at += bytesRead;
  }
}

/**
 * Frees the memory of a piece that has it to itself and that nobody looks at again. What comes by network would otherwise wait for the collector,
 * which the sheer number of its bytes makes look through the whole heap, again and again: several times the cost of reading them.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
