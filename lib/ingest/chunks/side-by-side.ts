interface Turns {
  readonly atOnce: number;
  readonly signal: AbortSignal;
}

/** Works on some of the items at a time, and answers in their order. The first that fails aborts the others, and is what is thrown. */
export async function sideBySide<I, T>(
  items: readonly I[],
  { atOnce, signal: outer }: Turns,
  work: (item: I, signal: AbortSignal) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  const waiting = items.entries();
  const failed = new AbortController();
  const signal = AbortSignal.any([outer, failed.signal]);
  const turn = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      signal.throwIfAborted();
      done[index] = await work(item, signal);
    }
  };
  const turns = Array.from({ length: Math.max(1, atOnce) }, () =>
    turn().catch((thrown: unknown) => {
      failed.abort(thrown);
      throw thrown;
    }),
  );
  await Promise.allSettled(turns);
  // What stopped the others is what went wrong.
  if (failed.signal.aborted) throw failed.signal.reason;
  outer.throwIfAborted();
  return done;
}
