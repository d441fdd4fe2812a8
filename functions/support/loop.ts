// A background loop of the embedded process: it backs off while what it needs is unavailable, says so once, and reports its own end.
import { asError } from '../../lib/core/check.ts';
import type { Log } from '../../lib/core/log.ts';
import { type Clock, type DurationMs, millis, seconds } from '../../lib/core/time.ts';

export interface LoopOptions {
  readonly name: string;
  /** The pause after a round that had nothing left to do. */
  readonly every: DurationMs;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const firstBackoff = millis(250);
const longestBackoff = seconds(30);

/** Rounds until the signal aborts; `work` answers whether there is more to do at once. Never rejects. */
export async function runLoop(options: LoopOptions, work: () => Promise<boolean>): Promise<void> {
  const { name, clock, log, signal, every } = options;
  let failures = 0;
  while (!signal.aborted) {
    const round = await tryRound(work);
    if ('error' in round && failures === 0)
      log.error('a background loop fails and backs off', { loop: name, ...round });
    if (!('error' in round) && failures > 0) log.info('a background loop works again', { loop: name, failures });
    const pause = 'error' in round ? millis(Math.min(longestBackoff, firstBackoff * 2 ** failures)) : every;
    failures = 'error' in round ? failures + 1 : 0;
    if ('error' in round || !round.more) await clock.sleep(pause, signal);
  }
  log.info('a background loop ended', { loop: name });
}

async function tryRound(work: () => Promise<boolean>): Promise<{ more: boolean } | { error: string }> {
  try {
    return { more: await work() };
  } catch (thrown) {
    return { error: asError(thrown).message };
  }
}
