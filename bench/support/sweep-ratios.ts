// What a sweep over many live rows cost against one over the due ones alone, in the same words for both stores.
import type { Ratio } from './ratio.ts';
import type { Swept } from './sweeping.ts';

export interface SweepBench {
  /** Live rows of the large table. */
  readonly rows: number;
  readonly log: (line: string) => void;
}

/** Rows that are due, in the small table as in the large one. */
export const DUE = 100;

export const toldOf = (live: number, { reads, writes, ms }: Swept): string =>
  `sweep of ${live} live rows, ${DUE} due: ${reads} reads, ${writes} writes, ${ms.toFixed(0)} ms`;

export function sweepRatios(few: Swept, many: Swept, rows: number): Ratio[] {
  const name = `sweep, ${DUE} due of ${rows.toLocaleString('en')} live rows`;
  return [
    { name: `${name}: reads`, unit: '', bare: few.reads, ours: many.reads, aim: { most: 1 } },
    { name: `${name}: writes`, unit: '', bare: few.writes, ours: many.writes, aim: { most: 1 } },
    { name: `${name}: time`, unit: 'ms', bare: few.ms, ours: many.ms },
  ];
}
