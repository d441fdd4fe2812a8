import { type Clock, type DurationMs, epochMs } from '../../lib/core/time.ts';

export interface ManualClock extends Clock {
  /** Moves time on and wakes who sleeps until then, in the order of their time. */
  advance(by: DurationMs): Promise<void>;
}

/** A clock that stands until it is moved. */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => epochMs(now),
    monotonic: () => now,
    sleep: (by, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || by <= 0) return resolve();
        const sleeper = {
          until: now + by,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    advance: async (by) => {
      await settled();
      const end = now + by;
      for (;;) {
        const [next] = [...sleepers].filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
        if (next === undefined) break;
        now = Math.max(now, next.until);
        next.wake();
        await settled();
      }
      now = end;
      await settled();
    },
  };
}

/** Lets everything that is ready to run do so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
