// What a parked job waited for is there: it is queued and rung. Whoever makes it come true calls this; where they die before it, the
// sweep's re-check does.
import type { Engine } from '../engine.ts';
import type { Written } from '../ports.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, refOf } from '../row.ts';
import { dueWhenQueued } from '../timing.ts';
import { writeRule } from '../write.ts';

export type UnparkEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** A row that is held or re-armed under each try is busier than any parked job. */
const MOST_TRIES = 5;

/** The job as this left it: queued, or as it was found where it does not wait for `reason`. Throws StoreUnavailable. */
export async function unparkFrom(
  engine: UnparkEngine,
  row: JobRow | undefined,
  reason: string,
): Promise<JobRow | undefined> {
  let found = row;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (found?.status !== 'parked' || found.parked !== reason) return found;
    const now = engine.clock.now();
    const dueAt = dueWhenQueued(engine.settings, now, found.notBefore);
    const written: Written = await writeRule(engine, refOf(found), 'unpark', { version: found.version, dueAt });
    if (written.kind === 'applied') {
      await ringFor(engine, written.row, now);
      return written.row;
    }
    found = written.found;
  }
  return found;
}
