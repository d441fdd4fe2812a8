import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobId } from '../../core/ids.ts';
import { cancelJob } from '../../job/run/cancel.ts';
import type { JobRow } from '../../job/row.ts';
import { isTerminal, jobStatuses } from '../../job/status.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { jobSchema, jobView, wholeJobView } from '../job-view.ts';
import { NAME_LENGTH } from '../../ingest/file-name.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOfJobs, pageQuery, queryInt, timeQuery, waitQuery } from '../schemas.ts';

export const jobParams = z.strictObject({ id: idSchema<JobId>('job') });

/** The caller's job; another tenant's is not found. */
export async function rowOf(
  { store }: Pick<HttpDeps, 'store'>,
  { tenant, workspace }: Caller,
  id: JobId,
): Promise<JobRow> {
  const row = await store.get({ tenant, workspace, id });
  if (!row || row.tombstone === true) throw new Fault('NOT_FOUND', `There is no job ${id} in this workspace.`);
  return row;
}

const getJob = defineRoute({
  method: 'GET',
  path: '/v1/jobs/{id}',
  operationId: 'getJob',
  summary: 'Get a job, with its result once it has one',
  access: 'jobs:read',
  servedBy: 'api',
  description: 'With `wait`, a redirect to where callers wait.',
  request: { params: jobParams, query: z.strictObject({ ...waitQuery, wait: waitQuery.wait.optional() }) },
  answers: {
    200: { description: 'The job.', schema: jobSchema },
    307: {
      description: 'Wait there.',
      headers: { Location: '`{id}/watch` with the same query, relative to this path.' },
    },
  },
  handle: async ({ deps, caller, params, query: { wait, after } }) => {
    const row = await rowOf(deps, caller, params.id);
    if (wait === undefined || isTerminal(row.status)) return { status: 200, body: await wholeJobView(deps, row) };
    const query = new URLSearchParams({ wait: String(wait), ...(after !== undefined && { after: String(after) }) });
    // Relative to the path that was asked, wherever the API is mounted.
    return { status: 307, body: undefined, headers: { location: `${row.id}/watch?${query.toString()}` } };
  },
});

const listJobs = defineRoute({
  method: 'GET',
  path: '/v1/jobs',
  operationId: 'listJobs',
  summary: 'List jobs, newest first, without their results',
  description: 'Filters read within a budget: a page may be short or empty and still have a cursor.',
  access: 'jobs:read',
  servedBy: 'api',
  request: {
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(jobStatuses).optional(),
      kind: z.string().min(1).max(100).optional(),
      flow: z.string().min(1).max(NAME_LENGTH).optional(),
      parentId: idSchema<JobId>('job').optional(),
      attemptsGte: queryInt(0, 1000).optional().meta({ description: 'At least so many failed attempts.' }),
      since: timeQuery.optional().meta({ description: 'Created then or later; UTC, ISO 8601.' }),
      until: timeQuery.optional().meta({ description: 'Created before then.' }),
    }),
  },
  answers: { 200: { description: 'A page of jobs.', schema: listOfJobs(jobSchema) } },
  handle: async (call) => {
    const { deps, caller } = call;
    const { limit, cursor, ...filter } = call.query;
    const scope = { tenant: caller.tenant, workspace: caller.workspace };
    const now = deps.clock.now();
    return listReply(call, {
      name: 'jobs',
      read: (page) => deps.store.list(scope, filter, page),
      view: (row) => jobView(row, now),
    });
  },
});

const cancelRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs/{id}/cancel',
  operationId: 'cancelJob',
  summary: 'Cancel a job',
  description:
    'One that waits is cancelled at once; one that runs is told at its next heartbeat; one that has ended stays.',
  access: 'jobs:write',
  servedBy: 'api',
  request: {
    params: jobParams,
    body: z.lazy(() => z.strictObject({ reason: z.string().trim().min(1).max(500).optional() })),
    bodyOptional: true,
  },
  answers: { 200: { description: 'The job, as the cancel left it.', schema: jobSchema } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params, body }) => {
    const { tenant, workspace, id } = await rowOf(deps, caller, params.id);
    const row = await cancelJob(deps, { tenant, workspace, id }, body.reason ?? 'asked for over the API');
    return { status: 200, body: await wholeJobView(deps, row) };
  },
});

export const jobRoutes = [getJob, listJobs, cancelRoute];
