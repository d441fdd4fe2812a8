// What may go wrong in a simulated run, and how often. Each number is a probability per call, event or message.
import type { Chance } from '../../core/chance.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import type { Actor, Loop } from './loop.ts';

export interface Faults {
  /** The call never arrives, and the caller is told of an error. */
  readonly lostCall: number;
  /** It is done, and the caller is told of an error. */
  readonly lostAnswer: number;
  /** It is done, the answer is lost, and the SDK sends it again: the caller hears the second answer. */
  readonly resent: number;
  /** A second copy arrives later, up to minutes. */
  readonly lateCopy: number;
  /** The caller is told of an error, and the call arrives later, when the caller has moved on. */
  readonly lateCall: number;
  readonly slowCall: number;
  readonly lostMessage: number;
  readonly doubledMessage: number;
  readonly lateMessage: number;
  /** Per event of a worker. */
  readonly crash: number;
  readonly freeze: number;
  /** The most that a clock is off, ms. */
  readonly skew: number;
  readonly cancel: number;
  readonly reclaim: number;
  /** How many calls in a row may end in an error. */
  readonly errorsInARow: number;
  /** Whether nothing goes wrong that the protocol could not see through at once: then no live claim is taken and nothing waits for a sweep. */
  readonly transparent: boolean;
}

/** Everything at once. */
export const everyFault: Faults = {
  lostCall: 0.03,
  lostAnswer: 0.03,
  resent: 0.06,
  lateCopy: 0.06,
  lateCall: 0.02,
  slowCall: 0.02,
  lostMessage: 0.1,
  doubledMessage: 0.15,
  lateMessage: 0.1,
  crash: 0.01,
  freeze: 0.006,
  skew: 8000,
  cancel: 0.25,
  reclaim: 0.06,
  errorsInARow: 9,
  transparent: false,
};

/** Only answers are lost and workers die. */
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
  reclaim: 0,
  errorsInARow: 2,
  transparent: true,
};

export interface Network {
  /** Does `apply` elsewhere, with whatever may happen on the way there and back. */
  call<T>(actor: Actor, apply: () => Promise<T>): Promise<T>;
  /** When the last copy under way will have arrived. */
  quietAt(): number;
}

const LATEST_COPY = 200_000;

export function createNetwork(loop: Loop, chance: Chance, faults: Faults): Network {
  let errors = 0;
  let quietAt = 0;
  const latency = () => (chance.next() < faults.slowCall ? chance.next() * 60_000 : 1 + chance.next() * 20);
  const copyLater = (apply: () => Promise<unknown>) => {
    const delay = chance.next() * LATEST_COPY;
    quietAt = Math.max(quietAt, loop.now() + delay);
    loop.after(delay, undefined, () => void apply());
  };
  const mayFail = () => errors < faults.errorsInARow;
  const fail = (): never => {
    errors += 1;
    throw new StoreUnavailable('simulated');
  };
  return {
    quietAt: () => quietAt,
    call: async (actor, apply) => {
      await loop.pause(undefined, latency());
      const fate = fateOf(chance.next(), faults);
      if (mayFail() && fate === 'lateCall') copyLater(apply);
      if (mayFail() && (fate === 'lostCall' || fate === 'lateCall')) return loop.pause(actor, latency()).then(fail);
      let answer = await apply();
      if (fate === 'lateCopy') copyLater(apply);
      if (fate === 'resent') answer = await loop.pause(undefined, latency()).then(apply);
      await loop.pause(actor, latency());
      if (mayFail() && fate === 'lostAnswer') fail();
      errors = 0;
      return answer;
    },
  };
}

type Fate = 'lostCall' | 'lostAnswer' | 'resent' | 'lateCopy' | 'lateCall';
const fates: readonly Fate[] = ['lostCall', 'lostAnswer', 'resent', 'lateCopy', 'lateCall'];

function fateOf(drawn: number, faults: Faults): Fate | undefined {
  let left = drawn;
  return fates.find((fate) => {
    left -= faults[fate];
    return left < 0;
  });
}
