import type { Epoch, JobRef, OwnerToken } from '../core/ids.ts';
import type { JobRow } from './row.ts';

/** A job that this process holds: what its later writes are fenced with, and the row as the claim (or begin) left it. */
export interface Claim {
  readonly ref: JobRef;
  readonly epoch: Epoch;
  readonly owner: OwnerToken;
  readonly row: JobRow;
}
