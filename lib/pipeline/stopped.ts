// Why a step ends its execution. The machine catches every throw alike and decides from the row; only `duplicate_begin` is looked for.

export type StopReason =
  /** Another invocation runs this stage under a live lease: the settle state must leave it alone. */
  | 'duplicate_begin'
  /** The stage began, its lease has lapsed, and nobody has taken the job away yet. */
  | 'lease_lapsed'
  /** The job is finished, queued again, or at another epoch: this execution is of the past. */
  | 'stale_execution'
  /** Somebody else may hold the job; nothing was settled. */
  | 'lease_lost'
  /** The store did not answer; the row tells what became of the write. */
  | 'unanswered'
  /** The stage settled the job: failed, cancelled, or queued again. */
  | 'settled';

/** Ends an execution; the message starts with the reason. */
export class ExecutionStopped extends Error {
  override readonly name = 'ExecutionStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason, detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}
