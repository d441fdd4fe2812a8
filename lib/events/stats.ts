// Reads the counters of a workspace's last hour: counts, rates and percentiles of each kind and lane, and the hour by minute. Pure.
import {
  between,
  type DurationMs,
  type EpochMs,
  earlier,
  epochMs,
  hours,
  later,
  millis,
  minutes,
} from '../core/time.ts';
import type { Lane } from '../job/row.ts';
import {
  minuteOf,
  parseCounter,
  type StatBucket,
  type StatCount,
  type StatDuration,
  statCounts,
} from './stat-bucket.ts';
import { percentileOf } from './stat-scale.ts';

export type Counts = Readonly<Record<StatCount, number>>;
/** Of runs counted in the window, ms; the percentiles are within 10 %, and undefined where none was counted. */
export interface Spread {
  readonly count: number;
  readonly p50?: DurationMs | undefined;
  readonly p90?: DurationMs | undefined;
  readonly p99?: DurationMs | undefined;
}
export interface LaneStats {
  readonly kind: string;
  readonly lane: Lane;
  readonly counts: Counts;
  readonly queueing: Spread;
  readonly running: Spread;
}
export interface MinuteStats {
  /** Its start. */
  readonly at: EpochMs;
  readonly counts: Counts;
}
export interface Stats {
  /** From the start of a minute until now: the last minute is not over. */
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** By kind, then lane; those of which nothing happened are left out. */
  readonly lanes: readonly LaneStats[];
  /** Every minute of the window, oldest first, all kinds and lanes together. */
  readonly minutes: readonly MinuteStats[];
}

const WINDOW = hours(1);
const MINUTE = minutes(1);

/** The window that ends now: 59 whole minutes and the one under way. */
export const statWindow = (now: EpochMs): Pick<Stats, 'from' | 'until'> => ({
  from: earlier(later(minuteOf(now), MINUTE), WINDOW),
  until: now,
});

/** Each count as a rate, per minute of the window. */
export function ratesOf(counts: Counts, { from, until }: Pick<Stats, 'from' | 'until'>): Counts {
  const elapsed = Math.max(1, between(from, until)) / MINUTE;
  return countsOf((count) => Math.round((counts[count] / elapsed) * 1000) / 1000);
}

interface Added {
  readonly kind: string;
  readonly lane: Lane;
  readonly counts: Map<string, number>;
  readonly durations: Record<StatDuration, Map<number, number>>;
}

/** Adds up the rows that were read for the window; rows and counters of other times or unknown names do not count. */
export function aggregateStats(buckets: readonly StatBucket[], now: EpochMs): Stats {
  const window = statWindow(now);
  const inside = buckets.filter(({ minute }) => minute >= window.from && minute <= window.until);
  const lanes = new Map<string, Added>();
  for (const { counters } of inside) for (const [name, times] of Object.entries(counters)) addTo(lanes, name, times);
  return {
    ...window,
    lanes: [...lanes.values()].map(laneStats).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    minutes: Array.from({ length: WINDOW / MINUTE }, (_, index) => {
      const at = epochMs(window.from + index * MINUTE);
      return { at, counts: countsIn(inside.filter(({ minute }) => minute === at)) };
    }),
  };
}

const orderOf = ({ kind, lane }: LaneStats): string => JSON.stringify([kind, lane]);

function addTo(lanes: Map<string, Added>, name: string, times: number): void {
  const counter = parseCounter(name);
  if (counter === undefined) return;
  const { kind, lane, measure, bucket } = counter;
  const key = JSON.stringify([kind, lane]);
  const added = lanes.get(key) ?? {
    kind,
    lane,
    counts: new Map(),
    durations: { queueing: new Map(), running: new Map() },
  };
  lanes.set(key, added);
  if (bucket === undefined) add(added.counts, measure, times);
  else if (measure === 'queueing' || measure === 'running') add(added.durations[measure], bucket, times);
}

const add = <K>(counts: Map<K, number>, key: K, times: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + times);

const countsOf = (of: (count: StatCount) => number): Counts =>
  Object.fromEntries(statCounts.map((count) => [count, of(count)])) as Record<StatCount, number>;

function countsIn(buckets: readonly StatBucket[]): Counts {
  const counts = new Map<string, number>();
  for (const [name, times] of buckets.flatMap(({ counters }) => Object.entries(counters))) {
    const counter = parseCounter(name);
    if (counter !== undefined && counter.bucket === undefined) add(counts, counter.measure, times);
  }
  return countsOf((count) => counts.get(count) ?? 0);
}

const laneStats = ({ kind, lane, counts, durations }: Added): LaneStats => ({
  kind,
  lane,
  counts: countsOf((count) => counts.get(count) ?? 0),
  queueing: spreadOf(durations.queueing),
  running: spreadOf(durations.running),
});

function spreadOf(counts: ReadonlyMap<number, number>): Spread {
  const count = [...counts.values()].reduce((sum, times) => sum + times, 0);
  const at = (p: number) => {
    const value = percentileOf(counts, p);
    return value === undefined ? undefined : millis(Math.round(value));
  };
  return { count, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
