// The network between a process and everything else: what may happen to a call on its way there and back.
import { StoreUnavailable } from '../../job/ports.ts';
import type { Actor, Call } from './actor.ts';
import type { FaultName } from './coverage.ts';
import type { Faults } from './faults.ts';
import type { Loop } from './loop.ts';
import { boostOf } from './spotlight.ts';

export interface Network {
  /** Does `apply` elsewhere, with whatever may happen on the way there and back. */
  call<T>(actor: Actor, what: Call, apply: () => Promise<T>): Promise<T>;
  /** When the last copy under way will have arrived. */
  quietAt(): number;
  /** Calls so far. */
  calls(): number;
}

export interface NetworkDeps {
  readonly loop: Loop;
  readonly faults: Faults;
  /** Told of each fault that a call suffers. */
  readonly suffered: (actor: Actor, what: Call, fault: FaultName) => void;
}

interface State {
  /** Errors in a row of one caller's tries of one call. */
  readonly errors: Map<string, number>;
  quietAt: number;
  calls: number;
}

type Fate = 'late call' | 'lost call' | 'throttle' | 'conflict' | 'lost answer' | 'late copy' | 'resent';

export const LATEST_COPY = 200_000;
/** Ms a call takes each way, at most, where it is not slow, and where it is. */
const USUAL = 20;
const SLOWEST = 60_000;

export function createNetwork(deps: NetworkDeps): Network {
  const state: State = { errors: new Map(), quietAt: 0, calls: 0 };
  return {
    quietAt: () => state.quietAt,
    calls: () => state.calls,
    call: async (actor, what, apply) => {
      state.calls += 1;
      actor.underWay.add(what);
      try {
        return await send(deps, state, actor, what, apply);
      } finally {
        actor.underWay.delete(what);
      }
    },
  };
}

async function send<T>(deps: NetworkDeps, state: State, actor: Actor, what: Call, apply: () => Promise<T>): Promise<T> {
  const { loop, faults } = deps;
  const tries = `${actor.name} ${what.what} ${what.job ?? ''}`;
  const errors = state.errors.get(tries) ?? 0;
  const fate = fateOf(actor, what, faults, errors < faults.errorsInARow);
  const fail = (): never => {
    state.errors.set(tries, errors + 1);
    throw new StoreUnavailable(`simulated: ${fate ?? ''}`);
  };
  const wait = latency(deps, actor, what);
  state.quietAt = Math.max(state.quietAt, loop.now() + wait);
  await loop.pause(undefined, wait);
  if (isUndone(fate)) {
    if (fate === 'late call') copyLater(deps, state, actor, apply);
    deps.suffered(actor, what, fate);
    return loop.pause(actor, latency(deps, actor, what)).then(fail);
  }
  let answer = await apply();
  const done = what.rules === undefined || isApplied(answer);
  if (fate !== undefined && done) deps.suffered(actor, what, fate);
  // Of a write that was refused it may apply, for a caller that has moved on: that is nothing to see through.
  if (fate === 'late copy' && (done || !faults.transparent)) copyLater(deps, state, actor, apply);
  if (fate === 'resent') answer = await loop.pause(undefined, latency(deps, actor, what)).then(apply);
  await loop.pause(actor, latency(deps, actor, what));
  if (fate === 'lost answer') fail();
  state.errors.delete(tries);
  return answer;
}

const isUndone = (fate: Fate | undefined): fate is 'lost call' | 'late call' | 'throttle' | 'conflict' =>
  fate === 'lost call' || fate === 'late call' || fate === 'throttle' || fate === 'conflict';

const isApplied = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'applied';

function latency({ faults, suffered }: NetworkDeps, actor: Actor, what: Call): number {
  const drawn = actor.draw('latency');
  const slow = Math.min(0.5, faults.slowCall * boostOf(faults, what.rules) ** 2);
  const quick = 1 - slow;
  if (drawn <= quick) return 1 + drawn * USUAL;
  suffered(actor, what, 'slow call');
  return ((drawn - quick) / slow) * SLOWEST;
}

function copyLater({ loop }: NetworkDeps, state: State, actor: Actor, apply: () => Promise<unknown>): void {
  const delay = actor.draw('copy') * LATEST_COPY;
  state.quietAt = Math.max(state.quietAt, loop.now() + delay);
  loop.after(delay, undefined, () => void apply().catch(() => undefined));
}

/** What becomes of one call. A fault that ends in an error is left out where too many calls in a row did. */
function fateOf(actor: Actor, what: Call, faults: Faults, mayFail: boolean): Fate | undefined {
  let left = actor.draw('fate');
  const boost = boostOf(faults, what.rules);
  const drawn = (probability: number): boolean => {
    left += probability * boost;
    return left >= 1;
  };
  if (drawn(faults.lostCall)) return mayFail ? 'lost call' : undefined;
  if (drawn(faults.lateCall)) return mayFail ? 'late call' : undefined;
  if (drawn(faults.lostAnswer)) return mayFail ? 'lost answer' : undefined;
  if (drawn(faults.throttle)) return mayFail ? 'throttle' : undefined;
  if (drawn(faults.resent)) return 'resent';
  if (drawn(faults.lateCopy)) return 'late copy';
  return what.transaction === true && mayFail && drawn(faults.conflict) ? 'conflict' : undefined;
}
