/** A mutant to kill: the laws of its rule first, then that many simulated runs. */
export interface MutantTask {
  readonly name: string;
  readonly runs: number;
}

export interface MutantAnswer {
  /** What turned red; undefined when nothing did. */
  readonly killedBy: string | undefined;
  readonly runs: number;
}
