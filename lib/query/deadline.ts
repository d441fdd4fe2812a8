// Ends a query that runs too long or is no longer wanted, by interrupting its connection.
import type { DuckDBConnection } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import { type Clock, type DurationMs, millis } from '../core/time.ts';

export interface Deadline extends Disposable {
  /** Throws QUERY_TIMEOUT or CANCELLED once that has come to pass. */
  check(): void;
}

/** An interrupt that falls between two steps of DuckDB is forgotten by it, so it is repeated. */
const repeatEvery = millis(25);

/** Interrupts `connection` after `timeout`, or when `signal` aborts, until disposed of. */
export function startDeadline(
  connection: DuckDBConnection,
  timeout: DurationMs,
  clock: Clock,
  signal?: AbortSignal,
): Deadline {
  const stop = new AbortController();
  let fault: Fault | undefined;
  const end = async (reason: Fault): Promise<void> => {
    fault ??= reason;
    while (!stop.signal.aborted) {
      connection.interrupt();
      await clock.sleep(repeatEvery, stop.signal);
    }
  };
  const cancel = (): void => void end(new Fault('CANCELLED', 'The query was cancelled.'));
  void clock.sleep(timeout, stop.signal).then(() => {
    if (!stop.signal.aborted) void end(new Fault('QUERY_TIMEOUT', `The query ran longer than ${timeout} ms.`));
  });
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    check: () => {
      if (fault !== undefined) throw fault;
    },
    [Symbol.dispose]: () => {
      stop.abort();
      signal?.removeEventListener('abort', cancel);
    },
  };
}
