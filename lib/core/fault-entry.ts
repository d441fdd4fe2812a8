// One entry of the catalogue of errors.

export interface FaultEntry {
  /** HTTP status when it reaches a caller. */
  readonly status: number;
  /** What happened, one sentence. */
  readonly title: string;
  /** What to do next, one sentence. */
  readonly next: string;
  /** Whether the same call may work later without a change. */
  readonly retriable: boolean;
}

export const entry = (status: number, title: string, next: string, retriable = false): FaultEntry => ({
  status,
  title,
  next,
  retriable,
});
