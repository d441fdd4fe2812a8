// Waiting for a signal: something that can be looked at, and a deadline that says what was waited for.
import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  readonly seconds?: number;
  /** Between two looks. */
  readonly everyMs?: number;
}

/** Looks again and again until `look` answers something; throws an Error that names what did not come. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { seconds = 60, everyMs = 100 }: Patience = {},
): Promise<T> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  while (!deadline.aborted) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await pause(everyMs);
  }
  throw new Error(`Waited ${seconds} s for ${what}.`);
}
