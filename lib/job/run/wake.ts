// Unparking those who wait for something that several may have: the oldest first, and the next where one is gone meanwhile.
import type { Scope } from '../../core/ids.ts';
import type { JobRow } from '../row.ts';
import { unparkFrom, type UnparkEngine } from '../waits/unpark.ts';
import { readRow } from '../write.ts';

/** How many entries of the index are read for one job to wake: it is read late, so some may have moved on. */
const SPARE = 4;

/** Unparks up to `most` of the jobs that are parked for the reason; how many it was. Throws StoreUnavailable. */
export async function unparkOldest(
  engine: UnparkEngine,
  scope: Scope,
  reason: string,
  most: number,
): Promise<{ readonly woken: readonly JobRow[]; readonly more: boolean }> {
  const woken: JobRow[] = [];
  const { items, cursor } = await engine.store.parkedFor(scope, reason, { limit: most + SPARE });
  for (const ref of items) {
    if (woken.length >= most) return { woken, more: true };
    const row = await readRow(engine, ref);
    if (row?.status !== 'parked') continue;
    const left = await unparkFrom(engine, row, reason);
    if (left?.status === 'queued' && left.rule === 'unpark') woken.push(left);
  }
  return { woken, more: cursor !== undefined };
}
