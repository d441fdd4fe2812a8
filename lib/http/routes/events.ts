import * as z from 'zod';
import { WAIT_SECONDS } from '../limits.ts';
import { listReply } from '../list.ts';
import { defineWatchRoute } from '../route.ts';
import { listOf, pageQuery, queryInt } from '../schemas.ts';
import { eventSchema, eventView, readEvents, streamEvents } from '../stream-events.ts';
import { jobParams, rowOf } from './jobs.ts';

export const listEvents = defineWatchRoute({
  method: 'GET',
  path: '/v1/jobs/{id}/events',
  operationId: 'listJobEvents',
  summary: 'List what has happened to a job so far, oldest first',
  description: `With \`Accept: text/event-stream\`, server-sent events: an answer comes as soon as there is an event after \`Last-Event-ID\` (its version), at most after ${WAIT_SECONDS} s, and then ends; the client asks again after \`retry\` ms. 204 once the job has ended and all is told, at which an EventSource stops.`,
  access: 'jobs:read',
  servedBy: 'watch',
  request: {
    params: jobParams,
    query: z.strictObject({
      ...pageQuery,
      afterVersion: queryInt(0, Number.MAX_SAFE_INTEGER).optional(),
    }),
    headers: { 'Last-Event-ID': 'The version of the last event that was seen, for server-sent events.' },
  },
  answers: {
    200: {
      description: 'A page of events.',
      schema: listOf(eventSchema),
      instead: {
        'text/event-stream': z.string().meta({ description: 'Each `data` is a JobEvent, its `id` the version.' }),
      },
    },
    204: { description: 'Server-sent events: the job has ended, and every event was told.' },
  },
  handle: async (call) => {
    const { deps, caller, params, query, request } = call;
    const row = await rowOf(deps, caller, params.id);
    if (/\btext\/event-stream\b/i.test(request.headers.get('accept') ?? ''))
      return streamEvents(deps, row, { request, after: query.afterVersion });
    return listReply(call, {
      name: 'events',
      read: (page) => readEvents(deps, row, { ...page, afterVersion: query.afterVersion }),
      view: eventView,
    });
  },
});
