// A parked row that is due: whoever should have unparked it may have died, so its reason is looked at again. One function a reason.
import type { EpochMs } from '../../core/time.ts';
import { childrenOver } from '../waits/children.ts';
import type { Engine } from '../engine.ts';
import { recheckFlow, recheckSlot } from '../gates/gate-recheck.ts';
import type { Registry } from '../registry.ts';
import type { JobRow } from '../row.ts';
import { signalOver } from '../waits/signal.ts';

export type RecheckEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'> & {
  /** What is deployed. */
  readonly registry: Pick<Registry, 'names'>;
};
/** `unpark`: what it waited for is there, or will not come. */
export type Recheck = 'unpark' | 'stay';

/** `name` is what follows the colon of the reason; empty where it has none. `now` is the store's clock. */
type Reason = (engine: RecheckEngine, row: JobRow, name: string, now: EpochMs) => Promise<Recheck>;

/** By what stands before the colon of `parked`. */
const reasons: Readonly<Record<string, Reason>> = {
  flow: recheckFlow,
  slot: recheckSlot,
  signal: async (engine, row, name, now) => ((await signalOver(engine, row, name, now)) ? 'unpark' : 'stay'),
  children: async (engine, row) => ((await childrenOver(engine, row)) ? 'unpark' : 'stay'),
  no_handler: async ({ registry }, _row, kind) => (registry.names().includes(kind) ? 'unpark' : 'stay'),
  stage: async (_engine, row) => (row.hold === undefined ? 'unpark' : 'stay'),
};

/** What becomes of a parked row that is due. A reason that nobody knows here stays for who does. Throws StoreUnavailable. */
export async function recheckParked(engine: RecheckEngine, row: JobRow, now: EpochMs): Promise<Recheck> {
  if (isOver(row.deadline, now)) return 'unpark';
  const [what = '', ...rest] = (row.parked ?? '').split(':');
  const answer = (await reasons[what]?.(engine, row, rest.join(':'), now)) ?? 'stay';
  return isOver(row.parkedUntil, now) ? 'unpark' : answer;
}

const isOver = (time: EpochMs | undefined, now: EpochMs): boolean => time !== undefined && time <= now;
