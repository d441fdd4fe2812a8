// What runs beside the HTTP app in the embedded process: the worker on its queue, the sweep, the relay, and the removal of what expired.
import { asError } from '../../lib/core/check.ts';
import { millis, minutes, seconds } from '../../lib/core/time.ts';
import { createEffects } from '../../lib/events/effects.ts';
import { type RelayDeps, relayChanges } from '../../lib/events/relay.ts';
import { countChanges } from '../../lib/events/statistics.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { checkBacklogs } from '../../lib/job/health/health.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { rouseQueued } from '../../lib/job/sweep/rouse.ts';
import type { Consumer } from '../../lib/queue/embedded.ts';
import { endOfRun } from './embedded-limits.ts';
import { watchInbox } from './embedded-inbox.ts';
import type { EmbeddedWorld } from './embedded-world.ts';
import { runLoop } from './loop.ts';

/** Jobs of one lane side by side. */
const CONCURRENCY = 4;
const HEAR_AGAIN = seconds(5);
const CHANGES_AT_ONCE = 200;

/** Hears doorbells until it is stopped; `abort` tells the handlers under way that the process must end. */
export function startWorker({ engine, queue }: EmbeddedWorld, abort: AbortSignal): Consumer {
  const worker = createWorker(engine);
  return queue.consume(
    async ({ bell }) => {
      try {
        await worker.hear(bell, AbortSignal.any([abort, endOfRun()]));
        return undefined;
      } catch (thrown) {
        engine.log.warn('a doorbell is heard again later', { job: bell.ref.id, error: asError(thrown).message });
        return { again: HEAR_AGAIN };
      }
    },
    { concurrency: CONCURRENCY, visibility: minutes(15) },
  );
}

/** The loops; resolves when all have ended, which they do after `signal`. */
export function runLoops(world: EmbeddedWorld, signal: AbortSignal): Promise<unknown> {
  const { engine, store } = world;
  const { clock, log } = engine;
  const common = { clock, log, signal };
  const relay: RelayDeps = {
    ...engine,
    effects: createEffects(engine),
    count: (relayed, how) => countChanges(engine, relayed, how),
  };
  let roused = false;
  return Promise.all([
    // The index is a local one, so a look costs next to nothing.
    runLoop({ ...common, name: 'sweep', every: seconds(5) }, async () => {
      if (!roused) await rouseQueued(engine, signal);
      roused = true;
      await sweep(engine, { signal });
      return false;
    }),
    runLoop({ ...common, name: 'health', every: minutes(1) }, async () => {
      await checkBacklogs({ ...engine, backlogs: world.queue });
      return false;
    }),
    runLoop({ ...common, name: 'relay', every: millis(50) }, () => relayBatch(store, relay)),
    runLoop({ ...common, name: 'inbox', every: seconds(2) }, watchInbox(world)),
    runLoop({ ...common, name: 'expiry', every: minutes(10) }, async () => {
      await store.purgeExpired(clock.now());
      return false;
    }),
  ]);
}

/** A change is forgotten only once it is wholly relayed; answers whether there may be more. */
async function relayBatch(store: EmbeddedWorld['store'], deps: RelayDeps): Promise<boolean> {
  const changes = await store.changes(0, CHANGES_AT_ONCE);
  const relayed = changes.slice(0, await relayChanges(deps, changes)).at(-1);
  if (relayed !== undefined) await store.ackChanges(relayed.seq);
  return changes.length === CHANGES_AT_ONCE;
}
