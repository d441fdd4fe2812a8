// What one due row needs. The first write is blind, for the index knows keys only; its refusal shows the row, and the second fits that.
import { between, type EpochMs, later, latest } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { finalError } from '../dead/fingerprint.ts';
import { jobError } from '../run/outcome.ts';
import { payOwed } from '../waits/owed.ts';
import type { DueEntry } from '../ports.ts';
import { type RecheckEngine, recheckParked } from './recheck.ts';
import { afterClaim } from '../gates/release.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, refOf } from '../row.ts';
import { cancelledError } from '../run/settle.ts';
import { isTerminal } from '../status.ts';
import { dropLate } from '../run/take.ts';
import { dueWhenQueued, ending, parkedDue, rearmDelay, residual } from '../timing.ts';
import { type ParamsFor, writeRule } from '../write.ts';

export type SweepEngine = RecheckEngine & Pick<Engine, 'executions'>;

export type SweepStep =
  | 'reap'
  | 'bury'
  | 'cancelled'
  | 'reap-execution'
  | 're-arm-execution'
  | 'watch'
  | 'drop'
  /** The job that a finished one owed is there. */
  | 'pay'
  /** Its workspace is gone. */
  | 'entomb'
  /** Unparked and rung. */
  | 'unpark'
  /** Looked at again later; not rung, since its lane has a backlog or its time has not come. */
  | 're-arm'
  /** Re-armed and rung. */
  | 'ring'
  /** Nobody could say whether its execution runs: the next sweep asks again. */
  | 'unknown'
  /** The row moved on, or is gone, before this sweep's write; or its last reap has the time of this sweep, and the next one looks again. */
  | 'moved';

type Gone = Pick<ParamsFor<'bury'>, 'lapsedBy' | 'goneEpoch' | 'goneOwner'>;

/**
 * Repairs one row. `now` is the store's clock, not this process'; `reapedAt` is what a reap tests the lease against, and is kept as the
 * row's last reap. Throws StoreUnavailable.
 */
export async function sweepRow(
  engine: SweepEngine,
  { ref }: DueEntry,
  now: EpochMs,
  reapedAt: EpochMs = now,
): Promise<SweepStep> {
  const reaped = await writeRule(engine, ref, 'reap', { now: reapedAt, dueAt: dueWhenQueued(engine.settings, now) });
  if (reaped.kind === 'applied') {
    await requeued(engine, reaped.row, now);
    return 'reap';
  }
  const row = reaped.found;
  if (row?.dueAt === undefined || row.dueAt > now) return 'moved';
  if (isTerminal(row.status)) return (await payOwed(engine, row)) ? 'pay' : 'moved';
  if (row.status === 'running') return sweepRunning(engine, row, now);
  return row.status === 'queued' ? sweepQueued(engine, row, now) : sweepParked(engine, row, now);
}

