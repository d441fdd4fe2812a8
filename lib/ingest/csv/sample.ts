// A sample of whole records from all over the file, so that the plan of types rarely meets a surprise later.

const BLOCKS = 64;
const BLOCK_BYTES = 16_384;

export interface Sampler {
  /** Offers a record that starts at `offset` in the file. */
  offer(bytes: Buffer, start: number, end: number, offset: number): void;
  /** Whole records, one after the other, as written. */
  bytes(): Buffer;
  /** Whether every record offered was taken. */
  isAll(): boolean;
}

/** Takes 64 blocks of 16 KiB, evenly spaced over the file; a file smaller than that is taken whole. */
export function sampler(fileBytes: number): Sampler {
  const step = Math.max(fileBytes / BLOCKS, BLOCK_BYTES);
  const taken: Buffer[] = [];
  let block = -1;
  let room = 0;
  let all = true;
  return {
    offer(bytes, start, end, offset) {
      const now = Math.floor(offset / step);
      if (now !== block) {
        block = now;
        room = BLOCK_BYTES;
      }
      if (room <= 0) {
        all = false;
        return;
      }
      room -= end - start;
      taken.push(Buffer.from(bytes.subarray(start, end)));
    },
    bytes: () => Buffer.concat(taken),
    isAll: () => all,
  };
}
