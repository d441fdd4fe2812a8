// Works side by side that are all over when it is: a function whose handler has returned is frozen, with whatever it left under way.

/** What the works gave, in their order. Throws what the first of them threw, once all have ended. */
export async function allDone<T>(works: Iterable<Promise<T>>): Promise<T[]> {
  const ends = await Promise.allSettled(works);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
