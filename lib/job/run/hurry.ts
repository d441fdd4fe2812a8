// What makes a run stop before it is done: the kind's time-out, the job's deadline, or a process that has to end. Which of them it was
// decides what the stop costs. Jobs and the stages of pipelines share it.
import { Fault } from '../../core/fault.ts';
import { between, type Clock, type DurationMs, type EpochMs, later, millis } from '../../core/time.ts';
import { jobError, type Outcome } from './outcome.ts';
import type { JobRow } from '../row.ts';

/** The reason of a `stop` because the process is shut down: the run goes on elsewhere, at no cost. Any other `stop` is a process' time limit. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown';
}

export type Hurry = 'timed out' | 'past its deadline' | 'out of time' | 'shutting down';

export interface RunLimits {
  /** Aborts when the process must stop soon. */
  readonly stop?: AbortSignal | undefined;
  /** How long this run may take. */
  readonly timeout?: DurationMs | undefined;
  /** When the job as a whole has to be done. */
  readonly deadline?: EpochMs | undefined;
}

export interface Limits {
  readonly signal: AbortSignal;
  /** Which limit was reached first; undefined while none is. */
  hurry(): Hurry | undefined;
}

/** The limits as one signal; their timers end with `ended`. */
export function openLimits(clock: Clock, { stop, timeout, deadline }: RunLimits, ended: AbortSignal): Limits {
  const reached = new AbortController();
  if (timeout !== undefined)
    void abortAt(clock, later(clock.now(), timeout), ended, reached, 'TIMED_OUT', 'The run reached its time limit.');
  if (deadline !== undefined)
    void abortAt(clock, deadline, ended, reached, 'DEADLINE_EXCEEDED', 'The job is past its deadline.');
  const signal = stop === undefined ? reached.signal : AbortSignal.any([reached.signal, stop]);
  return { signal, hurry: () => (signal.aborted ? hurryOf(signal.reason) : undefined) };
}

function hurryOf(reason: unknown): Hurry {
  if (reason instanceof ShuttingDown) return 'shutting down';
  if (!(reason instanceof Fault)) return 'out of time';
  return reason.code === 'DEADLINE_EXCEEDED' ? 'past its deadline' : 'timed out';
}

/** Aborts at once where the time has come already, so that a run past its deadline is not even begun. */
async function abortAt(
  clock: Clock,
  time: EpochMs,
  ended: AbortSignal,
  reached: AbortController,
  code: 'TIMED_OUT' | 'DEADLINE_EXCEEDED',
  detail: string,
): Promise<void> {
  for (let left = between(clock.now(), time); left > 0; left = between(clock.now(), time)) {
    await clock.sleep(left, ended);
    if (ended.aborted) return;
  }
  reached.abort(new Fault(code, detail));
}

/** Whether a job may no longer be run. */
export const isPastDeadline = ({ deadline }: Pick<JobRow, 'deadline'>, now: EpochMs): boolean =>
  deadline !== undefined && deadline <= now;

/** How a job ends that was not done by its deadline. */
export const deadlinePassed = (stage?: string): Extract<Outcome, { kind: 'fail' }> => ({
  kind: 'fail',
  error: jobError('DEADLINE_EXCEEDED', 'The job was not done by its deadline.', false, stage),
});

/**
 * What a hurried run comes to. `end` is what the handler made of it: what it returned late may be half done, so of that only an answer
 * that says where it stands counts. A process that ends costs no attempt where the next run starts further on (`moved`), or where it is
 * no fault of the run's; without that it does, or a job that never gets anywhere would loop for ever.
 */
export function outcomeOfHurry(
  why: Hurry,
  end: Outcome,
  { moved, stage }: { moved: boolean; stage?: string },
): Outcome {
  if (end.kind === 'fail' || end.kind === 'cancelled') return end;
  if (why === 'past its deadline') return deadlinePassed(stage);
  if (end.kind === 'snooze' || end.kind === 'park') return end;
  if (why === 'shutting down' || (why === 'out of time' && moved)) return { kind: 'snooze', delay: millis(0) };
  const detail = why === 'timed out' ? 'The run reached its time limit.' : 'The process that ran it ran out of time.';
  return { kind: 'retry', error: jobError('TIMED_OUT', detail, true, stage) };
}
