// Where answers are lost and processes die, and nothing else goes wrong: a live claim is never taken, and whoever queued a row rings for
// it without waiting for a sweep.
import type { MemoryChange } from '../memory/state.ts';
import { simulatedSettings } from './settings.ts';
import type { World } from './world.ts';

/** Longer than a caller needs to read a lost answer and ring, ms. */
const RINGS_WITHIN = 20_000;

export function judgeTransparent(world: World, { before, after, write }: MemoryChange): void {
  const { senders, oracle, loop, rung, store } = world;
  const holder = senders.get(String(before?.leaseOwner));
  const taken = write.name === 'reap' || write.name === 'bury';
  if (taken && before?.heldBy === 'worker' && write.params['owner'] === undefined && holder?.crashed === false)
    oracle.break('a live claim was taken', holder.name);
  if (after.status !== 'queued' || before?.status === 'queued') return;
  if ((after.notBefore ?? 0) - loop.now() > simulatedSettings.queueDelayCap) return;
  loop.after(RINGS_WITHIN, undefined, () => {
    if (rung.has(`${after.id}/${after.epoch}`) || senders.get(after.writeId)?.crashed !== false) return;
    const last = store.changes.findLast((change) => change.after.id === after.id);
    if (last?.after.writeId === after.writeId) oracle.break('nobody rang', `${after.id} after ${write.name}`);
  });
}
