// Running under a heartbeat: what a claimed handler came to, as an outcome. Nothing is written to the row here.
import { Fault } from '../core/fault.ts';
import { isOutage } from '../core/outage.ts';
import { type DurationMs, seconds } from '../core/time.ts';
import type { Claim } from './claim.ts';
import type { Engine } from './engine.ts';
import { answerOf, jobError, type Outcome, outcomeOfThrow } from './outcome.ts';
import { loadPayload, objectPrefixOf, savePayload, toJson } from './payload.ts';
import { StoreUnavailable } from './ports.ts';
import type { JobContext, JobKind } from './registry.ts';
import { ending } from './timing.ts';
import { untilAnswered } from './write.ts';

/** `lost`: the lease is gone, and nothing may be settled. */
export type RunEnd = Outcome | { readonly kind: 'lost' };

export interface RunLimits {
  /** Aborts when the process must stop soon. */
  readonly stop?: AbortSignal | undefined;
  readonly timeout?: DurationMs | undefined;
}

type BeatEngine = Pick<Engine, 'heartbeats' | 'clock' | 'settings' | 'log'>;
type Ended = { readonly value: Outcome } | { readonly thrown: unknown };

/** Costs no attempt: a store that does not answer is no fault of the job's. */
const UNREADABLE_PAUSE = seconds(10);

/** Loads the input and runs the handler of a simple job. */
export async function runHandler(engine: Engine, claim: Claim, kind: JobKind, stop?: AbortSignal): Promise<RunEnd> {
  return runUnderHeartbeat(engine, claim, { stop, timeout: kind.timeout }, async (signal, progress) => {
    const input = await readInput(engine, claim, kind);
    if ('outcome' in input) return input.outcome;
    const returned = await kind.run(contextOf(engine, claim, signal, progress), input.value);
    return answerOf(returned) ?? saveResult(engine, claim, returned);
  });
}

/**
 * Runs `work` while the claim is renewed. Its signal aborts on cancel, on a lost lease, on the time-out and on `stop`; work that has not
 * ended a while after that is left behind, and its writes are fenced. The heartbeat is stopped and awaited before this returns.
 */
export async function runUnderHeartbeat(
  engine: BeatEngine,
  claim: Claim,
  { stop, timeout }: RunLimits,
  work: (signal: AbortSignal, progress: JobContext['progress']) => Promise<Outcome>,
): Promise<RunEnd> {
  const beat = engine.heartbeats.start(claim);
  const ended = new AbortController();
  const expired = new AbortController();
  if (timeout !== undefined) expireAfter(engine, timeout, expired, ended.signal);
  const hurry = AbortSignal.any(stop === undefined ? [expired.signal] : [expired.signal, stop]);
  const signal = AbortSignal.any([beat.signal, hurry]);
  const progress: JobContext['progress'] = (done, total, note = '') => beat.progress({ done, total, note });
  const end = await endOrLeave(engine, signal, ended, () => work(signal, progress));
  const outOfTime = hurry.aborted;
  ended.abort();
  await beat.stop();
  if (beat.lost) return { kind: 'lost' };
  if (beat.cancelReason !== undefined) return { kind: 'cancelled', reason: beat.cancelReason };
  return outOfTime ? whenOutOfTime(end) : whenInTime(end);
}

const timedOut = () => new Fault('TIMED_OUT', 'The run reached its time limit.');

async function endOrLeave(
  { clock, settings }: BeatEngine,
  signal: AbortSignal,
  ended: AbortController,
  work: () => Promise<Outcome>,
): Promise<Ended> {
  const working: Promise<Ended> = work().then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  );
  const left = new Promise<Ended>((resolve) => {
    const leave = () =>
      void clock.sleep(settings.leaseMargin, ended.signal).then(() => resolve({ thrown: signal.reason as unknown }));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  return Promise.race([working, left]);
}

function expireAfter({ clock }: BeatEngine, timeout: DurationMs, expired: AbortController, ended: AbortSignal): void {
  void clock.sleep(timeout, ended).then(() => {
    if (!ended.aborted) expired.abort(timedOut());
  });
}

const whenInTime = (end: Ended): Outcome => ('value' in end ? end.value : outcomeOfThrow(end.thrown));

/** What was returned after the abort may be half done, so only what says where it stands counts. */
function whenOutOfTime(end: Ended): Outcome {
  const outcome = whenInTime(end);
  if (outcome.kind !== 'succeed' && outcome.kind !== 'retry') return outcome;
  return { kind: 'retry', error: jobError('TIMED_OUT', 'The run was stopped when its time ran out.', true) };
}

function contextOf(
  engine: Engine,
  { ref, epoch, row }: Claim,
  signal: AbortSignal,
  progress: JobContext['progress'],
): JobContext {
  const { log, clock, objects } = engine;
  const objectPrefix = objectPrefixOf(ref, epoch);
  const cursor = row.cursor === undefined ? undefined : (JSON.parse(row.cursor) as unknown);
  const { attempts, correlationId } = row;
  return {
    ref,
    epoch,
    attempt: attempts + 1,
    signal,
    log,
    clock,
    objects,
    objectPrefix,
    progress,
    cursor,
    correlationId,
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

async function saveResult(engine: Engine, { ref, epoch }: Claim, returned: unknown): Promise<Outcome> {
  const json = jsonOf(returned);
  if (json === undefined) return { kind: 'succeed' };
  const { expiresAt } = ending(engine.settings, engine.clock.now(), 'succeeded');
  const result = await untilAnswered(engine, engine.settings.lease, () =>
    savePayload(engine, ref, `result-${epoch}`, json, expiresAt),
  );
  return { kind: 'succeed', result };
}

function jsonOf(returned: unknown): string | undefined {
  try {
    return toJson(returned);
  } catch (cause) {
    throw new Fault('RESULT_INVALID', 'The handler returned what JSON cannot hold.', { cause });
  }
}
