// Virtual time. Whatever an actor waits for is an event here; between two events everything that can run has run, so that a seed
// replays a run exactly. An actor may die or freeze at any of its events.
import type { Chance } from '../../core/chance.ts';
import { type Clock, epochMs } from '../../core/time.ts';

/** A process of the simulation: its clock is off by `skew`, and its events stop when it dies. */
export interface Actor {
  readonly name: string;
  /** Milliseconds. */
  readonly skew: number;
  alive: boolean;
  /** It died in the middle of something. */
  crashed: boolean;
  /** Called when it crashes. */
  died?: () => void;
  /** Its events wait until then: a process that the machine has put to sleep. */
  frozenUntil: number;
}

interface Event {
  at: number;
  readonly tie: number;
  readonly actor: Actor | undefined;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Loop {
  /** Milliseconds since 1970, as true as it gets. */
  now(): number;
  /** Runs at `now + delay`, if the actor lives then; without an actor it always does. Answers how to call it off. */
  after(delay: number, actor: Actor | undefined, run: () => void): () => void;
  /** A promise that resolves at `now + delay`, for the actor. */
  pause(actor: Actor | undefined, delay: number): Promise<void>;
  clockOf(actor: Actor): Clock;
  /** Runs events until `done`, or until there are none before `until`. */
  run(until: number, done: () => boolean): Promise<void>;
}

/** `strike` is asked before each event of an actor: it may kill or freeze it. */
export function createLoop(start: number, chance: Chance, strike: (actor: Actor, now: number) => void): Loop {
  let now = start;
  const events: Event[] = [];
  const after: Loop['after'] = (delay, actor, run) => {
    const event = { at: now + Math.max(0, delay), tie: chance.next(), actor, run, cancelled: false };
    events.push(event);
    return () => {
      event.cancelled = true;
    };
  };
  const step = (event: Event): boolean => {
    const { actor } = event;
    if (event.cancelled || isDead(actor)) return false;
    if (actor !== undefined) strike(actor, now);
    if (isDead(actor)) return false;
    if (actor !== undefined && actor.frozenUntil > now) {
      event.at = actor.frozenUntil;
      events.push(event);
      return false;
    }
    event.run();
    return true;
  };
  return {
    now: () => now,
    after,
    pause: (actor, delay) => new Promise((resolve) => void after(delay, actor, resolve)),
    clockOf: (actor) => clockOf(actor, () => now, after),
    run: async (until, done) => {
      const next = (): Event | undefined => {
        const event = done() ? undefined : takeFirst(events);
        if (event === undefined || event.at <= until) return event;
        events.push(event);
        return undefined;
      };
      for (let event = next(); event !== undefined; event = next()) {
        now = Math.max(now, event.at);
        if (step(event)) await settled();
      }
      if (Number.isFinite(until) && !done()) now = Math.max(now, until);
    },
  };
}

const isDead = (actor: Actor | undefined): boolean => actor?.alive === false;

/** The earliest event; chance decides between those of the same time. */
function takeFirst(events: Event[]): Event | undefined {
  let first = 0;
  for (let index = 1; index < events.length; index++) {
    const [a, b] = [events[index] as Event, events[first] as Event];
    if (a.at < b.at || (a.at === b.at && a.tie < b.tie)) first = index;
  }
  const event = events[first];
  const last = events.pop();
  if (first < events.length && last !== undefined) events[first] = last;
  return event;
}

/** Everything that promises had left to do has been done when this resolves. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const clockOf = (actor: Actor, now: () => number, after: Loop['after']): Clock => ({
  now: () => epochMs(Math.floor(now() + actor.skew)),
  monotonic: now,
  sleep: (by, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        callOff();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const callOff = after(by, actor, wake);
      signal?.addEventListener('abort', wake, { once: true });
    }),
});
