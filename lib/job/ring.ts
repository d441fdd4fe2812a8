// Ringing for a queued row. A ring that fails is no failure of the write before it: the row is the truth and the sweep rings later.
import { asError } from '../core/check.ts';
import { type DurationMs, type EpochMs, millis } from '../core/time.ts';
import type { Engine } from './engine.ts';
import type { Doorbell } from './ports.ts';
import { type JobRow, type Lane, refOf } from './row.ts';
import { residual } from './timing.ts';

type RingEngine = Pick<Engine, 'ringer' | 'settings' | 'log'>;

/**
 * Rings for a queued row with the delay until it may start, in whole seconds, rounded down: the worker waits out the rest. False when
 * the queue cannot carry the delay, or did not take the message; the sweep then rings when the row is due.
 */
export async function ringFor(engine: RingEngine, row: JobRow, now: EpochMs, lane: Lane = row.lane): Promise<boolean> {
  const delay = delayOf(row, now);
  if (delay > engine.settings.queueDelayCap) return false;
  try {
    await engine.ringer.ring(bellOf(row), lane, row.kind, delay);
    return true;
  } catch (thrown) {
    engine.log.warn(UNSENT, { jobId: row.id, error: asError(thrown).message });
    return false;
  }
}

/** The same for many rows, each in its own lane, in as few calls as the queue allows. */
export async function ringForAll(engine: RingEngine, rows: readonly JobRow[], now: EpochMs): Promise<void> {
  const { ringer, settings, log } = engine;
  if (ringer.ringMany === undefined) {
    await Promise.all(rows.map((row) => ringFor(engine, row, now)));
    return;
  }
  const rings = rows
    .map((row) => ({ bell: bellOf(row), lane: row.lane, kind: row.kind, delay: delayOf(row, now) }))
    .filter(({ delay }) => delay <= settings.queueDelayCap);
  if (rings.length === 0) return;
  try {
    for (const { bell } of await ringer.ringMany(rings)) log.warn(UNSENT, { jobId: bell.ref.id });
  } catch (thrown) {
    log.warn('Doorbells were not sent; the sweep rings later.', { error: asError(thrown).message });
  }
}

const UNSENT = 'The doorbell was not sent; the sweep rings later.';
const bellOf = (row: JobRow): Doorbell => ({ ref: refOf(row), epoch: row.epoch });
const delayOf = (row: JobRow, now: EpochMs): DurationMs =>
  millis(Math.floor(residual(row.notBefore, now) / 1000) * 1000);
