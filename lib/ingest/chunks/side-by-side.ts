// Chunks that are worked on at a time: those of one job, and those of one process, which share the memory that one engine would have.
import { eachOf } from '../../core/each-of.ts';
import type { ReadLimits } from '../reading/types.ts';

/** The limits of one of several engines that share what one would have. */
export function shareOf(limits: ReadLimits): ReadLimits {
  const engines = Math.max(1, limits.chunksAtOnce);
  return {
    ...limits,
    engineMemoryBytes: Math.max(64 * 2 ** 20, Math.floor(limits.engineMemoryBytes / engines)),
    engineThreads: Math.max(1, Math.floor(limits.engineThreads / engines)),
    engineSpillBytes: Math.floor(limits.engineSpillBytes / engines),
  };
}

type Gate = ReturnType<typeof eachOf>;

/** A gate for each number of what may pass. */
function createGates() {
  const gates = new Map<number, Gate>();
  return (atOnce: number): Gate => {
    const gate = gates.get(atOnce) ?? eachOf(atOnce);
    gates.set(atOnce, gate);
    return gate;
  };
}

const [worked, held] = [createGates(), createGates()];

const turnsOf = ({ chunksAtOnce }: ReadLimits): number => Math.max(1, chunksAtOnce);

/** Waits while this process works on as many chunks as it may, whichever jobs they are of. */
export const inTurn = <T>(limits: ReadLimits, work: () => Promise<T>): Promise<T> => worked(turnsOf(limits))(work);

/** Chunks that may be on the disk: those that are worked on, and one that comes from the store or goes there meanwhile. */
export const atHand = (limits: ReadLimits): number => turnsOf(limits) + 1;

/** Waits while this process has as many chunks at hand as it may. */
export const whileAtHand = <T>(limits: ReadLimits, work: () => Promise<T>): Promise<T> => held(atHand(limits))(work);

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
