// How a claim ends: the outcome decides the rule, one write makes it so, and a row that is queued again is rung. Used by the worker
// and by the stages of pipelines; the heartbeat is stopped and awaited before.
import { Fault, type FaultCode } from '../../core/fault.ts';
import type { SnapshotId } from '../../core/ids.ts';
import { type DurationMs, type EpochMs, later, latest, millis } from '../../core/time.ts';
import type { Claim } from '../claim.ts';
import type { Engine } from '../engine.ts';
import { finalError } from '../dead/fingerprint.ts';
import { jobError, type Outcome, outcomeOfThrow } from './outcome.ts';
import { StoreUnavailable, type Written } from '../ports.ts';
import { afterClaim } from '../gates/release.ts';
import { ringFor } from '../ring.ts';
import type { JobError, JobRow } from '../row.ts';
import { backoff, dueWhenQueued, ending, parkedDue } from '../timing.ts';
import { unparkFrom } from '../waits/unpark.ts';
import { writePublish, writeRule, writeTogether } from '../write.ts';

export type SettleReport =
  /** The settle stands; `row` is the job after it. `rung`: its doorbell was sent again. */
  | {
      readonly kind: 'settled';
      readonly row: JobRow;
      readonly rung: boolean;
      /** Snapshots that a newer one had overtaken when this settle published them. */
      readonly superseded?: readonly SnapshotId[];
    }
  /** Somebody else settled the job, or holds it: this run counts for nothing. */
  | { readonly kind: 'lost'; readonly found: JobRow | undefined }
  /** The store did not answer while the lease lasted; the sweep decides. */
  | { readonly kind: 'unanswered' };

type SettleEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;
type Answer = Written & { readonly superseded?: readonly SnapshotId[] };

/** A cancel that arrives, and a row older than the claimant believed, each cost one refusal; more than that is not one row's life. */
const MOST_DECISIONS = 4;

/** Settles the claimed job with the outcome. Never throws for a store that does not answer. */
export async function settleOutcome(engine: SettleEngine, claim: Claim, outcome: Outcome): Promise<SettleReport> {
  try {
    const report = await decideAndWrite(engine, claim, outcome);
    if (isOver(claim, report)) await afterClaim(engine, claim.row, claim.epoch);
    return report;
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
    engine.log.warn('The settle was not answered; the sweep decides.', { jobId: claim.ref.id, epoch: claim.epoch });
    return { kind: 'unanswered' };
  }
}

/** Somebody else may hold it at our epoch: a stage that began, or an operator who reclaims it. */
const isOver = ({ epoch }: Claim, report: SettleReport): boolean =>
  report.kind === 'settled' ||
  (report.kind === 'lost' && (report.found?.status !== 'running' || report.found.epoch !== epoch));

async function decideAndWrite(engine: SettleEngine, claim: Claim, outcome: Outcome): Promise<SettleReport> {
  let row = claim.row;
  let wanted = outcome;
  for (let decision = 0; decision < MOST_DECISIONS; decision++) {
    const answer: Answer | Fault = await writeOutcome(engine, claim, row, wanted).catch(unpublishable);
    if (answer instanceof Fault) {
      wanted = outcomeOfThrow(answer);
      continue;
    }
    if (answer.kind === 'applied' && answer.row.status !== 'running') return afterSettle(engine, answer);
    const found: JobRow | undefined = answer.kind === 'applied' ? answer.row : answer.found;
    if (found === undefined || !holds(claim, found)) return afterRefusal(engine, claim, found);
    row = found;
  }
  return { kind: 'lost', found: row };
}

const unpublishableFaults: ReadonlySet<FaultCode> = new Set([
  'BASE_MOVED',
  'GONE',
  'STORAGE_QUOTA_EXCEEDED',
  'TABLE_DERIVED',
  'TABLE_UPLOADED',
]);

/** What a run built on is gone by the time that it would be published, or there is no room for it: it says so, as a throw of its own would. */
function unpublishable(thrown: unknown): Fault {
  if (thrown instanceof Fault && unpublishableFaults.has(thrown.code)) return thrown;
  throw thrown;
}

/** Whether the claimant still holds the job in this row. */
export const holds = (claim: Pick<Claim, 'epoch' | 'owner'>, row: JobRow): boolean =>
  row.status === 'running' && row.epoch === claim.epoch && row.leaseOwner === claim.owner;

/** The one write that fits the outcome and the row as last seen. */
function writeOutcome(engine: SettleEngine, claim: Claim, row: JobRow, outcome: Outcome): Promise<Answer> {
  const patience = engine.settings.lease;
  const now = engine.clock.now();
  const fence = { epoch: claim.epoch, owner: claim.owner };
  if (outcome.kind === 'succeed') return writeSuccess(engine, claim, outcome, now);
  if (outcome.kind === 'fail') {
    const params = { ...fence, ...ending(engine.settings, now, 'failed'), error: finalError(row, outcome.error) };
    return writeRule(engine, claim.ref, 'fail', params, patience);
  }
  if (row.cancelRequested !== undefined) return writeCancelled(engine, claim, row.cancelRequested, now);
  if (outcome.kind === 'cancelled') {
    const asked = { version: row.version, cancelReason: outcome.reason };
    return writeRule(engine, claim.ref, 'request-cancel', asked, patience);
  }
  if (outcome.kind === 'snooze') return writeSnooze(engine, claim, row, outcome, now);
  if (outcome.kind === 'park') return writePark(engine, claim, row, outcome, now);
  if (row.attempts >= row.maxRetries) {
    const params = { ...fence, ...ending(engine.settings, now, 'dead'), error: finalError(row, outcome.error) };
    return writeRule(engine, claim.ref, 'exhaust', params, patience);
  }
  return writeRetry(engine, claim, row, outcome, now);
}

