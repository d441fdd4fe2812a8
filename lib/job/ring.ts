// Ringing for a queued row. A ring that fails is no failure of the write before it: the row is the truth and the sweep rings later.
import { asError } from '../core/check.ts';
import { type EpochMs, millis } from '../core/time.ts';
import type { Engine } from './engine.ts';
import { type JobRow, type Lane, refOf } from './row.ts';
import { residual } from './timing.ts';

/**
 * Rings for a queued row with the delay until it may start, in whole seconds, rounded down: the worker waits out the rest. False when
 * the queue cannot carry the delay, or did not take the message; the sweep then rings when the row is due.
 */
export async function ringFor(
  engine: Pick<Engine, 'ringer' | 'settings' | 'log'>,
  row: JobRow,
  now: EpochMs,
  lane: Lane = row.lane,
): Promise<boolean> {
  const delay = millis(Math.floor(residual(row.notBefore, now) / 1000) * 1000);
  if (delay > engine.settings.queueDelayCap) return false;
  try {
    await engine.ringer.ring({ ref: refOf(row), epoch: row.epoch }, lane, row.kind, delay);
    return true;
  } catch (thrown) {
    engine.log.warn('The doorbell was not sent; the sweep rings later.', {
      jobId: row.id,
      error: asError(thrown).message,
    });
    return false;
  }
}
