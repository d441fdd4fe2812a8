// When a schedule runs: a cron expression on the clock of a time zone, or every so many seconds from an anchor. Pure; docs/schedules.md
// says what becomes of the days on which clocks change.
import { Cron } from 'croner';
import { asError } from '../../core/check.ts';
import { type EpochMs, epochMs, toIso } from '../../core/time.ts';

/** Five fields: minute, hour, day of the month, month, day of the week; `timeZone` by its IANA name. */
export interface CronTiming {
  readonly cron: string;
  readonly timeZone: string;
}
/** At `anchor` and each whole multiple of `everySeconds` after it, so that no run moves the next. */
export interface EveryTiming {
  readonly everySeconds: number;
  readonly anchor: EpochMs;
}
export type Timing = CronTiming | EveryTiming;

/** Seconds: the shortest interval is that of a poll, not of a loop. */
export const SHORTEST_INTERVAL = 10;
export const LONGEST_INTERVAL = 366 * 86_400;

/** The first time after `after`; undefined where there is none. */
export function nextTime(timing: Timing, after: EpochMs): EpochMs | undefined {
  if ('everySeconds' in timing) return nextMultiple(timing, after);
  const next = cronOf(timing).nextRun(new GivenDate(after));
  return next === null ? undefined : epochMs(next.getTime());
}

/** The next `count` times after `after`; fewer where there are no more. */
export function nextTimes(timing: Timing, after: EpochMs, count: number): EpochMs[] {
  const times: EpochMs[] = [];
  for (let time = nextTime(timing, after); time !== undefined && times.length < count; time = nextTime(timing, time))
    times.push(time);
  return times;
}

/** What is wrong with it, and with which field; undefined for a schedule that runs. */
export function timingProblem(
  timing: Timing,
  now: EpochMs,
): { readonly field: 'cron' | 'timeZone'; readonly detail: string } | undefined {
  if ('everySeconds' in timing) return undefined;
  if (!isTimeZone(timing.timeZone)) return { field: 'timeZone', detail: 'There is no time zone of that name.' };
  if (!/^\s*(?:@[a-z]+|(?:\S+\s+){4}\S+)\s*$/i.test(timing.cron))
    return { field: 'cron', detail: 'It has not five fields: minute, hour, day of the month, month, day of the week.' };
  try {
    const fires = nextTime(timing, now) !== undefined;
    return fires ? undefined : { field: 'cron', detail: `It never comes after ${toIso(now)}.` };
  } catch (thrown) {
    return {
      field: 'cron',
      detail: asError(thrown)
        .message.replace(/^CronPattern: /, '')
        .slice(0, 300),
    };
  }
}

function nextMultiple({ everySeconds, anchor }: EveryTiming, after: EpochMs): EpochMs {
  const interval = everySeconds * 1000;
  const passed = Math.max(0, Math.floor((after - anchor) / interval) + 1);
  return epochMs(anchor + passed * interval);
}

/** A date of a time that is given: never of now. */
const GivenDate = Date;

/** Parsing takes longer than the next time does, and a look-ahead asks for many. */
let parsed: { readonly key: string; readonly cron: Cron } | undefined;

function cronOf({ cron, timeZone }: CronTiming): Cron {
  const key = JSON.stringify([cron, timeZone]);
  if (parsed?.key !== key) parsed = { key, cron: new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }) };
  return parsed.cron;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
