// Virtual time. Whatever a process waits for is an event here; between two events everything that can run has run, so that a seed replays
// a run exactly. A process may die or freeze at any of its events.
import { type Clock, epochMs } from '../../core/time.ts';
import type { Actor } from './actor.ts';
import { createAgenda, type Timed } from './agenda.ts';

interface Event extends Timed {
  at: number;
  readonly actor: Actor | undefined;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Loop {
  /** Milliseconds since 1970, as true as it gets. */
  now(): number;
  /** Runs at `now + delay`, if the process lives then; without a process it always does. Answers how to call it off. */
  after(delay: number, actor: Actor | undefined, run: () => void): () => void;
  /** A promise that resolves at `now + delay`, for the process. */
  pause(actor: Actor | undefined, delay: number): Promise<void>;
  clockOf(actor: Actor): Clock;
  /** Runs events until `done`, or until there are none before `until`. */
  run(until: number, done: () => boolean): Promise<void>;
}

/** `strike` is asked before each event of a process: it may kill or freeze it. */
export function createLoop(start: number, strike: (actor: Actor, now: number) => void): Loop {
  let now = start;
  let made = 0;
  const events = createAgenda<Event>();
  const after: Loop['after'] = (delay, actor, run) => {
    const event = { at: now + Math.max(0, delay), order: made++, actor, run, cancelled: false };
    events.push(event);
    return () => {
      event.cancelled = true;
    };
  };
  const next = (until: number, done: () => boolean): Event | undefined => {
    const event = done() ? undefined : events.first();
    if (event === undefined || event.at > until) return undefined;
    events.takeFirst();
    return event;
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
      await settled();
      for (let event = next(until, done); event !== undefined; event = next(until, done)) {
        now = Math.max(now, event.at);
        if (step(event)) await settled();
      }
      if (Number.isFinite(until) && !done()) now = Math.max(now, until);
    },
  };
}

const isDead = (actor: Actor | undefined): boolean => actor?.alive === false;

/**
 * Everything that promises had left to do has been done when this resolves. A tick that is asked for by a promise's callback runs once
 * the queue of promises is empty; it is a third cheaper than a turn of Node's event loop.
 */
const settled = (): Promise<void> => Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));

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
