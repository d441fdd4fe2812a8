/** A mutant to kill: by the laws of its rule, then by that many simulated runs. */
export interface MutantTask {
  readonly name: string;
  readonly runs: number;
  /** The simulation alone, to see what it finds by itself. */
  readonly without?: 'laws' | undefined;
}

export interface MutantAnswer {
  /** What turned red; undefined when nothing did. */
  readonly killedBy: string | undefined;
  readonly runs: number;
}
