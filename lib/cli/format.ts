// Times and lengths of time as an operator reads them at a glance, and as one types them.
import { type DurationMs, days, hours, millis, minutes, seconds } from '../core/time.ts';
import { CliFailure, exitCodes } from './failure.ts';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `850ms`, `12s`, `5m`, `3h`, `2d`: the largest unit that says at least 1, and a decimal of seconds below ten. */
export function shortDuration(duration: number): string {
  const ms = Math.abs(duration);
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < seconds(10)) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')}s`;
  if (ms < minutes(2)) return `${Math.round(ms / units.s)}s`;
  if (ms < hours(2)) return `${Math.round(ms / units.m)}m`;
  return ms < days(2) ? `${Math.round(ms / units.h)}h` : `${Math.round(ms / units.d)}d`;
}

/** How long ago, or in how long. */
export function relative(iso: string | undefined, now: number): string {
  if (iso === undefined) return '–';
  const past = now - Date.parse(iso);
  return past >= 0 ? `${shortDuration(past)} ago` : `in ${shortDuration(past)}`;
}

/** `90s`, `15m`, `2h`, `3d`, as milliseconds; undefined for another text. */
export function parseDuration(text: string): DurationMs | undefined {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return count === undefined ? undefined : millis(Number(count) * units[unit as keyof typeof units]);
}

/** A time as ISO 8601: as it was typed, or so long before (−1) or after (1) now. */
export function timeOf(text: string, now: number, direction: -1 | 1): string {
  const duration = parseDuration(text);
  const time = duration === undefined ? Date.parse(text) : now + direction * duration;
  if (!Number.isNaN(time) && Math.abs(time) < 8e15) return new Date(time).toISOString();
  throw new CliFailure(
    exitCodes.usage,
    `${text} is no time.`,
    'Give a length of time such as 15m, 2h or 3d, or ISO 8601.',
  );
}
