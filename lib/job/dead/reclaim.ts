// An operator takes a running job from whoever holds it. The reap that follows is done at once, so that the job is queued in the request.
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import { epochMs, type EpochMs, later, millis } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import type { JobRow } from '../row.ts';
import { sweepRow } from '../sweep/sweep-row.ts';
import { readRow, writeRule } from '../write.ts';

type ReclaimEngine = Pick<Engine, 'store' | 'ringer' | 'registry' | 'clock' | 'chance' | 'settings' | 'log'>;

/** A row that moves on between each read and write, this often, is busier than any job. */
const MOST_TRIES = 10;

/** A reclaimed row is held by no execution, so the sweep of it asks for none. */
const nobody = { start: () => Promise.resolve(), probe: () => Promise.resolve('unknown' as const) };

/** The clock of this process may be ahead, and a time of it in the row would keep the sweep from the next lapse. The lease ended at 0. */
const afterLastReap = ({ reapedAt = epochMs(0) }: JobRow): EpochMs => later(reapedAt, millis(1));

/**
 * The job as the reclaim left it: queued with one crash more, or ended where it had no crashes left or its cancel was asked. Throws Fault
 * NOT_FOUND, CONFLICT where it does not run, and StoreUnavailable.
 */
export async function reclaimJob(engine: ReclaimEngine, ref: JobRef): Promise<JobRow> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await readRow(engine, ref);
    if (row === undefined || row.tombstone === true) throw new Fault('NOT_FOUND', 'There is no such job.');
    if (row.status !== 'running')
      throw new Fault('CONFLICT', `The job is ${row.status}; only one that runs can be reclaimed.`);
    const now = engine.clock.now();
    const written = await writeRule(engine, ref, 'reclaim', { version: row.version, now });
    if (written.kind === 'refused') continue;
    engine.log.info('A job was reclaimed.', { jobId: ref.id, epoch: row.epoch });
    await sweepRow({ ...engine, executions: nobody }, { ref, dueAt: now }, now, afterLastReap(written.row));
    return (await readRow(engine, ref)) ?? written.row;
  }
  throw new Fault('CONFLICT', 'The job moved on each time.');
}
