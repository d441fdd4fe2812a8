// Who runs beside the jobs: the sweep of each minute, the relay behind the change stream, the store's expiry, and deploys.
import { createEffects } from '../../../events/effects.ts';
import { type RelayDeps, relayChanges } from '../../../events/relay.ts';
import { countChanges } from '../../../events/statistics.ts';
import { sweep } from '../../../job/sweep/reaper.ts';
import type { World } from '../world.ts';
import type { Cast } from './cast.ts';

const SWEEP_EVERY = 60_000;

/** One of the schedules that start a sweep each minute; each sweep is a process of its own. */
export async function runReaper(world: World, cast: Cast): Promise<never> {
  await world.loop.pause(undefined, world.draw('sweep') * SWEEP_EVERY);
  for (;;) {
    const shards = world.index.shards();
    const next = world.loop.now() + SWEEP_EVERY;
    // A sweep that finds nothing changes nothing, and most of a long wait is such sweeps.
    if (world.index.mayFind(world.loop.now() + world.faults.skew))
      await cast.inProcess('reaper', (engine) => sweep(engine, { shards }));
    await world.loop.pause(undefined, next - world.loop.now());
  }
}

export function runRelay(world: World, cast: Cast): void {
  const counts = world.draws.draw('run', 'counts') > 0.8;
  world.stream.read(async (changes) => {
    let failedAt: number | undefined;
    const ended = await cast.inProcess('relay', async (engine) => {
      const deps = { ...engine, effects: createEffects(engine) };
      const count: RelayDeps['count'] = (loud, how) => countChanges(engine, loud, how);
      failedAt = await relayChanges(counts ? { ...deps, count } : deps, changes);
    });
    return ended === 'failed' ? 'failed' : failedAt;
  });
}

/** Rolls releases out in turn; the first is rolled out again at the end, so that every kind comes back. */
export async function runDeploys(world: World, cast: Cast): Promise<void> {
  if (world.draw('deploys') <= 1 - world.faults.deploys) return;
  for (let left = 1 + Math.floor(world.draw('deploys') * 3); left > 0; left--) {
    await world.loop.pause(undefined, world.draw('deploys') * 90_000);
    world.release = Math.floor(world.draw('deploys') * cast.releases.length);
    world.note(undefined, `deploy of release ${world.release}`);
  }
  await world.loop.pause(undefined, world.draw('deploys') * 300_000);
  world.release = 0;
  world.note(undefined, 'deploy of release 0');
}
