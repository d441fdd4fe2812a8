// Bytes into a local file, a large write at a time: what a write costs is nearly the same for few bytes and for many, and a buffer that is
// used again leaves nothing to collect.
import type { FileHandle } from 'node:fs/promises';

const GATHERED_BYTES = 1 << 20;

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
  /** Is told of each piece that is no longer needed. */
  readonly used?: ((piece: Uint8Array) => void) | undefined;
}

/** Writes a stream into a file. */
export async function streamIntoFile(
  source: AsyncIterable<Uint8Array>,
  file: FileHandle,
  { at, wrote, used }: Streaming = {},
): Promise<void> {
  const gathered = Buffer.allocUnsafe(GATHERED_BYTES);
  let filled = 0;
  let place = at;
  const write = async (bytes: Uint8Array): Promise<void> => {
    await writeAll(file, bytes, place);
    if (place !== undefined) place += bytes.length;
    wrote?.(bytes.length);
  };
  for await (const piece of source) {
    if (filled + piece.length > gathered.length) {
      await write(gathered.subarray(0, filled));
      filled = 0;
    }
    if (piece.length > gathered.length) await write(piece);
    else {
      gathered.set(piece, filled);
      filled += piece.length;
    }
    used?.(piece);
  }
  await write(gathered.subarray(0, filled));
}

const COPIED_BYTES = 4 << 20;

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
  const buffer = Buffer.allocUnsafe(Math.min(COPIED_BYTES, end - start));
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
