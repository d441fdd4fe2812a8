// Looks at the due index while chaos runs: a row that is past due for longer than the sweep's period is one that the sweep does not find.
import { setTimeout as pause } from 'node:timers/promises';
import type { EpochMs } from '../../lib/core/time.ts';
import { DUE_SHARDS, type DueEntry, type JobStore } from '../../lib/job/ports.ts';
import { type Span, timeUp } from './bounds.ts';

const EVERY_MS = 5000;

/** Due rows as last seen, by job and the time that they were due. */
type Seen = Map<string, Span>;

/** Until it is told to stop; answers how long each due time was seen to be past, ms. To the period of looking, times are too short. */
export async function watchDue(
  store: Pick<JobStore, 'due'>,
  now: () => EpochMs,
  outages: readonly Span[],
  stop: AbortSignal,
): Promise<readonly number[]> {
  const seen: Seen = new Map();
  while (!stop.aborted) {
    // An emulator that is down is looked at again.
    await look(store, now(), seen).catch(() => undefined);
    await pause(EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return [...seen.values()].map((span) => timeUp(span, outages));
}

async function look(store: Pick<JobStore, 'due'>, now: EpochMs, seen: Seen): Promise<void> {
  for (let shard = 0; shard < DUE_SHARDS; shard++) {
    for await (const { ref, dueAt } of pastDue(store, shard, now))
      seen.set(`${ref.id} ${dueAt}`, { from: dueAt, until: now });
  }
}

async function* pastDue(store: Pick<JobStore, 'due'>, shard: number, now: EpochMs): AsyncGenerator<DueEntry> {
  let after: string | undefined;
  do {
    const page = await store.due(shard, now, after);
    yield* page.entries;
    after = page.after;
  } while (after !== undefined);
}
