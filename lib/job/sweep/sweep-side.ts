// What one due side row needs. Only schedules fall due: one whose time is near, or whose tick has not come, is sent a tick.
import type { EpochMs } from '../../core/time.ts';
import type { DueSide } from '../ports.ts';
import { readSchedule } from '../schedule/schedule.ts';
import { armLater, sendTick } from '../schedule/tick.ts';
import type { SweepEngine } from './sweep-row.ts';

/** `rest`: its workspace is deleted. `moved`: the row moved on, or is gone, before this sweep's write. */
export type SideStep = 'tick' | 'rest' | 'remove' | 'moved';

/** `now` is the store's clock. Throws StoreUnavailable. */
export async function sweepSide(engine: SweepEngine, { side }: DueSide, now: EpochMs): Promise<SideStep> {
  const schedule = await readSchedule(engine, side);
  if (schedule?.dueAt === undefined || schedule.dueAt > now) return 'moved';
  return (await sendTick(engine, schedule, now)) ? 'tick' : 'moved';
}

/** Its workspace is deleted and may be restored: it is looked at again later, and runs nothing until then. Throws StoreUnavailable. */
export async function restSide(engine: SweepEngine, { side }: DueSide, now: EpochMs): Promise<SideStep> {
  const schedule = await readSchedule(engine, side);
  if (schedule?.dueAt === undefined || schedule.dueAt > now) return 'moved';
  return (await armLater(engine, schedule, now)) ? 'rest' : 'moved';
}

/** Its workspace is gone, and it goes with it. Throws StoreUnavailable. */
export async function removeSide({ store }: Pick<SweepEngine, 'store'>, { side }: DueSide): Promise<SideStep> {
  return (await store.writeSide(side, 'remove', {})).kind === 'applied' ? 'remove' : 'moved';
}
