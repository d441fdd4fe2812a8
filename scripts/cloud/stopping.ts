// Ctrl-C, SIGTERM and SIGHUP as one AbortSignal. Later signals say nothing new: stopping is under way.
export function untilStopped(): { readonly signal: AbortSignal; readonly stopped: Promise<void> } {
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
