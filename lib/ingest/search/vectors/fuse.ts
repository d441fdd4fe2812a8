// One ranking of several, by places alone, since scores of different sorts cannot be added.

/** How little the first places count more than those behind them; 60 is what the authors of the method use. */
const SMOOTH = 60;

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): an id's score is the sum, over the rankings that have it, of
 * 1 / (60 + its place), from 1. Best first; of two that are equal the one that the earlier ranking has.
 */
export function fuse(rankings: readonly (readonly string[])[]): { readonly id: string; readonly score: number }[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [at, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (SMOOTH + at + 1));
  return [...scores].map(([id, score]) => ({ id, score })).toSorted((one, other) => other.score - one.score);
}