function writeSuccess(
  engine: SettleEngine,
  { ref, epoch, owner }: Claim,
  { result, warnings, stage, owes, publications = [], resultFor, stored }: Extract<Outcome, { kind: 'succeed' }>,
  now: EpochMs,
): Promise<Answer> {
  const debt = owes === undefined ? {} : { owes, dueAt: later(now, engine.settings.lease) };
  const params = { epoch, owner, ...ending(engine.settings, now, 'succeeded'), result, warnings, stage, ...debt };
  return publications.length === 0
    ? writeRule(engine, ref, 'succeed', params, engine.settings.lease)
    : writePublish(engine, ref, params, { publications, resultFor, stored }, engine.settings.lease);
}

function writeCancelled(engine: SettleEngine, { ref, epoch, owner }: Claim, reason: string, now: EpochMs) {
  const params = { epoch, owner, ...ending(engine.settings, now, 'cancelled'), error: cancelledError(reason) };
  return writeRule(engine, ref, 'cancelled', params, engine.settings.lease);
}

function writeSnooze(
  engine: SettleEngine,
  { ref, epoch, owner }: Claim,
  row: JobRow,
  { delay, cursor }: Extract<Outcome, { kind: 'snooze' }>,
  now: EpochMs,
) {
  const moved = cursor === undefined ? {} : { cursor, cursorNo: row.cursorNo + 1 };
  return writeRule(
    engine,
    ref,
    'snooze',
    { epoch, owner, ...again(engine, row, now, delay), ...moved },
    engine.settings.lease,
  );
}

/** Where a check refuses, what the run would wait for is there. */
async function writePark(
  engine: SettleEngine,
  claim: Claim,
  row: JobRow,
  { reason, until, awaits, checks = [] }: Extract<Outcome, { kind: 'park' }>,
  now: EpochMs,
): Promise<Answer> {
  const { ref, epoch, owner } = claim;
  const dueAt = parkedDue(engine.settings, now, { parkedUntil: until, deadline: row.deadline });
  const params = { epoch, owner, parked: reason, parkedUntil: until, awaits, dueAt };
  const patience = engine.settings.lease;
  if (checks.length === 0) return writeRule(engine, ref, 'park', params, patience);
  const together = await writeTogether(engine, { ref, rule: 'park', params }, checks, patience);
  if (together.kind === 'applied' || together.job) return together;
  return writeSnooze(engine, claim, row, { kind: 'snooze', delay: millis(0) }, now);
}

function writeRetry(
  engine: SettleEngine,
  { ref, epoch, owner }: Claim,
  row: JobRow,
  { error, retryAfter }: Extract<Outcome, { kind: 'retry' }>,
  now: EpochMs,
) {
  const delay = retryAfter ?? backoff(engine.settings, engine.chance, row.attempts + 1);
  return writeRule(
    engine,
    ref,
    'retry',
    { epoch, owner, ...again(engine, row, now, delay), error },
    engine.settings.lease,
  );
}

/** No later than the deadline: the job is then claimed once more, to end. */
function again({ settings }: SettleEngine, { deadline }: JobRow, now: EpochMs, delay: DurationMs) {
  const asked = later(now, delay);
  const notBefore = deadline !== undefined && deadline < asked ? latest(now, deadline) : asked;
  return { notBefore, dueAt: dueWhenQueued(settings, now, notBefore) };
}

/** What a cancelled job says. */
export const cancelledError = (reason: string): JobError => jobError('CANCELLED', reason, false);

/** The hold was taken back while its stage was ending: nobody else would look before the sweep. */
const isHeldNoMore = ({ parked, hold }: JobRow): boolean => parked === 'stage' && hold === undefined;

async function afterSettle(
  engine: SettleEngine,
  { row, superseded }: Extract<Answer, { kind: 'applied' }>,
): Promise<SettleReport> {
  if (isHeldNoMore(row)) {
    const unparked = (await unparkFrom(engine, row, 'stage')) ?? row;
    return { kind: 'settled', row: unparked, rung: unparked.status === 'queued' };
  }
  const rung = row.status === 'queued' && (await ringFor(engine, row, engine.clock.now()));
  return { kind: 'settled', row, rung, ...(superseded === undefined ? {} : { superseded }) };
}

/** Found queued at our epoch, it may be our own settle, since overwritten: ring, for one ring too many is harmless. */
async function afterRefusal(engine: SettleEngine, claim: Claim, found: JobRow | undefined): Promise<SettleReport> {
  if (found?.status === 'queued' && found.epoch === claim.epoch) await ringFor(engine, found, engine.clock.now());
  return { kind: 'lost', found };
}
