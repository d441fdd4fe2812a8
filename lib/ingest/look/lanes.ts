// Work on many things side by side, one at a time by each engine.
import { allDone } from '../../core/all-done.ts';
import type { Engine, Engines } from '../engine/engine.ts';

/** What the work gives, in the order of the things. All engines have ended when one of them has failed. */
export async function inLanes<T, R>(
  engines: Engines,
  things: readonly T[],
  work: (engine: Engine, thing: T, place: number) => Promise<R>,
): Promise<R[]> {
  const found: R[] = [];
  let next = 0;
  const lane = async (engine: Engine): Promise<void> => {
    try {
      for (let place = next++; place < things.length; place = next++)
        found[place] = await work(engine, things[place] as T, place);
    } catch (thrown) {
      next = things.length;
      throw thrown;
    }
  };
  await allDone(engines.map(lane));
  return found;
}

/** Places of things of these weights, shared out so that the shares weigh about the same: the heaviest first, each to the lightest share. None is empty. */
export function evenShares(weights: readonly number[], most: number): ReadonlySet<number>[] {
  const shares = Array.from({ length: Math.min(most, weights.length) }, () => ({
    weight: 0,
    places: new Set<number>(),
  }));
  const heaviest = [...weights.entries()].toSorted(([, one], [, other]) => other - one);
  for (const [place, weight] of heaviest) {
    const [lightest] = shares.toSorted(
      (one, other) => one.weight - other.weight || one.places.size - other.places.size,
    );
    lightest?.places.add(place);
    if (lightest !== undefined) lightest.weight += weight;
  }
  return shares.map(({ places }) => places);
}
