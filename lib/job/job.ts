// The job as a union on its status, so that only a running job has a lease and only a finished one an end.
import { must } from '../core/check.ts';
import type { OwnerToken } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { HeldBy, JobError, JobRow, PayloadRef } from './row.ts';

type Common = Omit<
  JobRow,
  | 'status'
  | 'heldBy'
  | 'leaseUntil'
  | 'leaseOwner'
  | 'cancelRequested'
  | 'parked'
  | 'finishedAt'
  | 'result'
  | 'error'
  | 'dueAt'
>;

export interface Queued extends Common {
  readonly status: 'queued';
  readonly dueAt: EpochMs;
  /** Why the attempt before failed, if one did. */
  readonly error?: JobError | undefined;
}
export interface Parked extends Common {
  readonly status: 'parked';
  readonly dueAt: EpochMs;
  /** `flow`, `slot:<key>`, `signal:<name>`, `children`, `stage` or `no_handler`. */
  readonly parked: string;
  readonly error?: JobError | undefined;
}
export interface Running extends Common {
  readonly status: 'running';
  readonly dueAt: EpochMs;
  readonly heldBy: HeldBy;
  readonly leaseUntil: EpochMs;
  /** Absent once an operator reclaimed it. */
  readonly leaseOwner?: OwnerToken | undefined;
  readonly cancelRequested?: string | undefined;
  readonly error?: JobError | undefined;
}
export interface Succeeded extends Common {
  readonly status: 'succeeded';
  readonly finishedAt: EpochMs;
  readonly result?: PayloadRef | undefined;
}
export interface Unsuccessful extends Common {
  readonly status: 'failed' | 'cancelled' | 'dead';
  readonly finishedAt: EpochMs;
  readonly error: JobError;
}
export type Job = Queued | Parked | Running | Succeeded | Unsuccessful;

/** Reads a row by its status; throws a TypeError for a row that breaks its status' shape. */
export function toJob(row: JobRow): Job {
  switch (row.status) {
    case 'queued':
      return { ...row, status: 'queued', dueAt: must(row.dueAt, 'dueAt') };
    case 'parked':
      return { ...row, status: 'parked', dueAt: must(row.dueAt, 'dueAt'), parked: must(row.parked, 'parked') };
    case 'running':
      return {
        ...row,
        status: 'running',
        dueAt: must(row.dueAt, 'dueAt'),
        heldBy: must(row.heldBy, 'heldBy'),
        leaseUntil: must(row.leaseUntil, 'leaseUntil'),
      };
    case 'succeeded':
      return { ...row, status: 'succeeded', finishedAt: must(row.finishedAt, 'finishedAt') };
    default:
      return {
        ...row,
        status: row.status,
        finishedAt: must(row.finishedAt, 'finishedAt'),
        error: must(row.error, 'error'),
      };
  }
}
