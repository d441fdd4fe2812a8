// Many submits at once: each row is written on its own, some side by side, and the doorbells go out together.
import { eachOf } from '../../core/each-of.ts';
import { ringForAll } from '../ring.ts';
import type { SubmitEngine, Submitted } from './submit.ts';

/** Rows that are written side by side. */
const LANES = 10;

/**
 * Runs the writes, each of one job that `writeRequest` answers, and rings for those that are new. What a write throws is its own result
 * and stops no other.
 */
export async function submitJobs<One extends Submitted>(
  engine: Pick<SubmitEngine, 'ringer' | 'settings' | 'clock' | 'log'>,
  writes: readonly (() => Promise<One>)[],
): Promise<readonly PromiseSettledResult<One>[]> {
  const inTurn = eachOf(LANES);
  const results = await Promise.allSettled(writes.map(inTurn));
  const created = results.flatMap((each) =>
    each.status === 'fulfilled' && each.value.created ? [each.value.row] : [],
  );
  await ringForAll(engine, created, engine.clock.now());
  return results;
}