async function sweepRunning(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<SweepStep> {
  if ((row.leaseUntil ?? 0) > now) return (await applies(engine, row, 'watch', { now })) ? 'watch' : 'moved';
  if (row.heldBy === 'execution') return sweepExecution(engine, row, now);
  return endGone(engine, row, now, { lapsedBy: now, goneEpoch: row.epoch });
}

/** A lapsed hand-off: only who runs executions knows whether this one lives. */
async function sweepExecution(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<SweepStep> {
  const answer = await engine.executions.probe({ ref: refOf(row), epoch: row.epoch }, row.kind);
  if (answer === 'unknown' || row.leaseOwner === undefined || row.dueAt === undefined) return 'unknown';
  const read = { epoch: row.epoch, owner: row.leaseOwner, now };
  if (answer === 'running') {
    const leaseUntil = later(now, engine.settings.handOff);
    const kept = await applies(engine, row, 're-arm-execution', { ...read, dueAtRead: row.dueAt, leaseUntil });
    return kept ? 're-arm-execution' : 'moved';
  }
  const gone = await endGone(engine, row, now, { lapsedBy: now, goneEpoch: row.epoch, goneOwner: row.leaseOwner });
  if (gone !== 'moved') return gone;
  const dueAt = dueWhenQueued(engine.settings, now);
  const reaped = await writeRule(engine, refOf(row), 'reap-execution', { ...read, dueAt });
  if (reaped.kind === 'refused') return 'moved';
  await requeued(engine, reaped.row, now);
  return 'reap-execution';
}

async function requeued(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<void> {
  await ringFor(engine, row, now);
  await afterClaim(engine, row);
}

/** Ends a job whose claimant is gone, where it may not run again: a cancel was asked, or it has no crashes left. */
async function endGone(engine: SweepEngine, row: JobRow, now: EpochMs, gone: Gone): Promise<SweepStep> {
  if (row.cancelRequested !== undefined) {
    const end = { ...ending(engine.settings, now, 'cancelled'), error: cancelledError(row.cancelRequested) };
    return (await ends(engine, row, 'cancelled', { ...gone, ...end })) ? 'cancelled' : 'moved';
  }
  if (row.crashes < row.maxRevivals) return 'moved';
  const error = jobError('CRASHED', `The worker died or lost its lease ${row.crashes + 1} times.`, true, row.stage);
  const end = { ...ending(engine.settings, now, 'dead'), error: finalError(row, error) };
  return (await ends(engine, row, 'bury', { ...gone, ...end })) ? 'bury' : 'moved';
}

async function ends<N extends 'cancelled' | 'bury'>(engine: SweepEngine, row: JobRow, rule: N, params: ParamsFor<N>) {
  const applied = await applies(engine, row, rule, params);
  if (applied) await afterClaim(engine, row);
  return applied;
}

/** Never rung while it is parked: nobody could claim it. */
async function sweepParked(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<SweepStep> {
  if (isLate(row, now)) return (await dropLate(engine, row, now)) === undefined ? 'moved' : 'drop';
  if ((await recheckParked(engine, row, now)) === 'stay')
    return rearm(engine, row, parkedDue(engine.settings, now, row));
  const dueAt = dueWhenQueued(engine.settings, now, row.notBefore);
  const unparked = await writeRule(engine, refOf(row), 'unpark', { version: row.version, dueAt });
  if (unparked.kind === 'refused') return 'moved';
  await ringFor(engine, unparked.row, now);
  return 'unpark';
}

const isLate = ({ startBy }: JobRow, now: EpochMs): boolean => startBy !== undefined && startBy <= now;

async function sweepQueued(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<SweepStep> {
  if (isLate(row, now)) return (await dropLate(engine, row, now)) === undefined ? 'moved' : 'drop';
  if (residual(row.notBefore, now) > 0) return arm(engine, row, now);
  const waited = between(waitingSince(row), now);
  const rings = waited >= engine.settings.ringAgainAfter || (await engine.ringer.isIdle(row.lane, row.kind));
  const next = rings ? backOff(engine, row, now) : soonEnough(engine, row, now);
  const step = await rearm(engine, row, next);
  if (step === 'moved' || !rings) return step;
  await ringFor(engine, row, now);
  return 'ring';
}

/** Delayed work whose time is near: from here on the queue carries the delay, in the lane of what the sweep promotes. */
async function arm(engine: SweepEngine, row: JobRow, now: EpochMs): Promise<SweepStep> {
  const step = await rearm(engine, row, dueWhenQueued(engine.settings, now, row.notBefore));
  return step === 're-arm' && (await ringFor(engine, row, now, 'due')) ? 'ring' : step;
}

async function rearm(engine: SweepEngine, row: JobRow, dueAt: EpochMs): Promise<SweepStep> {
  if (row.dueAt === undefined) return 'moved';
  return (await applies(engine, row, 're-arm', { dueAtRead: row.dueAt, dueAt })) ? 're-arm' : 'moved';
}

const backOff = ({ settings }: SweepEngine, row: JobRow, now: EpochMs): EpochMs =>
  later(now, rearmDelay(settings, row.rearms ?? 0));

/** Behind a backlog: no later than when the row may be rung in any case. */
const soonEnough = (engine: SweepEngine, row: JobRow, now: EpochMs): EpochMs => {
  const ringAt = later(waitingSince(row), engine.settings.ringAgainAfter);
  return ringAt > now && ringAt < backOff(engine, row, now) ? ringAt : backOff(engine, row, now);
};

/** Since when the row may have waited for a worker: never later than it was queued, so it is rung too soon rather than too late. */
const waitingSince = (row: JobRow): EpochMs =>
  latest(row.createdAt, row.startedAt ?? row.createdAt, row.notBefore ?? row.createdAt);

async function applies<N extends 'watch' | 're-arm' | 're-arm-execution' | 'cancelled' | 'bury'>(
  engine: SweepEngine,
  row: JobRow,
  rule: N,
  params: ParamsFor<N>,
): Promise<boolean> {
  return (await writeRule(engine, refOf(row), rule, params)).kind === 'applied';
}
