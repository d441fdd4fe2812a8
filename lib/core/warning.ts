/** Something that was guessed, ambiguous, replaced, widened or left out: part of a job's result, never a log line only. */
export interface Warning {
  /** Stable, upper snake case, e.g. `TYPE_WIDENED`. */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  readonly table?: string;
  readonly column?: string;
  /** 1-based data row (the header is not counted) of the first case. */
  readonly row?: number;
  /** How many cases there were. */
  readonly count?: number;
  /** The first case as written, at most 100 characters. */
  readonly example?: string;
}
