// Bytes that come in pieces, taken in other ones.

export interface ByteQueue {
  /** Throws a TypeError where there are fewer. */
  take(length: number): Promise<Buffer>;
  /** All that is left, in pieces; undefined behind them. */
  next(): Promise<Buffer | undefined>;
  /** Ends what gives the bytes. */
  close(): Promise<void>;
}

export function byteQueue(bytes: AsyncIterable<Buffer>): ByteQueue {
  const pieces = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer | undefined;
  const next = async (): Promise<Buffer | undefined> => {
    if (rest !== undefined) {
      const found = rest;
      rest = undefined;
      return found;
    }
    const piece = await pieces.next();
    return piece.done === true ? undefined : piece.value;
  };
  return {
    next,
    take: async (length) => {
      const taken: Buffer[] = [];
      let missing = length;
      while (missing > 0) {
        const piece = await next();
        if (piece === undefined) throw new TypeError('a page is cut short');
        taken.push(piece.subarray(0, missing));
        if (piece.length > missing) rest = piece.subarray(missing);
        missing -= Math.min(missing, piece.length);
      }
      return Buffer.concat(taken);
    },
    close: async () => {
      await pieces.return?.();
    },
  };
}

/** The same bytes. Throws a TypeError where there are more. */
export async function* atMost(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let left = most;
  for await (const piece of bytes) {
    left -= piece.length;
    if (left < 0) throw new TypeError('a page is larger than it may be');
    yield piece;
  }
}
