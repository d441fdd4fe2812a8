// Counting what a relayed batch adds to the statistics: one addition a workspace and minute.
import { asError } from '../core/check.ts';
import type { Chance } from '../core/chance.ts';
import type { Log } from '../core/log.ts';
import type { JobStore } from '../job/ports.ts';
import { type Counting, type RowChange, statAdditions } from './stat-bucket.ts';
import { STAT_SHARDS, statSideOf } from './stat-rows.ts';

interface Statistics {
  readonly store: Pick<JobStore, 'writeSide'>;
  readonly chance: Chance;
  readonly log: Log;
}

/** Never throws: statistics are approximate, and what is not counted now is not counted. */
export async function countChanges(
  { store, chance, log }: Statistics,
  changes: readonly RowChange[],
  how: Counting,
): Promise<void> {
  const shard = Math.floor(chance.next() * STAT_SHARDS);
  const writes = statAdditions(changes, how).map(({ counters, expiresAt, ...where }) =>
    store.writeSide(statSideOf(where, shard), 'add-counters', { counters, expiresAt }),
  );
  for (const write of await Promise.allSettled(writes))
    if (write.status === 'rejected') log.warn('Changes were not counted.', { error: asError(write.reason).message });
}
