// A finished job gets another life, or is listed no more. Each decides on the row as it was read, so that two operators at once make one
// life of it.
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import { type EpochMs, later, latest } from '../../core/time.ts';
import { retakeDedup } from '../submit/dedup.ts';
import type { Engine } from '../engine.ts';
import { validInput } from '../submit/new-row.ts';
import { inputName, savePayload } from '../payload.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, type PayloadRef, refOf } from '../row.ts';
import { dueWhenQueued } from '../timing.ts';
import { type ParamsFor, readRow, writeRule, writeTogether } from '../write.ts';

export type RedriveEngine = Pick<
  Engine,
  'store' | 'ringer' | 'objects' | 'registry' | 'clock' | 'chance' | 'settings' | 'log'
>;

/** Where a pipeline's run goes on: after this stage, whose output is there. Neither: from the first stage. */
export interface RestartPlace {
  readonly stage?: string | undefined;
  readonly stageOutput?: string | undefined;
}

export interface RedriveOptions {
  /** Takes the place of the job's input; a pipeline then begins with its first stage unless `place` says otherwise. */
  readonly input?: unknown;
  /** Asked for each row that is decided on; after the last committed stage where left out. */
  readonly place?: ((row: JobRow) => Promise<RestartPlace>) | undefined;
  readonly notBefore?: EpochMs | undefined;
  /** For the log. */
  readonly reason?: string | undefined;
}

/** A row that moves on between each read and write, this often, is busier than any job that has ended. */
const MOST_TRIES = 10;

/**
 * The job, queued again. Throws Fault NOT_FOUND; CONFLICT where it has not ended, succeeded, or still owes what follows it;
 * DEDUP_KEY_HELD; UNKNOWN_KIND or VALIDATION_FAILED for a new input; what `place` throws; and StoreUnavailable.
 */
export async function redriveJob(engine: RedriveEngine, ref: JobRef, options: RedriveOptions = {}): Promise<JobRow> {
  let input: PayloadRef | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = mayBeRedriven(await readRow(engine, ref));
    input ??= await newInput(engine, row, options);
    const redriven = await write(engine, row, await paramsOf(engine, row, input, options));
    if (redriven === undefined) continue;
    engine.log.info('A job was redriven.', { jobId: ref.id, redrives: redriven.redrives, reason: options.reason });
    await ringFor(engine, redriven, engine.clock.now());
    return redriven;
  }
  throw new Fault('CONFLICT', 'The job moved on each time.');
}

function mayBeRedriven(row: JobRow | undefined): JobRow {
  if (row === undefined || row.tombstone === true) throw new Fault('NOT_FOUND', 'There is no such job.');
  if (row.status !== 'failed' && row.status !== 'dead' && row.status !== 'cancelled')
    throw new Fault(
      'CONFLICT',
      `The job is ${row.status}; only one that failed, is dead or was cancelled can be redriven.`,
    );
  if (row.owes !== undefined)
    throw new Fault(
      'CONFLICT',
      'The job still owes what follows it; that is made within two minutes, then redrive it.',
    );
  return row;
}

async function newInput(engine: RedriveEngine, row: JobRow, options: RedriveOptions): Promise<PayloadRef | undefined> {
  if (options.input === undefined) return undefined;
  const kind = engine.registry.find(row.kind);
  if (kind === undefined)
    throw new Fault('UNKNOWN_KIND', `The kind ${row.kind} is not deployed, so no input can be checked.`);
  return savePayload(engine, refOf(row), inputName(engine), validInput(kind, options.input));
}

async function paramsOf(
  engine: RedriveEngine,
  row: JobRow,
  input: PayloadRef | undefined,
  { notBefore, place }: RedriveOptions,
): Promise<ParamsFor<'redrive'>> {
  const now = engine.clock.now();
  const allowed = engine.registry.find(row.kind)?.deadline;
  const { stage, stageOutput } = place ? await place(row) : input === undefined ? row : {};
  return {
    version: row.version,
    dueAt: dueWhenQueued(engine.settings, now, notBefore),
    deadline: allowed && later(latest(now, notBefore ?? now), allowed),
    ...{ stage, stageOutput, input, notBefore },
  };
}

/** Undefined where it must be decided anew. */
async function write(engine: RedriveEngine, row: JobRow, params: ParamsFor<'redrive'>): Promise<JobRow | undefined> {
  const beside = await retakeDedup(engine, row);
  const written =
    beside.length === 0
      ? await writeRule(engine, refOf(row), 'redrive', params)
      : await writeTogether(engine, { ref: refOf(row), rule: 'redrive', params }, beside);
  return written.kind === 'applied' ? written.row : undefined;
}

/** The job, listed among the failed no more. Throws Fault NOT_FOUND, CONFLICT where it is not listed there, and StoreUnavailable. */
export async function discardJob(engine: Omit<RedriveEngine, 'ringer'>, ref: JobRef): Promise<JobRow> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await readRow(engine, ref);
    if (row === undefined || row.tombstone === true) throw new Fault('NOT_FOUND', 'There is no such job.');
    if (row.discarded === true) return row;
    if (row.status !== 'failed' && row.status !== 'dead')
      throw new Fault('CONFLICT', `The job is ${row.status}; only one that failed or is dead can be discarded.`);
    if (row.owes !== undefined) throw new Fault('CONFLICT', 'The job still owes what follows it.');
    const { version, expiresAt } = row;
    const written = await writeRule(engine, ref, 'discard', { version, expiresAt });
    if (written.kind === 'applied') return written.row;
  }
  throw new Fault('CONFLICT', 'The job moved on each time.');
}
