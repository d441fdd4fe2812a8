// The job that follows a success, made once: the settle keeps its id as `owes`, and stays due; what it will be is saved before. The relay
// makes it, else the sweep, and either then clears the debt. Its id holds the run that settled, so that no other run's is made.
import { Fault } from '../../core/fault.ts';
import { derivedId, type Epoch, type JobId } from '../../core/ids.ts';
import { type DurationMs, later, toEpochSeconds } from '../../core/time.ts';
import { besideExpiry } from '../beside-life.ts';
import type { Engine } from '../engine.ts';
import { prepareJob } from '../submit/new-row.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, jobRowSchema, type Lane, refOf } from '../row.ts';
import { dueWhenQueued } from '../timing.ts';
import type { UnparkEngine } from './unpark.ts';
import { untilAnswered, writeRule, writeSubmit } from '../write.ts';

/** A job to be submitted once this one has succeeded. */
export interface FollowUp {
  readonly kind: string;
  readonly input: unknown;
  readonly lane?: Lane | undefined;
  /** Not before so long after the success. */
  readonly delay?: DurationMs | undefined;
}

const tag = Symbol('millrace.followed');

/** A result, and the job that follows it. */
export interface Followed<Result> {
  readonly [tag]: { readonly result: Result; readonly next: FollowUp };
}

/**
 * Returned by a handler, or by the last stage of a pipeline: the job succeeds with `result`, and `next` is submitted once it has, exactly
 * once, with this job as its parent.
 */
export const thenSubmit = <Result>(result: Result, next: FollowUp): Followed<Result> => ({ [tag]: { result, next } });

/** What a handler returned, apart. */
export const followedOf = (returned: unknown): { readonly result: unknown; readonly next?: FollowUp } =>
  typeof returned === 'object' && returned !== null && tag in returned
    ? (returned as Followed<unknown>)[tag]
    : { result: returned };

const owedName = (id: string): string => `owed-${id}`;

/**
 * Saves what follows the success of this run, and answers what the settle owes. Throws Fault UNKNOWN_KIND, VALIDATION_FAILED or
 * LIMIT_EXCEEDED, and StoreUnavailable.
 */
export async function prepareOwed(engine: Engine, row: JobRow, next: FollowUp): Promise<string> {
  const { tenant, workspace, correlationId, traceparent } = row;
  const kind = engine.registry.find(next.kind);
  if (kind === undefined) throw new Fault('UNKNOWN_KIND', `Known kinds: ${engine.registry.names().join(', ')}.`);
  const id: JobId = derivedId('job', 'owed', tenant, workspace, row.id, String(row.epoch));
  const now = engine.clock.now();
  const notBefore = next.delay === undefined || next.delay <= 0 ? undefined : later(now, next.delay);
  const asked = { input: next.input, lane: next.lane, notBefore, parentId: row.id, correlationId, traceparent };
  await untilAnswered(engine, engine.settings.lease, async () => {
    const prepared = await prepareJob(engine, kind, { scope: { tenant, workspace }, id, ...asked });
    await engine.store.putPayload(refOf(row), owedName(id), JSON.stringify(prepared.row), besideExpiry(now));
  });
  return id;
}

const owedSchema = jobRowSchema.omit({
  status: true,
  rule: true,
  writeId: true,
  submitId: true,
  epoch: true,
  dueAt: true,
});

/**
 * Makes the job that a finished one owes, and clears the debt; false where that has been done, or the row has moved on. Throws Fault
 * INPUT_UNREADABLE when nobody knows what is owed (it stays due), and StoreUnavailable.
 */
export async function payOwed(engine: UnparkEngine, row: JobRow): Promise<boolean> {
  if (row.owes === undefined) return false;
  const saved = await engine.store.getPayload(refOf(row), owedName(row.owes));
  if (saved === undefined) throw new Fault('INPUT_UNREADABLE', `What ${row.id} owes as ${row.owes} was not saved.`);
  const now = engine.clock.now();
  const owed = { ...owedSchema.parse(JSON.parse(saved)), createdAt: now, version: now };
  const made = await writeSubmit(engine, owed, {
    epoch: now as number as Epoch,
    nowSeconds: toEpochSeconds(now),
    dueAt: dueWhenQueued(engine.settings, now, owed.notBefore),
  });
  if (made.kind === 'applied') await ringFor(engine, made.row, now);
  const paid = await writeRule(engine, refOf(row), 'pay', { version: row.version });
  return paid.kind === 'applied';
}
