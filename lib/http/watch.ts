// Waiting for a job: one look after the other, ever less often, or as soon as the store says that something changed.
import { between, type DurationMs, later, millis, seconds } from '../core/time.ts';
import type { JobRef } from '../core/ids.ts';
import type { HttpDeps } from './deps.ts';

/** The pauses between two looks, so that one waiter reads a row less than once a second over its wait. */
const pauses = { first: millis(300), factor: 1.6, most: seconds(2) } as const;
/** Where changes are told: what other processes write to the same store (progress) is not. */
const toldPause = seconds(5);

type WatchDeps = Pick<HttpDeps, 'clock' | 'watch'>;

interface Wait {
  readonly ref: JobRef;
  readonly atMost: DurationMs;
  readonly signal: AbortSignal;
}

/** What `look` found first, or undefined when the time is up or the caller has gone. */
export async function lookUntil<T>(deps: WatchDeps, wait: Wait, look: () => Promise<T | undefined>) {
  const until = later(deps.clock.now(), wait.atMost);
  for (let pause: DurationMs = pauses.first; ; pause = millis(Math.min(pause * pauses.factor, pauses.most))) {
    using change = aChange(deps, wait);
    const found = await look();
    const left = between(deps.clock.now(), until);
    if (found !== undefined || left <= 0 || wait.signal.aborted) return found;
    await change.orAfter(pause, left);
  }
}

/** Listens from now on, so that a change right after a look is not missed. */
function aChange({ clock, watch }: WatchDeps, { ref, signal }: Wait) {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const change = watch?.changed?.(ref, either);
  return {
    orAfter: async (pause: DurationMs, left: DurationMs): Promise<void> => {
      const rest = clock.sleep(millis(Math.min(left, change ? toldPause : pause)), either);
      await (change ? Promise.race([change, rest]) : rest);
    },
    [Symbol.dispose]: () => ended.abort(),
  };
}

/** Waits in a place; `busy` when there is none. */
export async function waitInPlace<T>(deps: WatchDeps, wait: () => Promise<T>): Promise<T | 'busy'> {
  const place = deps.watch && (await deps.watch.places.take());
  if (place === undefined) return 'busy';
  try {
    return await wait();
  } finally {
    await place.leave();
  }
}

/** Seconds that a caller without a place is asked to stay away. */
export const BUSY_SECONDS = 5;
