// How a run ends because it waits. The wait throws into the handler, so that its `finally` blocks run, and aborts its signal with what it
// threw: what the handler makes of that changes nothing, for the run came to a park when it began to wait.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault } from '../../core/fault.ts';
import type { Outcome } from '../run/outcome.ts';

export type Park = Extract<Outcome, { kind: 'park' }>;

/** Thrown out of a wait; nothing to catch. */
export class ParkInterrupt extends Error {
  override readonly name = 'ParkInterrupt';
  readonly outcome: Park;

  constructor(outcome: Park) {
    super(`The run ends here, to go on from its start when what it waits for is there: ${outcome.reason}`);
    this.outcome = outcome;
  }
}

export interface Parking {
  /** Aborts when the run has begun to wait. */
  readonly signal: AbortSignal;
  /** Ends the run; the first wait of a run is what it waits for. */
  park(outcome: Park): never;
  /** What the run came to, whatever its handler made of it; undefined while it did not wait. */
  parked(): Park | undefined;
}

export function createParking(): Parking {
  const begun = new AbortController();
  const parked = () => (begun.signal.reason instanceof ParkInterrupt ? begun.signal.reason.outcome : undefined);
  return {
    signal: begun.signal,
    parked,
    park: (outcome) => {
      begun.abort(new ParkInterrupt(outcome));
      throw begun.signal.reason;
    },
  };
}

const underWay = new AsyncLocalStorage<string>();

/** Runs the work of a step, in which the context is not at hand: a step that is there already is not run again, nor what it would do. */
export const insideStep = <T>(name: string, work: () => T): T => underWay.run(name, work);

/** Throws Fault HANDLER_INVALID inside a step. */
export function refuseInsideStep(what: string): void {
  const step = underWay.getStore();
  if (step !== undefined)
    throw new Fault(
      'HANDLER_INVALID',
      `${what} was called inside the step ${JSON.stringify(step)}; call it beside the step.`,
    );
}

const LONGEST_NAME = 200;

/** Refuses a name that this run has used before, and what is no name. Throws Fault HANDLER_INVALID. */
export function createNames(what: string): (name: string) => void {
  const used = new Set<string>();
  return (name) => {
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || !name.isWellFormed())
      throw new Fault('HANDLER_INVALID', `The name of a ${what} is a text of 1 to ${LONGEST_NAME} characters.`);
    if (used.has(name))
      throw new Fault(
        'HANDLER_INVALID',
        `Two ${what}s of one run are named ${JSON.stringify(name)}; name each its own.`,
      );
    used.add(name);
  };
}
