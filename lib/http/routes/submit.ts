import * as z from 'zod';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { keyHeader, keyOf } from '../idempotency.ts';
import { batchItem, jobRequest } from '../job-request.ts';
import { jobSchema, jobView } from '../job-view.ts';
import { problemBody, problemSchema } from '../problem.ts';
import { defineRoute, type Ids } from '../route.ts';
import { Fault } from '../../core/fault.ts';
import { submitJobs } from '../../job/submit/submit-many.ts';
import { submitJob, writeRequest } from '../../job/submit/submit.ts';
import { type Asked, submitAsked } from '../submit-asked.ts';
import { jobReply, preferHeader, replayAnswer, replayHeader, submitAnswers } from '../submit.ts';
import { validated } from '../validate.ts';

const repeats = {
  ...replayAnswer,
  Deduplicated: '`true`: another job, which has the dedupKey and has not ended.',
};
const withRepeats = {
  200: { ...submitAnswers[200], headers: { ...submitAnswers[200].headers, ...repeats } },
  202: { ...submitAnswers[202], headers: { ...submitAnswers[202].headers, ...repeats } },
};

const submitRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs',
  operationId: 'submitJob',
  summary: 'Submit a job of a registered kind',
  access: 'jobs:write',
  servedBy: 'api',
  request: { headers: { ...keyHeader, ...preferHeader }, body: jobRequest },
  answers: withRepeats,
  problems: ['UNKNOWN_KIND', 'IDEMPOTENCY_KEY_REUSED', 'DEDUP_KEY_HELD', 'FLOW_DISABLED', 'LIMIT_EXCEEDED'],
  handle: async (call) => {
    const key = keyOf(call.request);
    const { row, replayed, duplicate } = await submitAsked(call, call.body, key === undefined ? key : [key], submitJob);
    return jobReply(call, row, {
      ...replayHeader(replayed),
      ...(duplicate === true && { deduplicated: 'true' }),
    });
  },
});

const MOST_ITEMS = 100;

const batchResult = z.lazy(() =>
  z
    .union([
      z.strictObject({
        status: z.enum(['created', 'replayed', 'duplicate']).meta({
          description:
            '`replayed`: of an earlier request under its key. `duplicate`: another job, which has the dedupKey.',
        }),
        job: jobSchema,
      }),
      z.strictObject({ status: z.literal('refused'), problem: problemSchema }),
    ])
    .meta({ id: 'BatchResult' }),
);

const batchRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs/batch',
  operationId: 'submitJobs',
  summary: 'Submit up to 100 jobs, each by itself',
  description:
    'The answer is 200 whatever becomes of the items: each has a result in its place, and one that is refused keeps no other back. ' +
    'Under an Idempotency-Key, an item without a key of its own gets one from its place in the batch.',
  access: 'jobs:write',
  servedBy: 'api',
  request: {
    headers: keyHeader,
    body: z.lazy(() =>
      z.strictObject({
        jobs: z
          .array(z.union([batchItem, z.unknown()]))
          .min(1)
          .max(MOST_ITEMS)
          .meta({ description: 'An item that does not fit its schema is refused by itself.' }),
      }),
    ),
  },
  answers: {
    200: {
      description: 'What became of each item, in their order.',
      schema: z.lazy(() => z.strictObject({ accepted: z.int(), refused: z.int(), results: z.array(batchResult) })),
    },
  },
  handle: async ({ deps, caller, body, request, ids }) => {
    const key = keyOf(request);
    const writes = body.jobs.map((item, at) => () => writeItem({ deps, caller, ids, key }, item, at));
    const settled = await submitJobs(deps, writes);
    const path = new URL(request.url).pathname;
    const results = settled.map((each, at) => resultOf(each, at, { deps, ids, path }));
    const refused = results.filter(({ status }) => status === 'refused').length;
    return { status: 200, body: { accepted: results.length - refused, refused, results } };
  },
});

interface Batch {
  readonly deps: HttpDeps;
  readonly caller: Caller;
  readonly ids: Ids;
  readonly key: string | undefined;
}

async function writeItem(batch: Batch, item: unknown, at: number): Promise<Asked> {
  const { idempotencyKey: own, ...asked } = validated(batchItem, item, '');
  const ofBatch = batch.key === undefined ? undefined : ['batch', batch.key, String(at)];
  return submitAsked(batch, asked, own === undefined ? ofBatch : [own], writeRequest);
}

type Result = z.input<typeof batchResult>;

function resultOf(
  settled: PromiseSettledResult<Asked>,
  at: number,
  { deps, ids, path }: { readonly deps: HttpDeps; readonly ids: Ids; readonly path: string },
): Result {
  if (settled.status === 'rejected')
    return { status: 'refused', problem: problemBody(inItem(settled.reason, at), { ids, path, log: deps.log }) };
  const { row, duplicate, replayed } = settled.value;
  const status = duplicate === true ? 'duplicate' : replayed ? 'replayed' : 'created';
  return { status, job: jobView(row, deps.clock.now()) };
}

/** Pointers of an item's fields lead into the batch. */
function inItem(thrown: unknown, at: number): unknown {
  if (!(thrown instanceof Fault)) return thrown;
  const errors = thrown.errors.map(({ pointer, detail }) => ({
    pointer: pointer.replace(/^#/, `#/jobs/${at}`),
    detail,
  }));
  return new Fault(thrown.code, thrown.detail, { errors, extra: thrown.extra, cause: thrown.cause });
}

export const submitRoutes = [submitRoute, batchRoute];
