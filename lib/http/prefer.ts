// `Prefer: wait=N` (RFC 7240): the submit answers with the finished job if it finishes in time.
import type { JobRef } from '../core/ids.ts';
import { between, type DurationMs, later, millis, seconds } from '../core/time.ts';
import type { JobRow } from '../job/row.ts';
import { isTerminal } from '../job/status.ts';
import type { JobParts } from './deps.ts';
import { waitPauses } from './limits.ts';

/** How long the caller would wait, whole seconds, at most `cap`; undefined when it does not say so. */
export function preferredWait(headers: Headers, cap: DurationMs): DurationMs | undefined {
  const [, digits] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(headers.get('prefer') ?? '') ?? [];
  return digits === undefined ? undefined : millis(Math.min(seconds(Number(digits)), cap));
}

/** The row once it is terminal, or as it is when the time is up. */
export async function waitForEnd(
  { store, clock }: Pick<JobParts, 'store' | 'clock'>,
  row: JobRow,
  wait: { ref: JobRef; atMost: DurationMs; signal: AbortSignal },
): Promise<JobRow> {
  const until = later(clock.now(), wait.atMost);
  let [seen, pause] = [row, waitPauses.first];
  while (!isTerminal(seen.status) && clock.now() < until && !wait.signal.aborted) {
    await clock.sleep(millis(Math.min(pause, between(clock.now(), until))), wait.signal);
    seen = (await store.get(wait.ref)) ?? seen;
    pause = millis(Math.min(Math.round(pause * waitPauses.factor), waitPauses.most));
  }
  return seen;
}
