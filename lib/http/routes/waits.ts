// What a waiting job is told, and where a pipeline's run is held.
import * as z from 'zod';
import { SIGNAL_NAME, sendSignal } from '../../job/waits/signal.ts';
import { refOf } from '../../job/row.ts';
import { holdRun, resumeRun, stepRun } from '../../pipeline/hold.ts';
import { jobSchema, wholeJobView } from '../job-view.ts';
import { defineRoute } from '../route.ts';
import { jobParams, rowOf } from './jobs.ts';

const shared = { method: 'POST', access: 'jobs:write', servedBy: 'api' } as const;

const signalRoute = defineRoute({
  ...shared,
  path: '/v1/jobs/{id}/signal',
  operationId: 'signalJob',
  summary: 'Tell a job what it waits for',
  description:
    'The first payload under a name counts: the same again changes nothing, another is a conflict, as is a signal for a job that has ended or that waits for it no longer. It may be sent before the job waits.',
  request: {
    params: jobParams,
    body: z.lazy(() =>
      z.strictObject({
        name: z
          .string()
          .regex(SIGNAL_NAME, 'It is 1 to 100 letters, digits and . _ : / -, and starts with a letter or digit.'),
        payload: z.unknown().optional().meta({ description: 'Any JSON value; null where left out.' }),
      }),
    ),
  },
  answers: { 200: { description: 'The job: queued, if it waited for this.', schema: jobSchema } },
  problems: ['CONFLICT', 'LIMIT_EXCEEDED'],
  handle: async ({ deps, caller, params, body }) => {
    const row = await rowOf(deps, caller, params.id);
    const told = await sendSignal(deps, refOf(row), body.name, body.payload ?? null);
    return { status: 200, body: await wholeJobView(deps, told) };
  },
});

const pauseRoute = defineRoute({
  ...shared,
  path: '/v1/jobs/{id}/pause',
  operationId: 'pauseJob',
  summary: 'Park the run of a pipeline before its next stage, or before a stage that is named',
  description: 'A stage under way is finished and committed first. A job that is no pipeline is paused by its flow.',
  request: {
    params: jobParams,
    body: z.lazy(() =>
      z.strictObject({
        before: z.string().min(1).max(100).optional().meta({ description: 'A stage that is not committed yet.' }),
      }),
    ),
    bodyOptional: true,
  },
  answers: { 200: { description: 'The job, which parks when it comes to that stage.', schema: jobSchema } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params, body }) => {
    const row = await rowOf(deps, caller, params.id);
    return { status: 200, body: await wholeJobView(deps, await holdRun(deps, refOf(row), body.before)) };
  },
});

const going = { request: { params: jobParams }, problems: ['CONFLICT'] } as const;

const resumeRoute = defineRoute({
  ...shared,
  ...going,
  path: '/v1/jobs/{id}/resume',
  operationId: 'resumeJob',
  summary: 'Let the run of a pipeline go on',
  answers: { 200: { description: 'The job: queued, if it was parked before a stage.', schema: jobSchema } },
  handle: async ({ deps, caller, params }) => {
    const row = await resumeRun(deps, refOf(await rowOf(deps, caller, params.id)));
    return { status: 200, body: await wholeJobView(deps, row) };
  },
});

const stepRoute = defineRoute({
  ...shared,
  ...going,
  path: '/v1/jobs/{id}/step',
  operationId: 'stepJob',
  summary: 'Run one stage of a pipeline that is parked before it',
  answers: { 200: { description: 'The job, which parks again before the stage after that.', schema: jobSchema } },
  handle: async ({ deps, caller, params }) => {
    const row = await stepRun(deps, refOf(await rowOf(deps, caller, params.id)));
    return { status: 200, body: await wholeJobView(deps, row) };
  },
});

export const waitRoutes = [signalRoute, pauseRoute, resumeRoute, stepRoute];
