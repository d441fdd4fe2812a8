// For a queue that keeps nothing over a restart: every queued row is rung for at once, due or not, instead of by the sweep a lease later.
import type { JobRef } from '../../core/ids.ts';
import { epochMs } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { DUE_SHARDS } from '../ports.ts';
import { ringFor } from '../ring.ts';

/** Later than any due time. */
const EVER = epochMs(8.64e15);

type RouseEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'settings' | 'log'>;

/** Answers how many doorbells were sent; a row that is rung for twice is harmless. Throws StoreUnavailable. */
export async function rouseQueued(engine: RouseEngine, signal?: AbortSignal): Promise<number> {
  let rung = 0;
  for await (const ref of waiting(engine)) {
    if (signal?.aborted === true) break;
    if (await rouse(engine, ref)) rung += 1;
  }
  return rung;
}

async function* waiting(engine: RouseEngine): AsyncGenerator<JobRef> {
  for (let shard = 0; shard < DUE_SHARDS; shard++) yield* waitingIn(engine, shard);
}

async function* waitingIn({ store }: RouseEngine, shard: number): AsyncGenerator<JobRef> {
  let after: string | undefined;
  do {
    const page = await store.due(shard, EVER, after);
    yield* page.entries.map(({ ref }) => ref);
    after = page.after;
  } while (after !== undefined);
}

async function rouse(engine: RouseEngine, ref: JobRef): Promise<boolean> {
  const row = await engine.store.get(ref);
  return row?.status === 'queued' && ringFor(engine, row, engine.clock.now());
}
