// What a handler says of how far it is, as a row may keep it; and a gate before the heartbeat, since a handler may say it a million times.
import { plainText } from '../../core/check.ts';
import { type Clock, millis } from '../../core/time.ts';
import type { JobContext } from '../registry.ts';
import type { Progress } from '../row.ts';

/** Characters. */
const MAX_NOTE = 200;
/** How often what was said is passed on; a beat, which writes it, comes far less often. */
const EVERY = millis(250);

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

/** Numbers that are none, or below 0, are 0; the note is cut to 200 characters. */
const toProgress = (done: unknown, total: unknown, note: unknown): Progress => ({
  done: count(done),
  total: count(total),
  note: plainText(note, MAX_NOTE),
});

/** `ctx.progress`: passes on the first of what is said and then the latest, at most every 250 ms, until `ended` aborts. */
export function progressGate(
  { monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'>,
  pass: (progress: Progress) => void,
  ended: AbortSignal,
): JobContext['progress'] {
  let latest: Progress | undefined;
  let passedAt = Number.NEGATIVE_INFINITY;
  let waiting = false;
  const flush = (): void => {
    if (latest === undefined || ended.aborted) return;
    passedAt = monotonic();
    pass(latest);
    latest = undefined;
  };
  const flushLater = async (): Promise<void> => {
    waiting = true;
    await sleep(EVERY, ended);
    waiting = false;
    flush();
  };
  return (done, total, note = '') => {
    latest = toProgress(done, total, note);
    // Looked at here too, since a handler that blocks the event loop keeps every timer waiting.
    if (monotonic() - passedAt >= EVERY) flush();
    else if (!waiting) void flushLater();
  };
}
