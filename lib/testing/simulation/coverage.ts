// How often each rule of the table suffered each fault. docs/simulation.md says what counts as a hit.

export const faultNames = [
  'lost call',
  'late call',
  'lost answer',
  'resent',
  'late copy',
  'slow call',
  'throttle',
  'conflict',
  'crash',
  'freeze',
  'skew',
  'lost message',
  'doubled message',
  'late message',
  'late record',
  'repeated record',
  'batched record',
  'stale index',
  'deploy',
] as const;
export type FaultName = (typeof faultNames)[number];

/** Hits by rule, then by fault; what was never hit is absent. */
export type Coverage = Record<string, Partial<Record<FaultName, number>>>;

export function hit(coverage: Coverage, rule: string, fault: FaultName, times = 1): void {
  const row = (coverage[rule] ??= {});
  row[fault] = (row[fault] ?? 0) + times;
}

/** Adds the hits of `more` to `coverage`. */
export function addCoverage(coverage: Coverage, more: Coverage): void {
  for (const [rule, row] of Object.entries(more))
    for (const [fault, times] of Object.entries(row) as [FaultName, number][]) hit(coverage, rule, fault, times);
}
