// What to do about the times of a schedule that have come. Pure.
import { type EpochMs, between, minutes } from '../../core/time.ts';
import type { ScheduleDefinition } from './schedule.ts';
import { nextTime } from './times.ts';

/** A time this much in the past counts as missed where `catchUp` is `none`. */
const MISSED_AFTER = minutes(5);
/** Times that are gone through at once: a week of minutes. */
const MOST_TIMES = 10_000;

export type Plan =
  /** Start the run of this time; `next` comes after it. */
  | { readonly kind: 'run'; readonly at: EpochMs; readonly next: EpochMs | undefined }
  /** Pass over `count` times, the first and last of which are given; go on with `next`. */
  | {
      readonly kind: 'pass';
      readonly from: EpochMs;
      readonly until: EpochMs;
      readonly count: number;
      readonly next: EpochMs | undefined;
    };

/** For a schedule whose `nextAt` is not after `now`. */
export function planOf(definition: ScheduleDefinition, nextAt: EpochMs, now: EpochMs): Plan {
  const { times, next } = timesUntil(definition, nextAt, now);
  const isWhole = next === undefined || next > now;
  const wantedCount = isWhole ? Math.min(times.length, wantedOf(definition, times.at(-1), now)) : 0;
  const [passed, wanted] = [times.slice(0, times.length - wantedCount), times.slice(times.length - wantedCount)];
  const [from, until] = [passed[0], passed.at(-1)];
  if (from !== undefined && until !== undefined)
    return { kind: 'pass', from, until, count: passed.length, next: wanted[0] ?? next };
  return { kind: 'run', at: nextAt, next: wanted[1] ?? next };
}

/** How many of the last times are run. */
function wantedOf({ catchUp, catchUpLimit }: ScheduleDefinition, newest: EpochMs | undefined, now: EpochMs): number {
  if (catchUp === 'all') return catchUpLimit;
  const late = newest !== undefined && between(newest, now) > MISSED_AFTER;
  return catchUp === 'none' && late ? 0 : 1;
}

/** The times from `first` to `now`, as many as are gone through at once, and the one after them. */
function timesUntil({ timing }: ScheduleDefinition, first: EpochMs, now: EpochMs) {
  const times: EpochMs[] = [];
  let next: EpochMs | undefined = first;
  while (next !== undefined && next <= now && times.length < MOST_TIMES) {
    times.push(next);
    next = nextTime(timing, next);
  }
  return { times, next };
}
