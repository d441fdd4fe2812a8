// A parked row that is due: whoever should have unparked it may have died, so its reason is looked at again. One function a reason.
import type { EpochMs } from '../core/time.ts';
import type { Engine } from './engine.ts';
import type { JobRow } from './row.ts';

export type RecheckEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;
/** `unpark`: what it waited for is there, or will not come. */
export type Recheck = 'unpark' | 'stay';

/** `name` is what follows the colon of the reason; empty where it has none. `now` is the store's clock. */
type Reason = (engine: RecheckEngine, row: JobRow, name: string, now: EpochMs) => Promise<Recheck>;

/** By what stands before the colon of `parked`. */
const reasons: Readonly<Record<string, Reason>> = {};

/** What becomes of a parked row that is due. A reason that nobody knows here stays for who does. Throws StoreUnavailable. */
export async function recheckParked(engine: RecheckEngine, row: JobRow, now: EpochMs): Promise<Recheck> {
  if (isOver(row.parkedUntil, now) || isOver(row.deadline, now)) return 'unpark';
  const [what = '', ...rest] = (row.parked ?? '').split(':');
  return (await reasons[what]?.(engine, row, rest.join(':'), now)) ?? 'stay';
}

const isOver = (time: EpochMs | undefined, now: EpochMs): boolean => time !== undefined && time <= now;
