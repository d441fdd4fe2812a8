// The jobs of the deletion of a workspace, for whoever submits them. They run under the system's tenant, so that what removes a workspace is not
// removed with it, and name in their input where they work.
import * as z from 'zod';
import { derivedId, type JobId, type Scope, type TenantId, type WorkspaceId } from '../../../core/ids.ts';
import { type DurationMs, type EpochMs, later } from '../../../core/time.ts';
import { submitJob, type SubmitEngine, type Submitted } from '../../../job/submit/submit.ts';
import { systemScope } from '../../../job/system-scope.ts';
import type { Deletion } from '../ports.ts';

export const STOP_KIND = 'system.stop-jobs';
export const PURGE_WORKSPACE_KIND = 'system.purge-workspace';
export const MEASURE_KIND = 'system.measure-workspace';

const time = z.custom<EpochMs>((value) => Number.isSafeInteger(value));
const place = {
  tenant: z.custom<TenantId>((value) => typeof value === 'string'),
  workspace: z.custom<WorkspaceId>((value) => typeof value === 'string'),
};
export const stopInput = z.lazy(() => z.strictObject({ ...place, at: time }));
export const measureInput = z.lazy(() => z.strictObject(place));
/** `look`: the how many-th, after the purge itself, at whether anything came late. */
export const purgeInput = z.lazy(() => z.strictObject({ ...place, at: time, look: z.int().min(0).optional() }));

const jobOf = (kind: string, { tenant, workspace }: Scope, ...more: readonly string[]): JobId =>
  derivedId('job', kind, tenant, workspace, ...more);

/** Submits the purge for the time at which it cannot be restored any more. Once, however often it is said. */
export async function purgeAfter(
  engine: SubmitEngine,
  { tenant, workspace }: Scope,
  { at, until }: Deletion,
  correlationId: string,
): Promise<void> {
  const id = jobOf(PURGE_WORKSPACE_KIND, { tenant, workspace }, String(at));
  const job = { scope: systemScope, kind: PURGE_WORKSPACE_KIND, id, correlationId };
  await submitJob(engine, { ...job, input: { tenant, workspace, at }, notBefore: until });
}

/** The jobs of a workspace that was deleted at `at` are told to stop, now or after a while. Once for each of both. */
export async function stopJobsAt(
  engine: SubmitEngine,
  { tenant, workspace }: Scope,
  at: EpochMs,
  { correlationId, delay }: { readonly correlationId: string; readonly delay?: DurationMs },
): Promise<void> {
  const id = jobOf(STOP_KIND, { tenant, workspace }, String(at), delay === undefined ? 'now' : 'later');
  const when = delay === undefined ? {} : { notBefore: later(at, delay) };
  const job = { scope: systemScope, kind: STOP_KIND, id, correlationId };
  await submitJob(engine, { ...job, input: { tenant, workspace, at }, ...when });
}

/** A purge of what was deleted at `at`, now. */
export const purgeNow = (
  engine: SubmitEngine,
  { tenant, workspace }: Scope,
  at: EpochMs,
  correlationId: string,
): Promise<Submitted> =>
  submitJob(engine, {
    scope: systemScope,
    kind: PURGE_WORKSPACE_KIND,
    input: { tenant, workspace, at },
    correlationId,
  });

export const measureNow = (engine: SubmitEngine, { tenant, workspace }: Scope, correlationId: string) =>
  submitJob(engine, { scope: systemScope, kind: MEASURE_KIND, input: { tenant, workspace }, correlationId });
