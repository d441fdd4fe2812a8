// What is looked at is drawn by lot: each row and each value has a number that says nothing of it, and those with the smallest are drawn.
// The same ones in whatever order the rows are read, and by however many threads.
import { createHash } from 'node:crypto';

const LAST = 2n ** 64n - 1n;
/** SQL of how many lots there are. */
export const ALL_LOTS = `${Number(LAST)}::DOUBLE`;

/** A number of 64 bits that stands for the text. */
export const seedOf = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE();

/** SQL of the lot of what has this hash; another seed gives other lots. */
export const lotOf = (hash: string, seed: bigint): string => `xor(${hash}, ${seed}::UBIGINT)`;

/** SQL that says whether a lot is among the smallest, about `wanted` of `of`; all where there are no more. */
export const isDrawn = (lot: string, wanted: number, of: number): string =>
  wanted >= of ? 'true' : `${lot} <= ${(LAST / BigInt(Math.ceil(of))) * BigInt(wanted)}::UBIGINT`;
