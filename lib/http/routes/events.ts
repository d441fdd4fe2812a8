import * as z from 'zod';
import { toIso } from '../../core/time.ts';
import type { JobEvent } from '../../job/ports.ts';
import { progressSchema } from '../../job/row.ts';
import { jobStatuses } from '../../job/status.ts';
import { errorSchema, errorView } from '../job-view.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { isoTime, listOf, pageQuery, queryInt } from '../schemas.ts';
import { jobParams, rowOf } from './jobs.ts';

const eventSchema = z
  .strictObject({
    version: z.int().meta({ description: 'Rises by 1 with each event of a job; the first is the job’s start in ms.' }),
    rule: z.string().meta({ description: 'What happened, by the rule that was applied, e.g. `claim` or `succeed`.' }),
    status: z.enum(jobStatuses),
    epoch: z.int().meta({ description: 'Raised by each claim.' }),
    at: isoTime.meta({ description: 'When the rule was applied, by the clock of whoever applied it.' }),
    reason: z.string().optional().meta({ description: 'What it was parked on, or why it was told to stop.' }),
    notBefore: isoTime.optional().meta({ description: 'When it goes on at the earliest.' }),
    lapsedAt: isoTime.optional().meta({ description: 'When the lease had ended that this took away.' }),
    stage: z.string().optional(),
    progress: progressSchema.optional(),
    error: errorSchema.optional(),
  })
  .meta({ id: 'JobEvent' });

const eventView = ({ version, rule, status, epoch, at, ...more }: JobEvent): z.input<typeof eventSchema> => ({
  ...{ version, rule, status, epoch, at: toIso(more.appliedAt ?? at) },
  ...(more.reason !== undefined && { reason: more.reason }),
  ...(more.notBefore !== undefined && { notBefore: toIso(more.notBefore) }),
  ...(more.lapsedAt !== undefined && { lapsedAt: toIso(more.lapsedAt) }),
  ...(more.stage !== undefined && { stage: more.stage }),
  ...(more.progress && { progress: more.progress }),
  ...(more.error && { error: errorView(more.error) }),
});

export const listEvents = defineRoute({
  method: 'GET',
  path: '/v1/jobs/{id}/events',
  operationId: 'listJobEvents',
  summary: 'List what has happened to a job so far, oldest first',
  access: 'jobs:read',
  servedBy: 'api',
  request: {
    params: jobParams,
    query: z.strictObject({
      ...pageQuery,
      afterVersion: queryInt(0, Number.MAX_SAFE_INTEGER).optional(),
    }),
  },
  answers: { 200: { description: 'A page of events.', schema: listOf(eventSchema) } },
  handle: async (call) => {
    const { deps, caller, params, query } = call;
    const row = await rowOf(deps, caller, params.id);
    return listReply(call, {
      name: 'events',
      read: (page) => deps.store.events(row, { ...page, afterVersion: query.afterVersion }),
      view: eventView,
    });
  },
});
