// What may go wrong in a simulated run, and how often. Each number is a probability per call, event, read or message.
import type { Draws } from './draws.ts';
import { inSpotlight, spotlightOf } from './spotlight.ts';

export interface Faults {
  /** The call never arrives, and the caller is told of an error. */
  readonly lostCall: number;
  /** The caller is told of an error, and the call arrives later, when the caller has moved on. */
  readonly lateCall: number;
  /** It is done, and the caller is told of an error. */
  readonly lostAnswer: number;
  /** It is done, the answer is lost, and the SDK sends it again: the caller hears the second answer. */
  readonly resent: number;
  /** A second copy arrives later, up to minutes. */
  readonly lateCopy: number;
  readonly slowCall: number;
  /** It is refused at once, undone. */
  readonly throttle: number;
  /** A transaction runs into another one, and is undone. */
  readonly conflict: number;
  readonly lostMessage: number;
  readonly doubledMessage: number;
  readonly lateMessage: number;
  /** Per event of a process. */
  readonly crash: number;
  readonly freeze: number;
  /** The most that a clock is off, ms. */
  readonly skew: number;
  /** Per read of an index: it answers as of a minute ago at most. */
  readonly staleIndex: number;
  /** Per record of the change stream. */
  readonly lateRecord: number;
  /** Per batch of the change stream. */
  readonly repeatedRecord: number;
  /** Whether another release may be rolled out during the run. */
  readonly deploys: number;
  /** A rule whose writes suffer more than others', so that rare ones meet every fault. */
  readonly spotlight?: string | undefined;
  /** How many tries of one call may end in an error, one after the other. */
  readonly errorsInARow: number;
  /** Whether nothing goes wrong that the protocol could not see through at once: then no live claim is taken and nothing waits for a sweep. */
  readonly transparent: boolean;
  /** Whether nothing goes wrong but what the published recovery bounds are about. */
  readonly bounded: boolean;
}

/** Everything at once. */
export const everyFault: Faults = {
  lostCall: 0.03,
  lateCall: 0.02,
  lostAnswer: 0.03,
  resent: 0.06,
  lateCopy: 0.06,
  slowCall: 0.02,
  throttle: 0.02,
  conflict: 0.1,
  lostMessage: 0.1,
  doubledMessage: 0.15,
  lateMessage: 0.1,
  crash: 0.01,
  freeze: 0.006,
  skew: 8000,
  staleIndex: 0.2,
  lateRecord: 0.1,
  repeatedRecord: 0.1,
  deploys: 0.3,
  errorsInARow: 9,
  transparent: false,
  bounded: false,
};

/** Only answers are lost and processes die. */
export const answersOnly: Faults = {
  ...everyFault,
  lostAnswer: 0.1,
  resent: 0.2,
  lateCall: 0,
  slowCall: 0,
  lostMessage: 0,
  lateMessage: 0,
  freeze: 0,
  skew: 0,
  staleIndex: 0,
  deploys: 0,
  errorsInARow: 2,
  transparent: true,
};

/** Workers and stages die and doorbells are lost; the sweep itself meets no fault, and clocks are right. */
export const recoverable: Faults = {
  ...everyFault,
  lostCall: 0,
  lateCall: 0,
  lostAnswer: 0,
  resent: 0,
  lateCopy: 0,
  slowCall: 0,
  throttle: 0,
  conflict: 0,
  lostMessage: 0.3,
  doubledMessage: 0.4,
  lateMessage: 0,
  crash: 0.05,
  freeze: 0,
  skew: 0,
  staleIndex: 0,
  lateRecord: 0.3,
  repeatedRecord: 0.5,
  deploys: 0,
  bounded: true,
};

const LARGEST_SKEW = 300_000;

/**
 * What goes wrong in the run of a seed. Runs differ in kind: in some only answers are lost, and whatever needs no repair is watched for; in
 * the others each fault is off, usual or frequent, since a fault that is everywhere hides what another one does.
 */
export function faultsOf(draws: Draws): Faults {
  const kind = draws.draw('run', 'faults');
  const spotlight = spotlightOf(draws);
  if (kind > 0.75) return { ...answersOnly, spotlight };
  if (kind > 0.67) return recoverable;
  const often = (usual: number, most = 0.5) => {
    const drawn = draws.draw('run', 'faults');
    return drawn < 0.3 ? 0 : drawn < 0.8 ? usual : Math.min(most, usual * 3);
  };
  return inSpotlight({
    ...everyFault,
    lostCall: often(everyFault.lostCall),
    lateCall: often(everyFault.lateCall),
    lostAnswer: often(everyFault.lostAnswer),
    resent: Math.max(0.06, often(everyFault.resent)),
    lateCopy: often(everyFault.lateCopy),
    slowCall: often(everyFault.slowCall),
    throttle: often(everyFault.throttle),
    conflict: often(everyFault.conflict),
    lostMessage: often(everyFault.lostMessage),
    doubledMessage: often(everyFault.doubledMessage),
    lateMessage: often(everyFault.lateMessage),
    crash: often(everyFault.crash, 0.02),
    freeze: often(everyFault.freeze, 0.02),
    skew: draws.draw('run', 'faults') > 0.8 ? LARGEST_SKEW : everyFault.skew,
    staleIndex: often(everyFault.staleIndex),
    lateRecord: often(everyFault.lateRecord),
    repeatedRecord: often(everyFault.repeatedRecord),
    deploys: often(everyFault.deploys, 0.8),
    spotlight,
  });
}
