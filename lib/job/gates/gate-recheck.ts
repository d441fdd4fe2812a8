// Looking again at what slots and flows hold back. The first of a key's waiting rows to be due looks for all of them, at most every few
// seconds: it evicts holders whose job no longer runs at their epoch, and wakes as many of the oldest as may go on.
import { allDone } from '../../core/all-done.ts';
import { newId } from '../../core/ids.ts';
import { type EpochMs, earlier, hours, later, seconds, toEpochSeconds } from '../../core/time.ts';
import { flowIn, flowReason, flowRef } from './flow.ts';
import { givePlace, type ReleaseEngine } from './release.ts';
import type { JobRow } from '../row.ts';
import type { SideRef } from '../side/side.ts';
import { counterOf, heldOf, holderIn, HOLDERS, placesOf, slotReason } from './slots.ts';
import { unparkOldest } from '../run/wake.ts';
import { readRow } from '../write.ts';

/** Whether the row itself may go on. */
type Answer = 'unpark' | 'stay';

const LOOK_EVERY = seconds(10);
/** The most holders of a key that one look reads; the next look goes on from there. */
const HOLDERS_A_LOOK = 200;
const SIDE_BY_SIDE = 10;
const MOST_WOKEN = 25;

export async function recheckFlow(engine: ReleaseEngine, row: JobRow, name: string, now: EpochMs): Promise<Answer> {
  const { state, steps } = flowIn(await engine.store.getSide(flowRef(row, name)));
  if (state !== 'paused') return 'unpark';
  if (steps < 1 || (await mayLook(engine, row, flowReason(name), now)) === undefined) return 'stay';
  return wake(engine, row, flowReason(name), steps);
}

export async function recheckSlot(engine: ReleaseEngine, row: JobRow, key: string, now: EpochMs): Promise<Answer> {
  const limit = row.slots?.find((slot) => slot.key === key)?.limit;
  if (limit === undefined) return 'unpark';
  const look = await mayLook(engine, row, slotReason(key), now);
  if (look === undefined) return 'stay';
  const held = heldOf(await engine.store.getSide(counterOf(row, key)));
  const room = limit - held + (held < limit ? 0 : await evict(engine, row, key, look));
  return room > 0 ? wake(engine, row, slotReason(key), room) : 'stay';
}

async function wake(engine: ReleaseEngine, row: JobRow, reason: string, room: number): Promise<Answer> {
  const { woken } = await unparkOldest(engine, row, reason, Math.min(room, MOST_WOKEN));
  return woken.some(({ id }) => id === row.id) || woken.length === 0 ? 'unpark' : 'stay';
}

interface Look {
  readonly side: SideRef;
  readonly cursor: string | undefined;
}

/** Undefined where somebody has just looked. */
async function mayLook(
  { store, chance }: ReleaseEngine,
  { tenant, workspace }: JobRow,
  reason: string,
  now: EpochMs,
): Promise<Look | undefined> {
  const side: SideRef = { tenant, workspace, family: 'slot', group: reason, name: 'look' };
  const expiresAt = toEpochSeconds(later(now, hours(24)));
  const looker = newId('w', now, chance);
  const written = await store.writeSide(side, 'look', { now, before: earlier(now, LOOK_EVERY), expiresAt, looker });
  // Sent again after its answer was lost, it is refused by its own work.
  const row = written.kind === 'applied' ? written.row : written.found;
  if (row?.['looker'] !== looker) return undefined;
  const { cursor } = row;
  return { side, cursor: typeof cursor === 'string' ? cursor : undefined };
}

/** How many places this gave back. */
async function evict(engine: ReleaseEngine, row: JobRow, key: string, { side, cursor }: Look): Promise<number> {
  const group = placesOf(row, key);
  const page = await engine.store.listSides(group, { limit: HOLDERS_A_LOOK, prefix: HOLDERS, cursor });
  if (page.cursor !== cursor) await engine.store.writeSide(side, 'looked-to', { cursor: page.cursor });
  let evicted = 0;
  for (let from = 0; from < page.items.length; from += SIDE_BY_SIDE) {
    const some = page.items.slice(from, from + SIDE_BY_SIDE).map(({ row: holder }) => holderIn(row, holder));
    const given = await allDone(
      some.map(async ({ ref, epoch }) => !(await runs(engine, ref, epoch)) && givePlace(engine, ref, key, epoch)),
    );
    evicted += given.filter(Boolean).length;
  }
  return evicted;
}

/** By a consistent read: once it does not run at that epoch, it never will again. */
async function runs(engine: ReleaseEngine, ref: Parameters<typeof readRow>[1], epoch: number): Promise<boolean> {
  const row = await readRow(engine, ref);
  return row?.status === 'running' && row.epoch === epoch;
}
