// What every submit answers: 202 and where to look, or 200 with the finished job where the caller waits. `submitReply` submits what a route
// makes of a request; a kind and input of the caller's own go by submit-asked.ts.
import { between, type EpochMs } from '../core/time.ts';
import { type JobRow, refOf } from '../job/row.ts';
import { isTerminal } from '../job/status.ts';
import { submitJob, type Submitted, type SubmitRequest } from '../job/submit/submit.ts';
import type { Caller } from './auth.ts';
import type { HttpDeps, JobParts } from './deps.ts';
import { isReplay } from './idempotency.ts';
import { jobSchema, wholeJobView } from './job-view.ts';
import { preferredWait, waitForEnd } from './prefer.ts';
import type { Answer, Ids, Reply } from './route.ts';

/** What submitting takes of the world. */
export type SubmitDeps = JobParts & Pick<HttpDeps, 'limits'>;

export interface SubmitCall<D extends SubmitDeps = HttpDeps> {
  readonly deps: D;
  readonly caller: Caller;
  readonly request: Request;
  readonly ids: Ids;
}

type Submission = Omit<SubmitRequest, 'scope' | 'correlationId' | 'traceparent'>;

const MAX_RETRY_AFTER = 60;

/** Seconds until a look is worth while. */
const retryAfter = (row: JobRow, now: EpochMs): number =>
  Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(between(now, row.notBefore ?? now) / 1000)));

/** Answers for a job that was just submitted, or found: waits if the caller asked for that. */
export async function jobReply(
  { deps, request }: SubmitCall<SubmitDeps>,
  submitted: JobRow,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const atMost = preferredWait(request.headers, deps.limits.wait);
  const row =
    atMost === undefined
      ? submitted
      : await waitForEnd(deps, submitted, { ref: refOf(submitted), atMost, signal: request.signal });
  const done = atMost !== undefined && isTerminal(row.status);
  const applied = atMost !== undefined && { 'preference-applied': `wait=${atMost / 1000}` };
  const again = !done && { 'retry-after': String(retryAfter(row, deps.clock.now())) };
  const headers = { location: `/v1/jobs/${row.id}`, ...applied, ...again, ...more };
  return { status: done ? 200 : 202, body: await wholeJobView(deps, row), headers };
}

/** The same, for what may be the job of an earlier request under the key. Throws Fault IDEMPOTENCY_KEY_REUSED where that one was another. */
export const jobReplyUnderKey = (call: SubmitCall<SubmitDeps>, submitted: Submitted, requestHash: string | undefined) =>
  jobReply(call, submitted.row, replayHeader(isReplay(submitted, requestHash)));

export const replayHeader = (replayed: boolean) => (replayed ? { 'idempotent-replayed': 'true' } : {});

/** `held` is told of the job that has the dedup key, where there is one. */
export async function submitReply(
  call: SubmitCall<SubmitDeps>,
  submission: Submission,
  held?: (holder: JobRow) => never,
): Promise<Reply> {
  const { caller, ids } = call;
  const submitted = await submitJob(call.deps, {
    scope: { tenant: caller.tenant, workspace: caller.workspace },
    ...submission,
    correlationId: ids.correlationId,
    ...(ids.traceparent !== undefined && { traceparent: ids.traceparent }),
  });
  if (submitted.duplicate === true) held?.(submitted.row);
  return jobReplyUnderKey(call, submitted, submission.requestHash);
}

export const preferHeader = { Prefer: '`wait=N` waits up to N seconds (20 at most) for the end of the job.' };

/** A header of what may be the job of an earlier request, for OpenAPI. */
export const replayAnswer = {
  'Idempotent-Replayed': '`true`: the job of an earlier request under the same Idempotency-Key.',
};

/** What every submit answers, for OpenAPI. */
export const submitAnswers = {
  200: {
    description: 'The finished job, in whatever terminal status: it ended within the wait asked for.',
    schema: jobSchema,
    headers: { Location: 'The job.', 'Preference-Applied': 'The wait that was applied.' },
  },
  202: {
    description: 'The job is queued; look at Location.',
    schema: jobSchema,
    headers: {
      Location: 'The job.',
      'Retry-After': 'Seconds until a look is worth while.',
      'Preference-Applied': 'The wait that was applied, if one was asked for.',
    },
  },
} satisfies Record<number, Answer>;
