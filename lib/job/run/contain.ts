// What a handler leaves behind in the background is still its own: an error there, or a call that would end the process, fails that
// handler's run and nothing else. The runtime knows whose it is by the asynchronous context; functions/support/escapes.ts listens.
import { AsyncLocalStorage } from 'node:async_hooks';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';

/** Told of what escaped; once the run is over nobody is told any more. */
export interface Container {
  /** Aborts, with a Fault HANDLER_ESCAPED as its reason, when something escaped. */
  readonly signal: AbortSignal;
  /** Runs a handler in it. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

const around = new AsyncLocalStorage<AbortController>();

export function createContainer(): Container {
  const escaped = new AbortController();
  return { signal: escaped.signal, run: (work) => around.run(escaped, work) };
}

const escape = (detail: string, cause?: unknown): Fault | undefined => {
  const container = around.getStore();
  if (container === undefined) return undefined;
  const fault = new Fault('HANDLER_ESCAPED', detail, { cause });
  container.abort(fault);
  return fault;
};

/** Hands what was thrown where nobody awaits it to the handler whose background that is; undefined where it is no handler's. */
export const returnThrown = (thrown: unknown): Fault | undefined =>
  escape(`An error was left behind in the background: ${asError(thrown).message}`, thrown);

/** As `returnThrown`, for a call of `process.exit`; the caller throws the fault, since what called must not go on. */
export const returnExit = (code: unknown): Fault | undefined =>
  escape(`The handler called process.exit(${code === undefined ? '' : asError(code).message}).`);
