// What somebody may do to a job while it lives, or after: one file an act, and a list of them.
import type { JobRef } from '../../../core/ids.ts';
import type { Cast } from '../actors/cast.ts';
import type { World } from '../world.ts';

export interface Act {
  readonly name: string;
  /** Probability per job in a usual run; a run may leave the act out, or make it frequent. */
  readonly usually: number;
  /** Within this many ms of the submit it begins. */
  readonly within: number;
  perform(world: World, cast: Cast, ref: JobRef, place: number): Promise<unknown>;
}
