// Bytes that are hashed while a stretch of them is read: what stands before and behind that stretch is read for the hash alone.
import { createHash } from 'node:crypto';
import type { Bytes } from '../formats/bytes.ts';

export interface HashedBytes {
  readonly bytes: Bytes;
  /** The SHA-256 of all bytes, in hexadecimal; for once. */
  readonly end: () => Promise<string>;
}

/** `passed` is told of how many bytes have been hashed. */
export function hashedBytes(bytes: Bytes, size: number, passed: (done: number) => void): HashedBytes {
  const hash = createHash('sha256');
  let taken = 0;
  const take = (piece: Buffer, offset: number): void => {
    if (offset + piece.length <= taken) return;
    hash.update(piece.subarray(taken - offset));
    taken = offset + piece.length;
    passed(taken);
  };
  const upTo = async (end: number): Promise<void> => {
    if (taken < end) for await (const piece of bytes(taken, end)) take(piece, taken);
  };
  async function* read(start = 0, end = size): AsyncGenerator<Buffer> {
    await upTo(start);
    let at = start;
    for await (const piece of bytes(start, end)) {
      take(piece, at);
      at += piece.length;
      yield piece;
    }
  }
  return {
    bytes: read,
    end: async () => {
      await upTo(size);
      return hash.digest('hex');
    },
  };
}
