// A process that runs handlers does not die of one: what escapes a handler fails that handler's attempt. What escapes anything else goes
// where it went before, to the runtime's own listeners, or ends the process as Node would.
import { asError } from '../../lib/core/check.ts';
import type { Log } from '../../lib/core/log.ts';
import { returnExit, returnThrown } from '../../lib/job/run/contain.ts';

/** The part of `process` that this changes. */
export type Exits = Pick<NodeJS.Process, 'on' | 'off' | 'listeners' | 'removeAllListeners' | 'exit'>;

type Listener = (thrown: unknown, from: unknown) => void;
const events = ['uncaughtException', 'unhandledRejection'] as const;

/** From here on handlers may run in the process, side by side, until what is answered is disposed of. */
export function containHandlers(target: Exits, log: Log): Disposable {
  const exit = target.exit.bind(target);
  const undo = events.map((event) => listenFirst(target, event as 'uncaughtException', log, () => exit(1)));
  const guarded: Exits['exit'] = (code) => {
    const fault = returnExit(code);
    if (fault !== undefined) throw fault;
    return exit(code);
  };
  target.exit = guarded;
  return {
    [Symbol.dispose]: () => {
      for (const each of undo) each();
      if (target.exit === guarded) target.exit = exit;
    },
  };
}

/** Takes the place of the listeners to an event, which hear of what is no handler's; answers how to give it back. */
function listenFirst(target: Exits, event: 'uncaughtException', log: Log, end: () => void): () => void {
  const before = target.listeners(event) as Listener[];
  const listen: Listener = (thrown, from) => {
    if (returnThrown(thrown) !== undefined)
      return log.error('A handler left an error behind; its attempt fails.', { error: asError(thrown).message });
    for (const listener of before) listener.call(target, thrown, from);
    if (before.length > 0) return undefined;
    log.error('The process ends of an error that nobody caught.', { error: asError(thrown).stack });
    return end();
  };
  target.removeAllListeners(event);
  target.on(event, listen);
  return () => {
    target.off(event, listen);
    for (const listener of before) target.on(event, listener);
  };
}
