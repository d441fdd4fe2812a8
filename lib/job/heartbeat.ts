import type { Claim } from './claim.ts';
import type { Progress } from './row.ts';

export interface Heartbeats {
  /** Starts renewing the claim's lease; the first beat goes out when it is due. */
  start(claim: Claim): Heartbeat;
}

export interface Heartbeat {
  /** Aborts on a cancel, on a lost lease, and by the monotonic clock when the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Nothing may be settled any more: somebody else may hold the job. */
  readonly lost: boolean;
  /** Set once a cancel was delivered. */
  readonly cancelReason: string | undefined;
  /** Kept for the next beat. */
  progress(progress: Progress): void;
  /** Stops renewing and waits for the beat under way; await it before a settle. */
  stop(): Promise<void>;
}
