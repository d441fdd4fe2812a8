// The recovery bounds that docs/protocol.md publishes, where nothing goes wrong but what is to be recovered from: a worker or a stage dies, a
// doorbell is lost, an execution is stopped. Each bound ends when the job is queued again and its message is sent.
import type { JobRef } from '../../core/ids.ts';
import type { JobRow } from '../../job/row.ts';
import type { Actor } from './actor.ts';
import { simulatedSettings } from './settings.ts';
import type { World } from './world.ts';

const SWEEP_EVERY = 60_000;
/** What a sweep takes to come to the row, and its calls, ms. */
const REACTION = 2000;
/** The machine's catch, and the settle that follows it, ms. */
const AT_ONCE = 10_000;
const { lease, handOff, ringAgainAfter } = simulatedSettings;

/** The process died: what it held comes back in time. */
export function judgeDeath(world: World, actor: Actor): void {
  for (const ref of world.refs) {
    const row = world.store.row(ref);
    if (row?.status !== 'running' || world.senders.get(String(row.leaseOwner)) !== actor) continue;
    const within =
      row.heldBy === 'execution' ? handOff + SWEEP_EVERY : actor.role === 'stage' ? AT_ONCE : lease + SWEEP_EVERY;
    later(world, within, () =>
      mustBeBack(world, ref, row, `a ${actor.role} died, and its job did not come back in time`),
    );
  }
}

/** Nobody carries the pipeline any more, and nobody was told: a probe finds out once the hand-off lapses. */
export function judgeStopped(world: World, ref: JobRef, epoch: number): void {
  const row = world.store.row(ref);
  if (row?.status !== 'running' || row.epoch !== epoch) return;
  const law = 'an execution was stopped, and its job did not come back in time';
  later(world, handOff + SWEEP_EVERY, () => mustBeBack(world, ref, row, law));
}

/** A doorbell was lost: the row is rung for again in time, if it waits still. */
export function judgeUnheard(world: World, ref: JobRef): void {
  const row = world.store.row(ref);
  if (row?.status !== 'queued' || !world.faults.bounded) return;
  const since = world.loop.now();
  const startsIn = Math.max(0, (row.notBefore ?? 0) - since);
  // The first time a lease later; a doorbell that is lost again and again is rung less and less often.
  const looksIn = Math.max(row.rearms === undefined ? startsIn + lease : 0, (row.dueAt ?? since) - since);
  if (row.rearms === undefined && looksIn > startsIn + lease)
    world.oracle.break('the sweep looks too late for a doorbell', row.id);
  const silent = () => isSilent(world, ref, row, since);
  later(world, looksIn + SWEEP_EVERY, () => {
    if (silent() && world.queue.emptySince() <= since)
      world.oracle.break('a lost doorbell was not rung again in time', row.id);
  });
  later(world, Math.max(looksIn, startsIn + ringAgainAfter) + SWEEP_EVERY, () => {
    if (silent()) world.oracle.break('a lost doorbell was never rung again behind a backlog', row.id);
  });
}

function isSilent({ store, rung }: World, ref: JobRef, row: JobRow, since: number): boolean {
  const found = store.row(ref);
  const lastRung = rung.get(`${row.id}/${row.epoch}`) ?? 0;
  return found?.status === 'queued' && found.version === row.version && lastRung <= since;
}

const later = ({ loop, faults }: World, within: number, judge: () => void): void => {
  if (faults.bounded) loop.after(within + REACTION, undefined, judge);
};

/** The claim is over, and where the job waits for a worker again, it was rung for. */
function mustBeBack({ store, oracle, rung, loop }: World, ref: JobRef, row: JobRow, law: string): void {
  const found = store.row(ref);
  const held = found?.status === 'running' && found.epoch === row.epoch && found.leaseOwner === row.leaseOwner;
  // A probe that found its execution alive has left it alone.
  const alive = row.heldBy === 'execution' && found?.leaseUntil !== row.leaseUntil;
  if (held && !alive) oracle.break(law, row.id);
  const due = (found?.notBefore ?? 0) <= loop.now();
  if (found?.status === 'queued' && found.epoch === row.epoch && due && !rung.has(`${row.id}/${row.epoch}`))
    oracle.break(law, `${row.id} is queued, and nobody rang`);
}
