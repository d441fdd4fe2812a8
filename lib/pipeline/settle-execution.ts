// What becomes of a job whose execution failed. The row decides, not the error: begun and unfinished is a crash, never begun is a snooze,
// and a job that has moved on is left alone. Settling twice is harmless.
import { later, seconds } from '../core/time.ts';
import type { Engine } from '../job/engine.ts';
import { finalError } from '../job/dead/fingerprint.ts';
import { jobError } from '../job/run/outcome.ts';
import type { Written } from '../job/ports.ts';
import { afterClaim } from '../job/gates/release.ts';
import { ringFor } from '../job/ring.ts';
import { type JobRow, refOf } from '../job/row.ts';
import { cancelledError } from '../job/run/settle.ts';
import { dueWhenQueued, ending } from '../job/timing.ts';
import { readRow, writeRule } from '../job/write.ts';
import type { SettleCall } from './calls.ts';

type SettleEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

export type ExecutionSettled =
  /** The row is what it should be without us. */
  | { readonly kind: 'left alone'; readonly row: JobRow | undefined }
  | { readonly kind: 'settled'; readonly row: JobRow };

/** How long a job waits that could not begin, since no invocation got through for an hour or the function does not start. */
const NEVER_BEGUN_PAUSE = seconds(60);
/** A stage that begins, commits or settles meanwhile each cost one refusal. */
const MOST_DECISIONS = 4;

/** Settles the job of an execution that failed, was stopped or timed out. Throws StoreUnavailable: call it again. */
export async function settleExecution(engine: SettleEngine, call: SettleCall): Promise<ExecutionSettled> {
  let row = await readRow(engine, call.bell.ref);
  for (let decision = 0; decision < MOST_DECISIONS; decision++) {
    if (row === undefined || !isOurs(row, call)) return { kind: 'left alone', row };
    const written = await writeEnd(engine, row, row.leaseOwner, call.cause ?? '');
    if (written?.kind === 'applied') return settled(engine, written.row);
    if (written === undefined) return { kind: 'left alone', row };
    row = written.found;
  }
  return { kind: 'left alone', row };
}

/** A duplicate was refused while the first invocation runs under a live lease: its job is in good hands. */
const isOurs = (row: JobRow, { bell, cause }: SettleCall): boolean =>
  row.status === 'running' && row.epoch === bell.epoch && !(cause?.includes('duplicate_begin') ?? false);

/** The one write that fits; undefined where an operator has reclaimed the job and the sweep follows. */
function writeEnd(
  engine: SettleEngine,
  row: JobRow,
  owner: JobRow['leaseOwner'],
  cause: string,
): Promise<Written> | undefined {
  if (owner === undefined) return undefined;
  const now = engine.clock.now();
  const { epoch } = row;
  if (row.cancelRequested !== undefined) {
    const end = ending(engine.settings, now, 'cancelled');
    return writeRule(engine, refOf(row), 'cancelled', {
      epoch,
      owner,
      ...end,
      error: cancelledError(row.cancelRequested),
    });
  }
  if (row.heldBy === 'execution') {
    const notBefore = later(now, NEVER_BEGUN_PAUSE);
    const dueAt = dueWhenQueued(engine.settings, now, notBefore);
    return writeRule(engine, refOf(row), 'snooze', { epoch, owner, notBefore, dueAt });
  }
  const error = crashError(row, cause);
  if (row.crashes < row.maxRevivals)
    return writeRule(engine, refOf(row), 'crash', { epoch, owner, error, dueAt: dueWhenQueued(engine.settings, now) });
  const end = ending(engine.settings, now, 'dead');
  return writeRule(engine, refOf(row), 'bury', { epoch, owner, ...end, error: finalError(row, error) });
}

function crashError(row: JobRow, cause: string) {
  const detail = `The invocation after stage ${row.stage ?? '(none)'} ended without an answer: ${cause || 'no cause given'}`;
  return jobError(crashCode(cause), detail, true);
}

/**
 * What the platform says of an invocation that ended without an answer. A kernel that is short of memory kills; Node, whose heap is
 * limited to less than the function's memory, aborts.
 */
function crashCode(cause: string): 'TIMED_OUT' | 'OUT_OF_MEMORY' | 'CRASHED' {
  if (/task timed out|timedout|States\.Timeout/i.test(cause)) return 'TIMED_OUT';
  return /OutOfMemory|heap out of memory|signal: (killed|aborted)/i.test(cause) ? 'OUT_OF_MEMORY' : 'CRASHED';
}

async function settled(engine: SettleEngine, row: JobRow): Promise<ExecutionSettled> {
  if (row.status === 'queued') await ringFor(engine, row, engine.clock.now());
  await afterClaim(engine, row);
  engine.log.info('execution settled', { job: row.id, epoch: row.epoch, rule: row.rule, status: row.status });
  return { kind: 'settled', row };
}
