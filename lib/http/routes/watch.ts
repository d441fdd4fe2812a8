// The routes whose callers wait: a function of their own serves them, so that who waits never takes the place of who asks.
import * as z from 'zod';
import { seconds } from '../../core/time.ts';
import { type JobRow, refOf } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import { jobSchema, wholeJobView } from '../job-view.ts';
import { WAIT_SECONDS } from '../limits.ts';
import { defineWatchRoute } from '../route.ts';
import { waitQuery } from '../schemas.ts';
import { BUSY_SECONDS, lookUntil, waitInPlace } from '../watch.ts';
import { jobParams, rowOf } from './jobs.ts';

const sameProgress = (a: JobRow, b: JobRow): boolean => JSON.stringify(a.progress) === JSON.stringify(b.progress);

export const watchJob = defineWatchRoute({
  method: 'GET',
  path: '/v1/jobs/{id}/watch',
  operationId: 'watchJob',
  summary: 'Get a job as soon as it has ended, or changed',
  description: `Waits up to \`wait\` seconds for the end of the job, or, with \`after\`, for a change of it or of its progress, and answers with the job as it is then. Nothing says whether the wait was over: look at the job. Where too many wait at once it answers immediately, with Retry-After: ${BUSY_SECONDS}.`,
  access: 'jobs:read',
  servedBy: 'watch',
  request: { params: jobParams, query: z.strictObject({ ...waitQuery, wait: waitQuery.wait.default(WAIT_SECONDS) }) },
  answers: {
    200: {
      description: 'The job.',
      schema: jobSchema,
      headers: { 'Retry-After': 'Seconds to stay away, where too many wait.' },
    },
  },
  handle: async ({ deps, caller, params, query: { wait, after }, request }) => {
    const first = await rowOf(deps, caller, params.id);
    const isNews = (row: JobRow) =>
      isTerminal(row.status) || (after !== undefined && (row.version > after || !sameProgress(first, row)));
    if (isNews(first)) return { status: 200, body: await wholeJobView(deps, first) };
    let seen = first;
    const look = async () => {
      seen = await rowOf(deps, caller, params.id);
      return isNews(seen) ? seen : undefined;
    };
    const waited = await waitInPlace(deps, () =>
      lookUntil(deps, { ref: refOf(first), atMost: seconds(wait), signal: request.signal }, look),
    );
    const headers = waited === 'busy' ? { 'retry-after': String(BUSY_SECONDS) } : {};
    return { status: 200, body: await wholeJobView(deps, seen), headers };
  },
});
