import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, JobId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import { changesSchema } from '../../ingest/manifest-schema.ts';
import { decided, type Decision, REVIEW_SIGNAL, type Review, reviewPlace, reviews } from '../../ingest/drift/review.ts';
import { sendSignal } from '../../job/waits/signal.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const reviewParams = datasetParams.extend({ jobId: idSchema<JobId>('job') });
const reviewSchema = z.lazy(() =>
  z
    .strictObject({
      jobId: idSchema<JobId>('job'),
      status: z.enum(['waiting', 'approved', 'rejected', 'timed out']),
      tables: z
        .array(
          z.strictObject({
            tableId: z.string(),
            name: z.string(),
            snapshotId: z.string(),
            breaking: z.array(z.string()).meta({ description: 'What a query on the snapshot before may not survive.' }),
            changes: changesSchema,
          }),
        )
        .meta({ description: 'The tables of the file that would break queries; all of its tables wait with them.' }),
      askedAt: isoTime,
      until: isoTime.meta({ description: 'When the ingest fails, if nobody decides.' }),
      decidedAt: isoTime.optional(),
      decidedBy: z.string().optional().meta({ description: 'The id of the API key.' }),
      reason: z.string().optional(),
    })
    .meta({ id: 'Review' }),
);

function reviewView(jobId: JobId, { status, tables, askedAt, until, decision, decidedAt }: Review) {
  return {
    jobId,
    status,
    tables: tables.map(({ table, tableName, snapshot, ...found }) => ({
      ...{ tableId: table, name: tableName, snapshotId: snapshot },
      ...found,
    })),
    askedAt: toIso(askedAt),
    until: toIso(until),
    ...(decidedAt !== undefined && { decidedAt: toIso(decidedAt) }),
    ...(decision?.by !== undefined && { decidedBy: decision.by }),
    ...(decision?.reason !== undefined && { reason: decision.reason }),
  };
}

interface Asked {
  readonly deps: HttpDeps;
  readonly caller: Caller;
  readonly params: { readonly id: DatasetId; readonly jobId: JobId };
}

async function reviewOf({ deps, caller, params: { id, jobId } }: Asked): Promise<Review> {
  const found = await reviews(deps.documents).get(reviewPlace(caller, id, jobId));
  if (!found) throw new Fault('NOT_FOUND', `No ingest ${jobId} of this dataset was put before anybody.`);
  return found.body;
}

/** The signal first: it is what counts, and what refuses a second decision. */
async function decide(call: Asked, decision: Decision) {
  const { deps, caller, params } = call;
  const { tenant, workspace, key } = caller;
  const review = await reviewOf(call);
  const told = { ...decision, by: key };
  await sendSignal(deps, { tenant, workspace, id: params.jobId }, REVIEW_SIGNAL, told);
  const place = reviewPlace(caller, params.id, params.jobId);
  const after = await reviews(deps.documents).change(place, (found) => decided(found, told, deps.clock.now()));
  return { status: 200, body: reviewView(params.jobId, after ?? review) } as const;
}

const listReviews = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/reviews',
  operationId: 'listReviews',
  summary: 'List the ingests that waited, or wait, for somebody to approve what changed',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: datasetParams, query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of reviews.', schema: listOf(reviewSchema) } },
  handle: async (call) => {
    const { tenant, workspace, id } = await datasetOf(call.deps.catalog, call.caller, call.params.id);
    return listReply(call, {
      name: 'reviews',
      read: (page) => reviews(call.deps.documents).list({ tenant, workspace, group: id }, page),
      view: ({ name, body }) => reviewView(name as unknown as JobId, body),
    });
  },
});

const getReview = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/reviews/{jobId}',
  operationId: 'getReview',
  summary: 'Get what an ingest would change',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: reviewParams },
  answers: { 200: { description: 'The review.', schema: reviewSchema } },
  handle: async (call) => ({ status: 200, body: reviewView(call.params.jobId, await reviewOf(call)) }),
});

const deciding = {
  method: 'POST',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: reviewParams,
    body: z.lazy(() => z.strictObject({ reason: z.string().min(1).max(500).optional() })),
    bodyOptional: true,
  },
  problems: ['CONFLICT'],
} as const;

const approveReview = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/reviews/{jobId}/approve',
  operationId: 'approveReview',
  summary: 'Let an ingest publish what it would change',
  description:
    'The first decision counts: another one is a conflict. The same as the signal `review` with `{"approved":true}`.',
  answers: { 200: { description: 'The review; the job goes on.', schema: reviewSchema } },
  handle: (call) => decide(call, { approved: true, ...call.body }),
});

const rejectReview = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/reviews/{jobId}/reject',
  operationId: 'rejectReview',
  summary: 'Refuse what an ingest would change',
  description: 'The job fails with DRIFT_REFUSED, and nothing of its file becomes visible.',
  answers: { 200: { description: 'The review; the job fails.', schema: reviewSchema } },
  handle: (call) => decide(call, { approved: false, ...call.body }),
});

export const reviewRoutes = [listReviews, getReview, approveReview, rejectReview];
