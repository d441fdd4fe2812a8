// What a run of a handler came to. Handlers return a value, or one of `snooze`, `continueFrom`, `cancel`; they throw for the rest.
import { asError, plainText } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId } from '../../core/ids.ts';
import { days, type DurationMs, type EpochMs, millis } from '../../core/time.ts';
import { cursorJson } from '../payload.ts';
import type { Publication, StoredBytes, TransactWrite } from '../ports.ts';
import type { JobError, PayloadRef } from '../row.ts';

/** What a claimant settles its job with. */
export type Outcome =
  | {
      readonly kind: 'succeed';
      readonly result?: PayloadRef | undefined;
      readonly warnings?: number | undefined;
      /** The last stage of a pipeline, when this settle commits it too. */
      readonly stage?: string | undefined;
      /** The job that follows; what it will be is saved (owed.ts). */
      readonly owes?: string | undefined;
      /** Snapshots that become visible with this settle, in the same transaction. */
      readonly publications?: readonly Publication[] | undefined;
      /** The result that goes with what is superseded; passed on to the store's `publish`. */
      readonly resultFor?: ((superseded: readonly SnapshotId[]) => Promise<PayloadRef>) | undefined;
      /** Bytes that are stored for good with this settle. */
      readonly stored?: StoredBytes | undefined;
    }
  /** It will never work. */
  | { readonly kind: 'fail'; readonly error: JobError }
  /** Costs an attempt; tried again while the budget lasts, after `retryAfter` or the backoff. */
  | { readonly kind: 'retry'; readonly error: JobError; readonly retryAfter?: DurationMs | undefined }
  /** Costs nothing; with a cursor, the next run goes on there. */
  | { readonly kind: 'snooze'; readonly delay: DurationMs; readonly cursor?: string | undefined }
  | { readonly kind: 'cancelled'; readonly reason: string }
  /** Costs nothing: it waits for what `reason` names, if that still has to come by the `checks`; until then no worker is held. */
  | {
      readonly kind: 'park';
      readonly reason: string;
      /** When it waits no longer. */
      readonly until?: EpochMs | undefined;
      /** How many children must have ended. */
      readonly awaits?: number | undefined;
      /** Applied together with the park. One that refuses says that there is nothing to wait for: the run starts again at once. */
      readonly checks?: readonly TransactWrite[] | undefined;
    };

const tag = Symbol('millrace.answer');

/** An answer of a handler that is not its result. */
export interface HandlerAnswer {
  readonly [tag]: Extract<Outcome, { kind: 'snooze' | 'cancelled' }>;
}

/** Run the job again after `delay`, at most a year; costs no attempt. */
export const snooze = (delay: DurationMs): HandlerAnswer => ({ [tag]: { kind: 'snooze', delay: bounded(delay) } });

/**
 * Run the job again, with `ctx.cursor` = `cursor` (any JSON value of at most 16 KiB); costs no attempt. Throws Fault RESULT_INVALID or
 * LIMIT_EXCEEDED.
 */
export const continueFrom = (cursor: unknown, delay: DurationMs = millis(0)): HandlerAnswer => ({
  [tag]: { kind: 'snooze', delay: bounded(delay), cursor: cursorJson(cursor) },
});

/** The job is no longer wanted: it ends as cancelled. */
export const cancel = (reason: string): HandlerAnswer => ({
  [tag]: { kind: 'cancelled', reason: plainText(reason, MAX_DETAIL) },
});

const LONGEST_DELAY = days(365);

/** A delay that comes from a handler: what is no length of time is none. */
const bounded = (delay: DurationMs): DurationMs => millis(delay > 0 ? Math.min(Math.ceil(delay), LONGEST_DELAY) : 0);

/** The outcome that a handler's return value asks for; undefined when the value is its result. */
export const answerOf = (returned: unknown): HandlerAnswer[typeof tag] | undefined =>
  typeof returned === 'object' && returned !== null && tag in returned ? (returned as HandlerAnswer)[tag] : undefined;

/** Try again, after `retryAfter` if given; costs an attempt. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly retryAfter: DurationMs | undefined;

  constructor(options: { readonly message: string; readonly retryAfter?: DurationMs; readonly cause?: unknown }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

/** It will never work with this input: the job fails at once. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** The longest error detail that a row keeps, characters. */
const MAX_DETAIL = 500;

/** An error as a row keeps it. */
export const jobError = (code: string, detail: string, retriable: boolean, stage?: string): JobError => ({
  code,
  detail: plainText(detail, MAX_DETAIL),
  retriable,
  ...(stage === undefined ? {} : { stage }),
});

/** What a throw comes to: retryable, unless it says that it will never work. A fault keeps its code. Never throws, whatever was thrown. */
export function outcomeOfThrow(thrown: unknown, stage?: string): Extract<Outcome, { kind: 'retry' | 'fail' }> {
  try {
    return outcomeOfError(thrown, stage);
  } catch {
    // A proxy, or a getter, that throws when it is looked at.
    return { kind: 'retry', error: jobError('HANDLER_FAILED', 'What was thrown could not be read.', true, stage) };
  }
}

function outcomeOfError(thrown: unknown, stage?: string): Extract<Outcome, { kind: 'retry' | 'fail' }> {
  if (thrown instanceof TerminalError)
    return { kind: 'fail', error: jobError('HANDLER_TERMINAL', thrown.message, false, stage) };
  if (thrown instanceof Fault) {
    const error = jobError(thrown.code, thrown.detail, thrown.retriable, stage);
    return thrown.retriable ? { kind: 'retry', error } : { kind: 'fail', error };
  }
  const { message, name, code }: Error & { readonly code?: unknown } = asError(thrown);
  if (code === 'ENOSPC')
    return { kind: 'retry', error: jobError('DISK_FULL', 'The system found no room on the disk.', true, stage) };
  const error = jobError('HANDLER_FAILED', message === '' ? name : message, true, stage);
  const retryAfter = thrown instanceof RetryableError ? thrown.retryAfter : undefined;
  return { kind: 'retry', error, retryAfter: retryAfter === undefined ? undefined : bounded(retryAfter) };
}
