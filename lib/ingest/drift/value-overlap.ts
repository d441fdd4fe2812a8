// How much of what two columns hold is the same, from sketches: the smallest hashes of their different values. Of two columns with the same
// values the same hashes are kept, whatever the order of the rows, so that a small part says something of the whole.

export interface Sketch {
  /** Hashes of different values, ascending; at most `SKETCH_VALUES`. */
  readonly hashes: readonly bigint[];
  /** Every hash up to here is among them, if its value is in the column. */
  readonly until: bigint;
  /** Whole numbers that leave few gaps: counters, ratings, quantities. Those of unrelated columns are alike. */
  readonly dense: boolean;
}

export const SKETCH_VALUES = 1024;

export interface Overlap {
  /** Of the column with fewer different values: how much of it is in the other. */
  readonly share: number;
  /** What the share says, from 0 to 1: few different values, and counters, are alike by chance. */
  readonly weight: number;
}

/** Different values from which on they say all they can. */
const TELLING = 24;
const DENSE = 0.4;

/** Undefined where one of the two holds nothing. */
export function overlapOf(a: Sketch, b: Sketch): Overlap | undefined {
  if (a.hashes.length === 0 || b.hashes.length === 0) return undefined;
  const until = a.until < b.until ? a.until : b.until;
  const left = new Set(a.hashes.filter((hash) => hash <= until));
  const right = new Set(b.hashes.filter((hash) => hash <= until));
  const fewer = Math.min(left.size, right.size);
  if (fewer === 0) return { share: 0, weight: 0 };
  const common = [...left].filter((hash) => right.has(hash)).length;
  const told = Math.min(1, Math.log2(fewer) / Math.log2(TELLING));
  return { share: common / fewer, weight: told * (a.dense && b.dense ? DENSE : 1) };
}
