// Running under a heartbeat: what a claimed handler came to, as an outcome. Nothing is written to the row here.
import { Fault } from '../../core/fault.ts';
import { isOutage } from '../../core/outage.ts';
import { seconds } from '../../core/time.ts';
import type { HeldClaim } from './held-claim.ts';
import type { Claim } from '../claim.ts';
import { createContext } from '../context/context.ts';
import { createParking, type Parking } from '../context/interrupt.ts';
import { createContainer } from './contain.ts';
import type { Engine } from '../engine.ts';
import { openLimits, outcomeOfHurry, type RunLimits } from './hurry.ts';
import { answerOf, jobError, type Outcome, outcomeOfThrow } from './outcome.ts';
import { followedOf, prepareOwed } from '../waits/owed.ts';
import { cursorJson, jsonOrFault, loadPayload, savePayload } from '../payload.ts';
import { StoreUnavailable } from '../ports.ts';
import { progressGate } from './progress.ts';
import type { JobContext, JobKind } from '../registry.ts';
import type { PayloadRef } from '../row.ts';
import { ending } from '../timing.ts';
import { untilAnswered } from '../write.ts';

/** `lost`: the lease is gone, and nothing may be settled. */
export type RunEnd = Outcome | { readonly kind: 'lost' };

type BeatEngine = Pick<Engine, 'heartbeats' | 'clock' | 'settings' | 'log'>;

/** Costs no attempt: a store that does not answer is no fault of the job's. */
const UNREADABLE_PAUSE = seconds(10);

/** Loads the input and runs the handler of a simple job. */
export async function runHandler(engine: Engine, held: HeldClaim, kind: JobKind, stop?: AbortSignal): Promise<RunEnd> {
  const claim = held.claim();
  const parking = createParking();
  const limits = { stop, timeout: kind.timeout, deadline: claim.row.deadline, parking };
  return runUnderHeartbeat(engine, held, limits, async (signal, progress) => {
    const input = await readInput(engine, claim, kind);
    if ('outcome' in input) return input.outcome;
    const given = { signal, progress, parking, checkpoint: checkpointOf(held) };
    const returned = await kind.run(createContext({ engine, row: claim.row, ...given }), input.value);
    return answerOf(returned) ?? succeed(engine, claim, returned);
  });
}

/**
 * Runs `work` while the claim is renewed. Its signal aborts on cancel, on a lost lease, on each limit, and when it waits; work that has
 * not ended a while after that is left behind, and its writes are fenced. The heartbeat is stopped and awaited before this returns.
 */
export async function runUnderHeartbeat(
  engine: BeatEngine,
  held: HeldClaim,
  { parking, ...given }: RunLimits & { readonly parking: Parking },
  work: (signal: AbortSignal, progress: JobContext['progress']) => Promise<Outcome>,
): Promise<RunEnd> {
  const beat = engine.heartbeats.start(held.claim());
  const ended = new AbortController();
  const limits = openLimits(engine.clock, given, ended.signal);
  const container = createContainer();
  const signal = AbortSignal.any([beat.signal, limits.signal, container.signal, parking.signal]);
  const progress = progressGate(
    engine.clock,
    (said) => {
      held.progress(said);
      beat.progress(said);
    },
    ended.signal,
  );
  const came = await endOrLeave(engine, signal, ended, () => container.run(() => work(signal, progress)));
  const end = parking.parked() ?? came;
  const hurry = limits.hurry();
  ended.abort();
  held.close();
  await beat.stop();
  if (beat.lost) return { kind: 'lost' };
  if (beat.cancelReason !== undefined) return { kind: 'cancelled', reason: beat.cancelReason };
  if (container.signal.aborted && end.kind !== 'park') return outcomeOfThrow(container.signal.reason);
  return hurry === undefined ? end : outcomeOfHurry(hurry, end, { moved: held.moved() });
}

async function endOrLeave(
  { clock, settings }: BeatEngine,
  signal: AbortSignal,
  ended: AbortController,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const working = work().catch(outcomeOfRunThrow);
  const left = new Promise<Outcome>((resolve) => {
    const leave = () =>
      void clock.sleep(settings.leaseMargin, ended.signal).then(() => resolve(outcomeOfThrow(signal.reason)));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  return Promise.race([working, left]);
}

/** What the engine did for the handler and the store did not answer is no fault of the job's. */
const outcomeOfRunThrow = (thrown: unknown): Outcome =>
  isUnanswered(thrown) ? { kind: 'snooze', delay: UNREADABLE_PAUSE } : outcomeOfThrow(thrown);

/** What is thrown may be anything, a proxy whose traps throw too. */
function isUnanswered(thrown: unknown): boolean {
  try {
    return thrown instanceof StoreUnavailable;
  } catch {
    return false;
  }
}

function checkpointOf(held: HeldClaim): JobContext['checkpoint'] {
  return async (next) => {
    const committed = await held.commit({ heldBy: 'worker', cursor: cursorJson(next) });
    if (!committed) throw new Fault('CRASHED', 'The lease is gone: another run may have taken over.');
  };
}

/** The input by the kind's schema, or the outcome where there is none to run with. */
async function readInput(
  engine: Engine,
  claim: Claim,
  kind: JobKind,
): Promise<{ readonly value: unknown } | { readonly outcome: Outcome }> {
  try {
    const parsed = kind.input.safeParse(await loadPayload(engine, claim.ref, claim.row.input));
    if (parsed.success) return { value: parsed.data };
    const detail = `The stored input no longer fits the kind: ${parsed.error.issues[0]?.message ?? ''}`;
    return { outcome: { kind: 'fail', error: jobError('VALIDATION_FAILED', detail, false) } };
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable || isOutage(thrown))) return { outcome: outcomeOfThrow(thrown) };
    engine.log.warn('The input could not be read now; the job is queued again.', { jobId: claim.ref.id });
    return { outcome: { kind: 'snooze', delay: UNREADABLE_PAUSE } };
  }
}

async function succeed(engine: Engine, claim: Claim, returned: unknown): Promise<Outcome> {
  const { result, next } = followedOf(returned);
  const saved = await saveResult(engine, claim, result);
  const owes = next && (await prepareOwed(engine, claim.row, next));
  return { kind: 'succeed', result: saved, owes };
}

async function saveResult(engine: Engine, { ref, epoch }: Claim, result: unknown): Promise<PayloadRef | undefined> {
  const json = jsonOrFault(result, 'The handler returned what JSON cannot hold.');
  if (json === undefined) return undefined;
  const { expiresAt } = ending(engine.settings, engine.clock.now(), 'succeeded');
  return untilAnswered(engine, engine.settings.lease, () =>
    savePayload(engine, ref, `result-${epoch}`, json, expiresAt),
  );
}
