import type { JobRow } from './row.ts';

export type { Claim } from './claim.ts';

export type SettleReport =
  /** The settle stands; `row` is the job after it. `rung`: its doorbell was sent again. */
  | { readonly kind: 'settled'; readonly row: JobRow; readonly rung: boolean }
  /** Somebody else settled the job, or holds it: this run counts for nothing. */
  | { readonly kind: 'lost'; readonly found: JobRow | undefined }
  /** The store did not answer while the lease lasted; the sweep decides. */
  | { readonly kind: 'unanswered' };
