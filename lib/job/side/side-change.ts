// Changing a side row that was read first: the write names what it was decided on, and is decided anew where that has moved on.
import { Fault } from '../../core/fault.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { Engine } from '../engine.ts';
import type { SideRef, SideWritten } from './side.ts';
import { PATIENCE, untilAnswered } from '../write.ts';

const MOST_TRIES = 8;

/** Sends what `decide` makes of the row until it is applied; the row then. Throws Fault CONFLICT and StoreUnavailable. */
export async function changed(
  engine: Pick<Engine, 'store' | 'clock' | 'chance'>,
  side: SideRef,
  decide: (found: Row | undefined) => Promise<SideWritten>,
): Promise<Row> {
  let found = await untilAnswered(engine, PATIENCE, () => engine.store.getSide(side));
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const read = found;
    const written = await untilAnswered(engine, PATIENCE, () => decide(read));
    if (written.kind === 'applied') return written.row;
    found = written.found;
  }
  throw new Fault('CONFLICT', 'Others changed it each time.');
}

/** The time of a change: never that of the one before, so that a late copy of either is told by it. */
export const laterThan = (before: number, now: EpochMs): EpochMs => epochMs(Math.max(now, before + 1));
