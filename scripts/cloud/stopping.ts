// Ctrl-C, SIGTERM and SIGHUP as one AbortSignal. Later signals say nothing new: stopping is under way.
export interface Stopping {
  readonly signal: AbortSignal;
  /** Resolves at the first signal; until then it keeps the process alive. */
  readonly stopped: Promise<void>;
}

export function untilStopped(): Stopping {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => controller.abort());
  // A promise alone keeps no process alive; the timer does, until the signal comes.
  const keepAlive = setInterval(() => undefined, 1 << 30);
  const stopped = new Promise<void>((done) => {
    controller.signal.addEventListener('abort', () => {
      clearInterval(keepAlive);
      done();
    });
  });
  return { signal: controller.signal, stopped };
}
