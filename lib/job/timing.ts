// When somebody must look again: the arithmetic of due times, delays and expiry. Pure.
import type { Chance } from '../core/chance.ts';
import {
  between,
  type DurationMs,
  type EpochMs,
  type EpochSeconds,
  earlier,
  epochMs,
  later,
  latest,
  millis,
  toEpochSeconds,
} from '../core/time.ts';
import type { JobRow } from './row.ts';
import type { EngineSettings } from './settings.ts';
import type { TerminalStatus } from './status.ts';

/** How long until `notBefore`; 0 when it is past or absent. */
export const residual = (notBefore: EpochMs | undefined, now: EpochMs): DurationMs =>
  millis(notBefore === undefined ? 0 : Math.max(0, between(now, notBefore)));

/** `dueAt` of a queued row: a lease after it may start where the queue carries the delay, else shortly before, for the sweep to arm. */
export const dueWhenQueued = (settings: EngineSettings, now: EpochMs, notBefore?: EpochMs): EpochMs =>
  notBefore !== undefined && residual(notBefore, now) > settings.queueDelayCap
    ? earlier(notBefore, settings.armBefore)
    : later(latest(now, notBefore ?? now), settings.lease);

/** `dueAt` of a parked row: soon after, since an unpark in between may have missed it, or when it stops waiting. */
export const dueWhenParked = (settings: EngineSettings, now: EpochMs, until?: EpochMs): EpochMs => {
  const soon = later(now, settings.recheckAfter);
  return until !== undefined && until < soon ? until : soon;
};

/** Full jitter: uniform in [0, min(cap, base · 2^(n−1))] after the nth failure. */
export function backoff(settings: EngineSettings, chance: Chance, failures: number): DurationMs {
  const ceiling = Math.min(settings.backoffCap, settings.backoffBase * 2 ** (failures - 1));
  return millis(Math.floor(chance.next() * (ceiling + 1)));
}

/** How long the sweep leaves a row alone after it was re-armed `rearms` times: doubling, capped. */
export const rearmDelay = (settings: EngineSettings, rearms: number): DurationMs =>
  millis(Math.min(settings.rearmCap, settings.rearmBase * 2 ** Math.min(rearms, 20)));

/** `dueAt` of a parked row whose reason was looked at: by how often it was re-armed, and no later than it waits, or may be run. */
export function parkedDue(
  settings: EngineSettings,
  now: EpochMs,
  { rearms = 0, parkedUntil = now, deadline = now }: Partial<Pick<JobRow, 'rearms' | 'parkedUntil' | 'deadline'>>,
): EpochMs {
  const ends = [parkedUntil, deadline].filter((end) => end > now);
  return epochMs(Math.min(later(now, rearmDelay(settings, rearms)), ...ends));
}

/** The parameters that every ending rule has in common: `now`, and when the store may forget the row. */
export function ending(
  settings: EngineSettings,
  now: EpochMs,
  status: TerminalStatus,
): { now: EpochMs; expiresAt?: EpochSeconds } {
  const keep = status === 'dead' ? settings.keepDead : settings.keepFinished;
  return keep === 0 ? { now } : { now, expiresAt: toEpochSeconds(later(now, keep)) };
}
