// Many submits at once: each row is written on its own, some side by side, and the doorbells go out together.
import { eachOf } from '../core/each-of.ts';
import { ringForAll } from './ring.ts';
import { type SubmitEngine, type SubmitRequest, type Submitted, writeRequest } from './submit.ts';

/** Rows that are written side by side. */
const LANES = 10;

/**
 * Submits what each function answers; what one throws, or its submit does (as `submitJob`), is that one's result and stops no other.
 */
export async function submitJobs(
  engine: SubmitEngine,
  requests: readonly (() => Promise<SubmitRequest>)[],
): Promise<readonly PromiseSettledResult<Submitted>[]> {
  const inTurn = eachOf(LANES);
  const writes = requests.map((request) => inTurn(async () => writeRequest(engine, await request())));
  const results = await Promise.allSettled(writes);
  const created = results.flatMap((each) =>
    each.status === 'fulfilled' && each.value.created ? [each.value.row] : [],
  );
  await ringForAll(engine, created, engine.clock.now());
  return results;
}
