// Row first: submitting writes one row and then rings. Where the queue is down, the submit still succeeds; the sweep rings later.
import { must } from '../core/check.ts';
import { Fault, type FieldError } from '../core/fault.ts';
import { type Epoch, type JobId, type JobRef, newId, type Scope } from '../core/ids.ts';
import { type EpochMs, later, latest, toEpochSeconds } from '../core/time.ts';
import type { Engine } from './engine.ts';
import { savePayload, toJson } from './payload.ts';
import type { NewJobRow } from './ports.ts';
import type { AnyKind } from './registry.ts';
import { ringFor } from './ring.ts';
import type { JobRow, Lane, PayloadRef } from './row.ts';
import { dueWhenQueued } from './timing.ts';
import { writeSubmit } from './write.ts';

type SubmitEngine = Pick<Engine, 'store' | 'ringer' | 'objects' | 'registry' | 'clock' | 'chance' | 'settings' | 'log'>;

export interface SubmitRequest {
  readonly scope: Scope;
  readonly kind: string;
  readonly input: unknown;
  /** A derived id makes the submit idempotent; a fresh one is made otherwise. */
  readonly id?: JobId | undefined;
  readonly notBefore?: EpochMs | undefined;
  /** The job is dropped when it was not started by then. */
  readonly startBy?: EpochMs | undefined;
  readonly lane?: Lane | undefined;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
}

export interface Submitted {
  readonly row: JobRow;
  /** False when the id was taken: `row` is then the job that has it, with whatever input it was submitted. */
  readonly created: boolean;
}

/** Throws Fault UNKNOWN_KIND, VALIDATION_FAILED (pointers below `#/input`) or LIMIT_EXCEEDED, and StoreUnavailable. */
export async function submitJob(engine: SubmitEngine, request: SubmitRequest): Promise<Submitted> {
  const kind = knownKind(engine, request.kind);
  const json = validInput(kind, request.input);
  const now = engine.clock.now();
  const ref: JobRef = { ...request.scope, id: request.id ?? newId('job', now, engine.chance) };
  const input = await savePayload(engine, ref, 'input', json);
  const written = await writeSubmit(engine, newRow(engine, kind, request, { ref, input, now }), {
    epoch: now as number as Epoch,
    nowSeconds: toEpochSeconds(now),
    dueAt: dueWhenQueued(engine.settings, now, request.notBefore),
  });
  if (written.kind === 'refused') return { row: must(written.found, 'the row that refused'), created: false };
  await ringFor(engine, written.row, now);
  return { row: written.row, created: true };
}

function knownKind({ registry }: SubmitEngine, name: string): AnyKind {
  const kind = registry.find(name);
  if (kind === undefined) throw new Fault('UNKNOWN_KIND', `Known kinds: ${registry.names().join(', ')}.`);
  return kind;
}

/** The input as JSON text, as it was given: the kind's schema is applied again when the job runs. */
function validInput(kind: AnyKind, input: unknown): string {
  const parsed = kind.input.safeParse(input);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(
      (issue): FieldError => ({
        pointer: ['#/input', ...issue.path.map((part) => escapePointer(String(part)))].join('/'),
        detail: issue.message,
      }),
    );
    throw new Fault('VALIDATION_FAILED', `The input does not fit the kind "${kind.kind}".`, { errors });
  }
  return toJson(input) ?? 'null';
}

/** RFC 6901, section 3. */
const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

function newRow(
  { settings }: SubmitEngine,
  kind: AnyKind,
  request: SubmitRequest,
  { ref, input, now }: { ref: JobRef; input: PayloadRef; now: EpochMs },
): NewJobRow {
  return {
    ...ref,
    kind: kind.kind,
    lane: request.lane ?? kind.lane ?? 'default',
    version: now,
    attempts: 0,
    crashes: 0,
    maxRetries: (kind.attempts ?? settings.attemptBudget) - 1,
    maxRevivals: (kind.crashes ?? settings.crashBudget) - 1,
    cursorNo: 0,
    input,
    correlationId: request.correlationId,
    createdAt: now,
    v: 1,
    ...(request.notBefore === undefined ? {} : { notBefore: request.notBefore }),
    ...(kind.deadline === undefined ? {} : { deadline: later(latest(now, request.notBefore ?? now), kind.deadline) }),
    ...(request.startBy === undefined ? {} : { startBy: request.startBy }),
    ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    ...(kind.type === 'pipeline' ? { pipelineVersion: kind.version } : {}),
  };
}
