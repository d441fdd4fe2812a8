// Cancelling: at once where the job does not run; otherwise the next heartbeat delivers it.
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import type { Engine } from '../engine.ts';
import type { Written } from '../ports.ts';
import { handOn } from '../gates/release.ts';
import type { JobRow } from '../row.ts';
import { cancelledError } from './settle.ts';
import { isTerminal } from '../status.ts';
import { ending } from '../timing.ts';
import { writeRule } from '../write.ts';

type CancelEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** A row that moves on between each read and write, this often, is busier than any job. */
const MOST_DECISIONS = 10;

/**
 * The job after the cancel: cancelled, still running with the cancel asked, or terminal as it was. Throws Fault NOT_FOUND,
 * Fault CONFLICT when the job moved on each time it was tried, and StoreUnavailable.
 */
export async function cancelJob(engine: CancelEngine, ref: JobRef, reason: string): Promise<JobRow> {
  let row = await engine.store.get(ref);
  for (let decision = 0; decision < MOST_DECISIONS; decision++) {
    if (row === undefined) throw new Fault('NOT_FOUND', 'There is no such job.');
    if (isTerminal(row.status) || row.cancelRequested !== undefined) return row;
    const answer: Written = await writeCancel(engine, ref, row, reason);
    if (answer.kind === 'applied') return cancelled(engine, row, answer.row);
    row = answer.found;
  }
  throw new Fault('CONFLICT', 'The job moved on each time.');
}

async function cancelled(engine: CancelEngine, before: JobRow, row: JobRow): Promise<JobRow> {
  if (before.status === 'queued') await handOn(engine, before);
  return row;
}

function writeCancel(engine: CancelEngine, ref: JobRef, { status, version }: JobRow, reason: string): Promise<Written> {
  if (status === 'running') return writeRule(engine, ref, 'request-cancel', { version, cancelReason: reason });
  const end = ending(engine.settings, engine.clock.now(), 'cancelled');
  return writeRule(engine, ref, 'cancel', { version, ...end, error: cancelledError(reason) });
}
