// The SHA-256 of a large text, taken while its chunks are read. Node's own takes a ninth of the time of ours, but cannot be kept between
// invocations: it is for a text of which every chunk is fetched by each invocation anyway.
import { createHash } from 'node:crypto';
import { addToHash, type HashState, startHash } from './sha256.ts';

/** Takes the bytes of a text in order; `offset` is where the first of them stands in it. */
export type AddBytes = (bytes: Buffer, offset: number) => void;

export interface WholeHash {
  /** What has been taken already is passed over. */
  readonly add: AddBytes;
  /** How many bytes have been taken. */
  readonly taken: () => number;
  /** In hexadecimal; for once. */
  readonly end: () => string;
}

/** For one invocation that sees all bytes. */
export function wholeHash(): WholeHash {
  const hash = createHash('sha256');
  let taken = 0;
  return {
    add: (bytes, offset) => {
      if (offset > taken) throw new TypeError(`the bytes from ${taken} to ${offset} were not hashed`);
      if (offset + bytes.length <= taken) return;
      hash.update(bytes.subarray(taken - offset));
      taken = offset + bytes.length;
    },
    taken: () => taken,
    end: () => hash.digest('hex'),
  };
}

/** For any number of invocations: goes on behind what an earlier one kept. */
export function keptHash(before: HashState = startHash) {
  let state = before;
  return {
    add: (bytes: Buffer): void => {
      state = addToHash(state, bytes);
    },
    state: (): HashState => state,
  };
}
