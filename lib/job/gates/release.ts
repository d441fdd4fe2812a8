// After a claim: what it held is given back, and the oldest that waits for it is woken. Whoever takes a row out of running calls this
// after the write; where they die before it, the relay does it, else the re-check of those who wait.
import { allDone } from '../../core/all-done.ts';
import { asError } from '../../core/check.ts';
import { type Epoch, newId } from '../../core/ids.ts';
import type { Engine } from '../engine.ts';
import type { JobRow } from '../row.ts';
import { giveWrites, holderOf, slotReason } from './slots.ts';
import { unparkOldest } from '../run/wake.ts';
import { PATIENCE, untilAnswered } from '../write.ts';

export type ReleaseEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** `row` is the job that no longer runs at `epoch`. Harmless when it was called before. Never throws for a store that does not answer. */
export async function afterClaim(engine: ReleaseEngine, row: JobRow, epoch: Epoch = row.epoch): Promise<void> {
  await logged(engine, row, async () => {
    await allDone((row.slots ?? []).map(({ key }) => giveBack(engine, row, key, epoch)));
  });
}

/** The same for whoever hears of the end later: looks first, and throws StoreUnavailable. */
export async function afterClaimOnce(engine: ReleaseEngine, row: JobRow): Promise<void> {
  for (const { key } of row.slots ?? [])
    if ((await engine.store.getSide(holderOf(row, key, row.epoch))) !== undefined)
      await giveBack(engine, row, key, row.epoch);
}

/** A job that was woken for a place does not take it: the next one may. */
export async function handOn(engine: ReleaseEngine, row: JobRow): Promise<void> {
  if (row.rule !== 'unpark') return;
  await logged(engine, row, async () => {
    for (const { key } of row.slots ?? []) await unparkOldest(engine, row, slotReason(key), 1);
  });
}

async function giveBack(engine: ReleaseEngine, row: JobRow, key: string, epoch: Epoch): Promise<void> {
  if (await givePlace(engine, row, key, epoch)) await unparkOldest(engine, row, slotReason(key), 1);
}

/** False where it was given back before, perhaps by an earlier send of this. Throws StoreUnavailable. */
export async function givePlace(
  engine: Pick<Engine, 'store' | 'clock' | 'chance'>,
  ref: Pick<JobRow, 'tenant' | 'workspace' | 'id'>,
  key: string,
  epoch: Epoch,
): Promise<boolean> {
  const token = newId('w', engine.clock.now(), engine.chance);
  const send = () => engine.store.transact(giveWrites(ref, key, epoch), token);
  return (await untilAnswered(engine, PATIENCE, send)).kind === 'applied';
}

async function logged({ log }: ReleaseEngine, row: JobRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = asError(thrown).message;
    log.warn('Its places were not all handed on; a re-check does it.', { jobId: row.id, error });
  }
}
