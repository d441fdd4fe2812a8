// What the processes of a simulated run share: a store, a queue, a change stream, and the judge.
import type { JobRef, SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { Doorbell, Publication } from '../../job/ports.ts';
import type { SubmitRequest } from '../../job/submit/submit.ts';
import type { JobRow } from '../../job/row.ts';
import type { EngineSettings } from '../../job/settings.ts';
import type { JobRuleName } from '../../job/rules.ts';
import type { Rule } from '../../rule/rule.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { Actor, Role } from './actor.ts';
import type { BesideLaws } from './beside-laws.ts';
import type { Coverage, FaultName } from './coverage.ts';
import type { Draws, Keep } from './draws.ts';
import type { Faults } from './faults.ts';
import type { IndexView } from './index-view.ts';
import type { Loop } from './loop.ts';
import type { Network } from './network.ts';
import type { Oracle } from './oracle.ts';
import type { Queue } from './queue.ts';
import type { Release } from './release.ts';
import type { Stream } from './stream.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** What may go wrong; the seed decides by default. */
  readonly faults?: Faults | undefined;
  /** Another rule table, for tests that break one. */
  readonly rules?: Readonly<Record<JobRuleName, Rule>> | undefined;
  /** Keeps a line for each thing that happens; off, since it costs more than the run. */
  readonly traced?: boolean | undefined;
  /** Which draws keep their value; for shrinking. */
  readonly keep?: Keep | undefined;
  /** The kinds that jobs are of; those of the simulation by default. */
  readonly releases?: ((world: World) => readonly Release[]) | undefined;
  /** What a job is submitted with: a kind and its input; the simulation's own by default. */
  readonly order?: ((world: World, place: number) => Order) | undefined;
  /** A law of whoever asks: told of every job when the run is over, of those of this run alone; a sentence breaks it. */
  readonly check?: ((jobs: readonly JobRow[]) => string | undefined) | undefined;
  /** Which of the run's jobs are submitted, by place; all by default. For shrinking. */
  readonly jobs?: ((place: number) => boolean) | undefined;
}

/** One job to submit. */
export type Order = Pick<SubmitRequest, 'kind' | 'input'> & Partial<SubmitRequest>;

export interface World {
  readonly options: SimulationOptions;
  readonly faults: Faults;
  readonly settings: EngineSettings;
  readonly draws: Draws;
  readonly loop: Loop;
  readonly network: Network;
  readonly oracle: Oracle;
  readonly beside: BesideLaws;
  readonly store: MemoryStore;
  readonly index: IndexView;
  readonly stream: Stream;
  readonly queue: Queue;
  readonly objects: Objects & { readonly keys: () => readonly string[] };
  readonly coverage: Coverage;
  readonly trace: string[];
  /** `<job id>/<epoch>` of each doorbell that was sent, and when last. */
  readonly rung: Map<string, number>;
  /** `<job id>/<epoch>` of each doorbell that was lost. */
  readonly unheard: Set<string>;
  /** Who sent which claim, by owner, and which write, by writeId. */
  readonly senders: Map<string, Actor>;
  /** The release that submitted each job. */
  readonly submittedBy: Map<string, number>;
  /** The release that new processes run. */
  release: number;
  /** What a run may not end before: acts of operators that are still to come. */
  acting: number;
  /** Every job that there was, however it was made, in that order. */
  readonly refs: JobRef[];
  /** Jobs that a client was told of. */
  readonly promised: Set<string>;
  /** Jobs that ended, expired and are gone. */
  readonly forgotten: Set<string>;
  /** How many jobs a run has begun with. */
  places: number;
  draw(purpose: string): number;
  note(actor: Actor | undefined, what: string): void;
  /** Counts a fault, and for each rule that it hit. */
  suffers(fault: FaultName, rules: readonly string[]): void;
  newActor(role: Role): Actor;
  published(ref: JobRef, publications: readonly Publication[], superseded: readonly SnapshotId[]): void;
  ring(actor: Actor, bell: Doorbell, lane: string, delay: number): void;
  faultCount(): number;
}
