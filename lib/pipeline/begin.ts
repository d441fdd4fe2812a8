// A stage takes the job over from its execution. Exactly one invocation can: the write names the checkpoint that it was decided on.
import { newId } from '../core/ids.ts';
import { later } from '../core/time.ts';
import type { Claim } from '../job/claim.ts';
import type { Engine } from '../job/engine.ts';
import type { Doorbell } from '../job/ports.ts';
import type { JobRow } from '../job/row.ts';
import { readRow, writeRule } from '../job/write.ts';
import { ExecutionStopped } from './stopped.ts';

/** Reads the job that an execution carries. Throws ExecutionStopped when the job has moved on. */
export async function rowOf(engine: Engine, bell: Doorbell): Promise<JobRow> {
  return ofThisExecution(await readRow(engine, bell.ref), bell);
}

function ofThisExecution(row: JobRow | undefined, bell: Doorbell): JobRow {
  if (row?.status === 'running' && row.epoch === bell.epoch) return row;
  const state = row === undefined ? 'gone' : `${row.status} at epoch ${row.epoch}`;
  throw new ExecutionStopped('stale_execution', `${bell.ref.id} is ${state}, this execution is of ${bell.epoch}`);
}

/**
 * Begins: from here on this invocation is the claimant. Undefined when the job changed since `row` was read, and the
 * execution still holds it: decide anew. Throws ExecutionStopped.
 */
export async function begin(engine: Engine, bell: Doorbell, row: JobRow): Promise<Claim | undefined> {
  const owner = newId('own', engine.clock.now(), engine.chance);
  const leaseUntil = later(engine.clock.now(), engine.settings.lease);
  const params = { epoch: bell.epoch, owner, previousNo: row.cursorNo, leaseUntil };
  const written = await writeRule(engine, bell.ref, 'begin', params);
  if (written.kind === 'applied') return { ref: bell.ref, epoch: bell.epoch, owner, row: written.row };
  takeable(engine, bell, written.found);
  return undefined;
}

/** Passes where the execution still holds the job that refused a begin. */
function takeable(engine: Engine, bell: Doorbell, found: JobRow | undefined): void {
  const row = ofThisExecution(found, bell);
  if (row.heldBy === 'execution') return;
  if ((row.leaseUntil ?? 0) > engine.clock.now())
    throw new ExecutionStopped('duplicate_begin', `${bell.ref.id} is being run under a live lease`);
  throw new ExecutionStopped('lease_lapsed', `${bell.ref.id} was begun before, and its lease has lapsed`);
}
