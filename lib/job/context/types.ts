// What handlers say and hear of children and waits.
import type { JobId } from '../../core/ids.ts';
import type { DurationMs } from '../../core/time.ts';
import type { JobError, Lane, Slot } from '../row.ts';
import type { TerminalStatus } from '../status.ts';

export interface WaitOptions {
  /** Counted from the first run that waits, and looked at once a minute; without end by default. */
  readonly timeout?: DurationMs | undefined;
}

export interface ChildOptions {
  /** Tells this child from the others of the run (of the stage); by default its place in the order of submits. */
  readonly name?: string | undefined;
  readonly lane?: Lane | undefined;
  /** Not before so long from now. */
  readonly delay?: DurationMs | undefined;
  /** As a submit asks for them. */
  readonly flow?: string | undefined;
  readonly guard?: { readonly key: string; readonly value: string } | undefined;
  readonly concurrencyKey?: Slot | undefined;
}

/** How a child ended. */
export interface ChildEnd {
  readonly id: JobId;
  readonly kind: string;
  readonly status: TerminalStatus;
  /** Of one that succeeded, where it answered something. */
  readonly result?: unknown;
  /** Of one that did not. */
  readonly error?: JobError | undefined;
}
