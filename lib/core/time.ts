// Times have types and come from a clock that is passed in; nothing else in lib reads the system's time.
import type { Brand } from './brand.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** Seconds since 1970-01-01T00:00:00Z, as DynamoDB's TTL wants them. */
export type EpochSeconds = Brand<number, 'EpochSeconds'>;
/** A length of time in milliseconds. */
export type DurationMs = Brand<number, 'DurationMs'>;

export const epochMs = (value: number): EpochMs => value as EpochMs;
export const millis = (value: number): DurationMs => value as DurationMs;
export const seconds = (value: number): DurationMs => millis(value * 1000);
export const minutes = (value: number): DurationMs => seconds(value * 60);
export const hours = (value: number): DurationMs => minutes(value * 60);
export const days = (value: number): DurationMs => hours(value * 24);

export const later = (time: EpochMs, by: DurationMs): EpochMs => epochMs(time + by);
export const earlier = (time: EpochMs, by: DurationMs): EpochMs => epochMs(time - by);
export const between = (from: EpochMs, to: EpochMs): DurationMs => millis(to - from);
export const latest = (...times: EpochMs[]): EpochMs => epochMs(Math.max(...times));
export const toEpochSeconds = (time: EpochMs): EpochSeconds => Math.ceil(time / 1000) as EpochSeconds;
const WallDate = Date;
export const toIso = (time: EpochMs): string => new WallDate(time).toISOString();

/** Where time comes from: the wall for what other machines read, `monotonic` for how long something took. */
export interface Clock {
  now(): EpochMs;
  /** Milliseconds from an arbitrary start; never steps back. */
  monotonic(): number;
  /** Resolves after `by`, or at once when `signal` aborts; never rejects. */
  sleep(by: DurationMs, signal?: AbortSignal): Promise<void>;
}

/** As they were when the process started: a handler that replaces `Date` or the timers must not move the engine's time. */
const { now: wallNow } = Date;
const steadyNow = performance.now.bind(performance);
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

export const systemClock: Clock = {
  now: () => epochMs(wallNow()),
  monotonic: () => steadyNow(),
  sleep: (by, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        stopTimer(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = startTimer(done, by);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
