// What a submit writes: the row of a request, and its payload, which is saved before the row refers to it.
import { Fault } from '../../core/fault.ts';
import { fieldErrorsOf, plainly } from '../../core/field-errors.ts';
import { type Epoch, type JobId, type JobRef, newId, type Scope } from '../../core/ids.ts';
import { type EpochMs, later, latest, toEpochSeconds } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { nameFlow } from '../gates/flow.ts';
import { type GateOptions, gatesOf } from './new-gates.ts';
import { inputName, savePayload, toJson } from '../payload.ts';
import type { NewJobRow, RuleParams } from '../ports.ts';
import type { AnyKind } from '../registry.ts';
import type { JobRow, Lane, PayloadRef } from '../row.ts';
import { dueWhenQueued } from '../timing.ts';

/** What is asked of one job, beside its kind and input. */
export interface SubmitOptions extends GateOptions {
  readonly notBefore?: EpochMs | undefined;
  /** The job is dropped when it was not started by then. */
  readonly startBy?: EpochMs | undefined;
  readonly lane?: Lane | undefined;
  /** Whose child it is; the caller has seen that there is such a job. */
  readonly parentId?: JobId | undefined;
}

export interface NewJob extends SubmitOptions {
  readonly scope: Scope;
  readonly input: unknown;
  /** A derived id makes the submit idempotent; a fresh one is made otherwise. */
  readonly id?: JobId | undefined;
  readonly dedupKey?: string | undefined;
  /** Of what was asked for under an idempotency key. */
  readonly requestHash?: string | undefined;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
}

/** What the submit rule writes. */
export interface PreparedJob {
  readonly row: NewJobRow;
  readonly params: Omit<RuleParams<'submit'>, 'writeId' | 'submitId'>;
}

type NewRowEngine = Pick<Engine, 'store' | 'objects' | 'clock' | 'chance' | 'settings'>;

/**
 * Throws Fault VALIDATION_FAILED (pointers below `#/input`, and to what the job must pass), LIMIT_EXCEEDED or FLOW_DISABLED, and
 * StoreUnavailable.
 */
export async function prepareJob(engine: NewRowEngine, kind: AnyKind, job: NewJob): Promise<PreparedJob> {
  const json = validInput(kind, job.input);
  const gates = gatesOf(engine.settings, kind, job);
  if (job.flow !== undefined) await nameFlow(engine, job.scope, job.flow);
  const ref: JobRef = { ...job.scope, id: job.id ?? newId('job', engine.clock.now(), engine.chance) };
  const input = await savePayload(engine, ref, inputName(engine), json);
  return newRow(engine, kind, job, { ref, input, gates });
}

/** The row of a job whose input is saved already. */
export function newRow(
  engine: Pick<Engine, 'clock' | 'settings'>,
  kind: AnyKind,
  job: NewJob,
  { ref, input, gates }: { readonly ref: JobRef; readonly input: PayloadRef; readonly gates: Partial<JobRow> },
): PreparedJob {
  const now = engine.clock.now();
  const fixed = { ...ref, kind: kind.kind, version: now, attempts: 0, crashes: 0, cursorNo: 0, createdAt: now, v: 1 };
  const { correlationId } = job;
  const row = { ...fixed, correlationId, input, ...ofKind(engine, kind, job, now), ...ofRequest(job), ...gates };
  const params = {
    epoch: now as number as Epoch,
    nowSeconds: toEpochSeconds(now),
    dueAt: dueWhenQueued(engine.settings, now, job.notBefore),
  };
  return { row: row as NewJobRow, params };
}

function ofKind(
  { settings }: Pick<Engine, 'settings'>,
  kind: AnyKind,
  { lane, notBefore }: NewJob,
  now: EpochMs,
): Partial<JobRow> {
  return {
    lane: lane ?? kind.lane ?? 'default',
    maxRetries: (kind.attempts ?? settings.attemptBudget) - 1,
    maxRevivals: (kind.crashes ?? settings.crashBudget) - 1,
    ...(kind.deadline !== undefined && { deadline: later(latest(now, notBefore ?? now), kind.deadline) }),
    ...(kind.internal === true && { internal: true }),
    ...(kind.type === 'pipeline' && { pipelineVersion: kind.version }),
  };
}

/** What the row keeps of the request as it is; a row has no attribute without a value. */
function ofRequest({ notBefore, startBy, parentId, dedupKey, requestHash, traceparent }: NewJob): Partial<JobRow> {
  const kept = { notBefore, startBy, parentId, dedupKey, requestHash, traceparent };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

/** The input as JSON text, as it was given: the kind's schema is applied again when the job runs. */
export function validInput(kind: AnyKind, input: unknown): string {
  const parsed = kind.input.safeParse(input, { error: plainly });
  if (!parsed.success) {
    const errors = fieldErrorsOf(parsed.error, ['input']);
    throw new Fault('VALIDATION_FAILED', `The input does not fit the kind "${kind.kind}".`, { errors });
  }
  return toJson(input) ?? 'null';
}
