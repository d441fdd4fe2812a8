// Bytes that can be read from any place, and again: a local file, or what lies in the object store.
import { createReadStream } from 'node:fs';

/** From the byte at `start` to the one before `end`: all of them by default. */
export type Bytes = (start?: number, end?: number) => AsyncIterable<Buffer>;

const READ_BYTES = 1 << 18;

export const fileBytes =
  (path: string): Bytes =>
  (start = 0, end = Infinity) =>
    end <= start ? none() : createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES });

async function* none(): AsyncGenerator<Buffer> {}

/** The bytes of a stretch, fewer where they end before; in memory. */
export async function bytesIn(bytes: Bytes, start: number, end: number): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const piece of bytes(start, end)) found.push(piece);
  return Buffer.concat(found);
}

/** The same bytes in pieces of one size, but for the last. */
export async function* inPiecesOf(size: number, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    held.push(piece);
    length += piece.length;
    if (length < size) continue;
    const joined = held.length === 1 ? piece : Buffer.concat(held);
    let from = 0;
    for (; length - from >= size; from += size) yield joined.subarray(from, from + size);
    held = [joined.subarray(from)];
    length -= from;
  }
  if (length > 0) yield Buffer.concat(held);
}
