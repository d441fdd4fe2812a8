// How a process with work under way ends: nothing new, a grace, then an abort, a last moment, the end.
import type { Clock, DurationMs } from '../../lib/core/time.ts';

export interface Drain {
  readonly clock: Clock;
  /** How long work under way may go on by itself. */
  readonly grace: DurationMs;
  /** How long it may take to stop once it is aborted. */
  readonly afterAbort: DurationMs;
  /** Takes in nothing new; resolves when all that was under way has ended. */
  readonly finish: () => Promise<unknown>;
  readonly abort: () => void;
}

/** `drained`: all ended by itself. `aborted`: it ended once told to. `left`: something did not, and its lease will lapse. */
export async function drain({
  clock,
  grace,
  afterAbort,
  finish,
  abort,
}: Drain): Promise<'drained' | 'aborted' | 'left'> {
  const finished = finish().then(() => true);
  if (await within(finished, grace, clock)) return 'drained';
  abort();
  return (await within(finished, afterAbort, clock)) ? 'aborted' : 'left';
}

async function within(finished: Promise<boolean>, by: DurationMs, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const ended = await Promise.race([finished, clock.sleep(by, waiting.signal).then(() => false)]);
  waiting.abort();
  return ended;
}
