// For a queue that keeps nothing over a restart: every queued row is rung for at once, due or not, instead of by the sweep a lease later.
import { epochMs } from '../core/time.ts';
import type { Engine } from './engine.ts';
import { DUE_SHARDS } from './ports.ts';
import { ringFor } from './ring.ts';

/** Later than any due time. */
const EVER = epochMs(8.64e15);

/** Answers how many doorbells were sent; a row that is rung for twice is harmless. Throws StoreUnavailable. */
export async function rouseQueued(
  engine: Pick<Engine, 'store' | 'ringer' | 'clock' | 'settings' | 'log'>,
  signal?: AbortSignal,
): Promise<number> {
  let rung = 0;
  for (let shard = 0; shard < DUE_SHARDS; shard++) {
    let after: string | undefined;
    do {
      const page = await engine.store.due(shard, EVER, after);
      for (const { ref } of page.entries) {
        if (signal?.aborted === true) return rung;
        const row = await engine.store.get(ref);
        if (row?.status === 'queued' && (await ringFor(engine, row, engine.clock.now()))) rung += 1;
      }
      after = page.after;
    } while (after !== undefined);
  }
  return rung;
}
