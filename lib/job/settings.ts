// The numbers of the protocol, in one place; tests and the simulation pass smaller ones.
import { days, type DurationMs, minutes, seconds } from '../core/time.ts';

export interface EngineSettings {
  /** How long a claim lasts without a renewal. */
  readonly lease: DurationMs;
  /** How often a live claimant renews. */
  readonly beat: DurationMs;
  /** The first renewal does not wait for its beat where there is progress to tell of after this long. */
  readonly firstProgress: DurationMs;
  /** A claimant stops itself this long before its lease ends by its own clock. */
  readonly leaseMargin: DurationMs;
  /** A main thread that answers no ping for this long is taken as hung; its heartbeat stops. */
  readonly stallAfter: DurationMs;
  /** How long an execution may hold a job between two stages before the sweep probes it. */
  readonly handOff: DurationMs;
  /** Failing attempts until a job is dead. */
  readonly attemptBudget: number;
  /** Lost leases until a job is dead. */
  readonly crashBudget: number;
  readonly backoffBase: DurationMs;
  readonly backoffCap: DurationMs;
  /** The longest delay that a queue carries. */
  readonly queueDelayCap: DurationMs;
  /** How long before its time the sweep arms a job that is too far out for the queue. */
  readonly armBefore: DurationMs;
  readonly rearmBase: DurationMs;
  readonly rearmCap: DurationMs;
  /** A parked row is looked at again this long after it was parked. */
  readonly recheckAfter: DurationMs;
  /** The most jobs of one tenant that run at once; no limit where left out. */
  readonly tenantCap?: number | undefined;
  /** A worker waits out this much of `notBefore` itself. */
  readonly waitOut: DurationMs;
  /** A queued row behind a backlog is rung again after this long. */
  readonly ringAgainAfter: DurationMs;
  /** How long rows are kept once finished; 0 keeps them for ever. */
  readonly keepFinished: DurationMs;
  readonly keepDead: DurationMs;
  readonly keepEvents: DurationMs;
}

export const engineDefaults: EngineSettings = {
  lease: seconds(45),
  beat: seconds(15),
  firstProgress: seconds(2),
  leaseMargin: seconds(5),
  stallAfter: minutes(5),
  handOff: minutes(5),
  attemptBudget: 3,
  crashBudget: 3,
  backoffBase: seconds(5),
  backoffCap: seconds(300),
  queueDelayCap: minutes(15),
  armBefore: seconds(120),
  rearmBase: seconds(60),
  rearmCap: seconds(600),
  recheckAfter: seconds(15),
  waitOut: seconds(1),
  ringAgainAfter: minutes(10),
  keepFinished: days(30),
  keepDead: days(90),
  keepEvents: days(30),
};
