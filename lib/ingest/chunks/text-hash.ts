// The SHA-256 of a large text, taken while it is read. The state of Node's hash cannot be kept between invocations: of a text that one invocation
// does not hold, blocks of a fixed size are hashed one by one, and then their hashes, as S3 does for an object of several parts.
import { createHash } from 'node:crypto';
import type { Bytes } from '../formats/bytes.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { Stretch } from './plain.ts';

/** Bytes of a block: of what is hashed in blocks, whoever computes the hash again has to cut it in the same places. */
export const HASH_BLOCK_BYTES = 8 * 2 ** 20;

/** Takes the bytes of a text in order; `offset` is where the first of them stands in it. */
export type AddBytes = (bytes: Buffer, offset: number) => void;

export interface TextHash {
  /** Of blocks, which are kept with the chunk that they end in. */
  readonly inBlocks: boolean;
  /** What has been taken already is passed over. */
  readonly add: AddBytes;
  /** How many bytes have been taken. */
  readonly taken: () => number;
  /** The hashes of the blocks that end inside a stretch or with it, as Base64, for a later invocation. */
  readonly blocksIn: (stretch: Stretch) => string[];
  /** Takes the blocks up to `end` by what an earlier invocation kept: those of the stretches before were taken, and these are of the last one. */
  readonly keep: (blocks: readonly string[] | undefined, end: number) => void;
  /** Of all bytes, in hexadecimal; of blocks, with `-` and their number behind it. For once. */
  readonly end: () => string;
}

/** Whether one invocation has a text on its disk as a whole. */
export const fitsInvocation = (size: number, { chunksAnInvocation, chunkBytes }: ReadLimits): boolean =>
  size <= chunksAnInvocation * chunkBytes;

/** The hash that a text of this size has: of the whole where one invocation sees all of it, else of blocks. */
export const hashFor = (size: number, limits: ReadLimits): TextHash =>
  fitsInvocation(size, limits) ? textHash(Infinity) : textHash(HASH_BLOCK_BYTES);

/** Of a stretch of a text that somebody else hashes. */
export const notHashed: TextHash = {
  inBlocks: false,
  add: () => undefined,
  taken: () => Infinity,
  blocksIn: () => [],
  keep: () => undefined,
  end: () => '',
};

export function textHash(blockBytes: number): TextHash {
  const done: Buffer[] = [];
  let open = createHash('sha256');
  let taken = 0;
  const blocksUpTo = (end: number): number => Math.floor(end / blockBytes);
  const closeBlock = (): void => {
    done.push(open.digest());
    open = createHash('sha256');
  };
  return {
    inBlocks: blockBytes !== Infinity,
    add: (bytes, offset) => {
      if (offset > taken) throw new TypeError(`the bytes from ${taken} to ${offset} were not hashed`);
      for (let from = taken - offset; from < bytes.length; from = taken - offset) {
        const left = (done.length + 1) * blockBytes - taken;
        const next = bytes.subarray(from, from + left);
        open.update(next);
        taken += next.length;
        if (next.length === left) closeBlock();
      }
    },
    taken: () => taken,
    blocksIn: ({ start, end }) => done.slice(blocksUpTo(start), blocksUpTo(end)).map((hash) => hash.toString('base64')),
    keep: (blocks = [], end) => {
      if (end <= taken || blocks.length === 0 || done.length + blocks.length !== blocksUpTo(end)) return;
      done.push(...blocks.map((hash) => Buffer.from(hash, 'base64')));
      taken = done.length * blockBytes;
      open = createHash('sha256');
    },
    end: () => {
      if (blockBytes === Infinity) return open.digest('hex');
      if (taken > done.length * blockBytes) closeBlock();
      return `${createHash('sha256').update(Buffer.concat(done)).digest('hex')}-${done.length}`;
    },
  };
}

/** Takes what an earlier invocation took and did not keep: of a text in blocks, less than a block. */
export async function catchUp(hash: TextHash, bytes: Bytes, end: number, signal: AbortSignal): Promise<void> {
  let offset = hash.taken();
  if (offset >= end) return;
  for await (const piece of bytes(offset, end)) {
    signal.throwIfAborted();
    hash.add(piece, offset);
    offset += piece.length;
  }
}
