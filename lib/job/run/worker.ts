// The life of one claim: claim → load input → run under heartbeat → decide the outcome → settle → ring.
import { asError } from '../../core/check.ts';
import { later, millis } from '../../core/time.ts';
import { holdClaim } from './held-claim.ts';
import type { Claim } from '../claim.ts';
import type { Engine } from '../engine.ts';
import { deadlinePassed, isPastDeadline } from './hurry.ts';
import type { Doorbell } from '../ports.ts';
import type { PipelineKind } from '../registry.ts';
import { runHandler } from './run.ts';
import { settleOutcome, type SettleReport } from './settle.ts';
import { type Taken, takeJob } from './take.ts';
import { writeRule } from '../write.ts';

export type Heard =
  | Exclude<Taken, { kind: 'claimed' }>
  /** A simple job was run, or an attempt ended before its handler: as the report says. */
  | { readonly kind: 'ran'; readonly report: SettleReport }
  /** A pipeline's execution was started; it holds the job now. */
  | { readonly kind: 'started'; readonly claim: Claim };

export interface Worker {
  /**
   * Does what a doorbell asks for, to the end. `stop` aborts when the process must end soon: the handler is told and has a few seconds.
   * Throws StoreUnavailable where nothing is known to be claimed: let the queue deliver the message again.
   */
  hear(bell: Doorbell, stop?: AbortSignal): Promise<Heard>;
}

/** An execution that could not be started is tried again after 5 to 30 s. */
const START_PAUSE = { least: 5000, most: 30_000 };

export const createWorker = (engine: Engine): Worker => ({
  hear: async (bell, stop) => {
    const taken = await takeJob(engine, bell);
    const heard = taken.kind === 'claimed' ? await runClaim(engine, taken.claim, stop) : taken;
    engine.log.info('doorbell heard', { job: bell.ref.id, rung: bell.epoch, ...whatCameOfIt(heard) });
    return heard;
  },
});

/** For the log: a line a doorbell says what became of it. */
function whatCameOfIt(heard: Heard): Readonly<Record<string, unknown>> {
  if (heard.kind === 'started') return { outcome: 'started', kind: heard.claim.row.kind, epoch: heard.claim.epoch };
  if (heard.kind !== 'ran') return { outcome: heard.kind };
  if (heard.report.kind !== 'settled') return { outcome: heard.report.kind };
  const { kind, status, rule, epoch, attempts, crashes } = heard.report.row;
  return { outcome: rule, kind, status, epoch, attempts, crashes };
}

async function runClaim(engine: Engine, claim: Claim, stop?: AbortSignal): Promise<Heard> {
  if (isPastDeadline(claim.row, engine.clock.now()))
    return { kind: 'ran', report: await settleOutcome(engine, claim, deadlinePassed()) };
  const kind = engine.registry.find(claim.row.kind);
  if (kind === undefined) return parkUnknown(engine, claim);
  if (kind.type === 'pipeline') return startExecution(engine, claim, kind);
  const held = holdClaim(engine, claim);
  const end = await runHandler(engine, held, kind, stop);
  if (end.kind === 'lost') return { kind: 'ran', report: { kind: 'lost', found: undefined } };
  return { kind: 'ran', report: await settleOutcome(engine, held.claim(), end) };
}

/** The sweep, which knows what is deployed, queues it again once the kind is back. */
async function parkUnknown(engine: Engine, claim: Claim): Promise<Heard> {
  const { kind } = claim.row;
  engine.log.warn('No handler for this kind is deployed; the job is parked.', { jobId: claim.ref.id, kind });
  return { kind: 'ran', report: await settleOutcome(engine, claim, { kind: 'park', reason: `no_handler:${kind}` }) };
}

/** Hands the lease to the execution before it is started, since its first stage may begin before the start has answered. */
async function startExecution(engine: Engine, claim: Claim, pipeline: PipelineKind): Promise<Heard> {
  const { ref, epoch, owner, row } = claim;
  const handed = await writeRule(engine, ref, 'checkpoint', {
    epoch,
    owner,
    previousNo: row.cursorNo,
    cursorNo: row.cursorNo + 1,
    cursor: row.cursor,
    heldBy: 'execution',
    leaseUntil: later(engine.clock.now(), engine.settings.handOff),
  });
  if (handed.kind === 'refused') return { kind: 'ran', report: { kind: 'lost', found: handed.found } };
  const held = { ...claim, row: handed.row };
  try {
    await engine.executions.start({ ref, epoch }, pipeline.kind);
    return { kind: 'started', claim: held };
  } catch (thrown) {
    engine.log.warn('The execution was not started; the job is queued again.', {
      jobId: ref.id,
      error: asError(thrown).message,
    });
    const delay = millis(START_PAUSE.least + engine.chance.next() * (START_PAUSE.most - START_PAUSE.least));
    return { kind: 'ran', report: await settleOutcome(engine, held, { kind: 'snooze', delay }) };
  }
}
