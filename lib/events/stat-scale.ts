// A scale of durations whose steps grow by a constant factor, so that counts of them add up over minutes and shards and a percentile read
// off them is within 10 % of the exact one. Method: Masson, Rim, Lee, "DDSketch", PVLDB 12(12), 2019, with relative accuracy α = 0.1.
import { type DurationMs, millis } from '../core/time.ts';

const ACCURACY = 0.1;
const GROWTH = (1 + ACCURACY) / (1 - ACCURACY);
/** Bucket 120 begins at 2.4 · 10^10 ms, 272 days; what is longer counts as that. */
const LAST = 120;

/** The bucket of a duration: 0 holds up to 1 ms, k the durations over GROWTH^(k−1) and up to GROWTH^k ms. */
export const durationBucket = (duration: DurationMs): number =>
  duration <= 1 ? 0 : Math.min(LAST, Math.ceil(Math.log(duration) / Math.log(GROWTH)));

/** The value that is at most 10 % off every duration in the bucket, ms. */
const middleOf = (bucket: number): DurationMs => millis(bucket === 0 ? 1 : (2 * GROWTH ** bucket) / (GROWTH + 1));

/**
 * The duration of which a share `p` (0 to 1) of all counted ones is not longer: the nearest-rank percentile, whose rank is exact and whose
 * value is off by at most 10 % (and by 1 ms below 1 ms). Undefined when nothing was counted.
 */
export function percentileOf(counts: ReadonlyMap<number, number>, p: number): DurationMs | undefined {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(p * total));
  let passed = 0;
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    passed += count;
    if (passed >= rank) return middleOf(bucket);
  }
  return undefined;
}
