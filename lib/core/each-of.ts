/** Runs what it is given, at most `lanes` at once, in the order of asking. */
export function eachOf(lanes: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = lanes;
  return async (work) => {
    if (free === 0) await new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
