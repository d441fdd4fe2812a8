import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import {
  getSchedule,
  pauseSchedule,
  type Precondition,
  putSchedule,
  removeSchedule,
  resumeSchedule,
  runSchedule,
} from '../../job/schedule/manage.ts';
import { listSchedules, type Schedule, scheduleRef } from '../../job/schedule/schedule.ts';
import { nextTimes } from '../../job/schedule/times.ts';
import { etagOf, versionIn } from '../etag.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { listReply } from '../list.ts';
import { defineRoute, type Reply } from '../route.ts';
import { definitionOf, scheduleId, scheduleRequest } from '../schedule-request.ts';
import { scheduleSchema, scheduleView } from '../schedule-view.ts';
import { isoTime, listOf, pageQuery, queryInt } from '../schemas.ts';
import { jobReplyUnderKey, preferHeader, submitAnswers } from '../submit.ts';

const params = z.strictObject({ id: scheduleId });
const etag = { ETag: 'Names what the schedule does and its state; runs leave it alone.' };
const conditions = {
  'If-Match': 'The ETag that was read: refused where somebody has changed the schedule since.',
  'If-None-Match': '`*`: refused where there is a schedule of that name.',
};

function preconditionOf({ headers }: Request): Precondition {
  const match = headers.get('if-match');
  const absent = headers.get('if-none-match')?.trim() === '*';
  if (match === null || match.trim() === '*') return { absent };
  const edition = versionIn(match);
  if (edition === undefined) throw new Fault('PRECONDITION_FAILED', 'If-Match is no ETag of a schedule.');
  return { absent, edition };
}

const replyWith = (schedule: Schedule, status: 200 | 201 = 200): Reply => ({
  status,
  body: scheduleView(schedule),
  headers: { ...etagOf(schedule.edition), ...(status === 201 && { location: `/v1/schedules/${schedule.ref.name}` }) },
});

const putRoute = defineRoute({
  method: 'PUT',
  path: '/v1/schedules/{id}',
  operationId: 'putSchedule',
  summary: 'Create a schedule, or replace what it does',
  description: 'A schedule that is paused stays so. The times of an interval that stays the same do not move.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { params, headers: conditions, body: scheduleRequest },
  answers: {
    200: { description: 'The schedule, replaced.', schema: scheduleSchema, headers: etag },
    201: {
      description: 'The schedule, created.',
      schema: scheduleSchema,
      headers: { ...etag, Location: 'The schedule.' },
    },
  },
  problems: ['UNKNOWN_KIND', 'LIMIT_EXCEEDED', 'PRECONDITION_FAILED', 'CONFLICT'],
  handle: async ({ deps, caller, params: { id }, body, request }) => {
    const precondition = preconditionOf(request);
    const definition = definitionOf(deps, caller, body);
    const { schedule, created } = await putSchedule(deps, scheduleRef(caller, id), definition, precondition);
    return replyWith(schedule, created ? 201 : 200);
  },
});

const getRoute = defineRoute({
  method: 'GET',
  path: '/v1/schedules/{id}',
  operationId: 'getSchedule',
  summary: 'Get a schedule, with its next time and its last runs',
  access: 'jobs:read',
  servedBy: 'api',
  request: { params },
  answers: { 200: { description: 'The schedule.', schema: scheduleSchema, headers: etag } },
  handle: async ({ deps, caller, params: { id } }) => replyWith(await getSchedule(deps, scheduleRef(caller, id))),
});

const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/schedules',
  operationId: 'listSchedules',
  summary: 'List schedules, by name',
  access: 'jobs:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of schedules.', schema: listOf(scheduleSchema) } },
  handle: (call) =>
    listReply(call, {
      name: 'schedules',
      read: (page) => listSchedules(call.deps, call.caller, page),
      view: scheduleView,
    }),
});

const nextRoute = defineRoute({
  method: 'GET',
  path: '/v1/schedules/{id}/next',
  operationId: 'nextTimes',
  summary: 'The next times of a schedule',
  description: 'Of a paused schedule: the times that it would have.',
  access: 'jobs:read',
  servedBy: 'api',
  request: { params, query: z.strictObject({ count: queryInt(1, 100).optional() }) },
  answers: {
    200: { description: 'The times, the soonest first.', schema: z.strictObject({ times: z.array(isoTime) }) },
  },
  handle: async ({ deps, caller, params: { id }, query }) => {
    const { definition } = await getSchedule(deps, scheduleRef(caller, id));
    const times = nextTimes(definition.timing, deps.clock.now(), query.count ?? 5);
    return { status: 200, body: { times: times.map(toIso) } };
  },
});

const deleteRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/schedules/{id}',
  operationId: 'deleteSchedule',
  summary: 'Delete a schedule',
  description: 'Its runs go on.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { params, headers: { 'If-Match': conditions['If-Match'] } },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['PRECONDITION_FAILED', 'CONFLICT'],
  handle: async ({ deps, caller, params: { id }, request }) => {
    await removeSchedule(deps, scheduleRef(caller, id), preconditionOf(request));
    return { status: 204, body: undefined };
  },
});

const verbs = [
  ['pause', pauseSchedule, 'Pause a schedule', 'No run starts by the clock any more; what is under way goes on.'],
  [
    'resume',
    resumeSchedule,
    'Resume a schedule',
    'It goes on with its next time; those of the pause are not made up for.',
  ],
] as const;

const stateRoutes = verbs.map(([verb, change, summary, description]) =>
  defineRoute({
    method: 'POST',
    path: `/v1/schedules/{id}/${verb}`,
    operationId: `${verb}Schedule`,
    summary,
    description,
    access: 'jobs:write',
    servedBy: 'api',
    request: { params },
    answers: { 200: { description: 'The schedule.', schema: scheduleSchema, headers: etag } },
    problems: ['CONFLICT'],
    handle: async ({ deps, caller, params: { id } }) => replyWith(await change(deps, scheduleRef(caller, id))),
  }),
);

const runRoute = defineRoute({
  method: 'POST',
  path: '/v1/schedules/{id}/run',
  operationId: 'runSchedule',
  summary: 'Start a run now',
  description:
    'Beside those of the clock, also while the schedule is paused. `overlap` counts: 409 where it says `skip`.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { params, headers: { ...keyHeader, ...preferHeader } },
  answers: submitAnswers,
  problems: ['CONFLICT', 'UNKNOWN_KIND', 'VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const {
      deps,
      caller,
      params: { id },
    } = call;
    const key = keyOf(call.request);
    const named = key === undefined ? undefined : namedBy(caller, { schedule: id }, key);
    const submitted = await runSchedule(deps, scheduleRef(caller, id), named);
    return jobReplyUnderKey(call, submitted, named?.requestHash);
  },
});

export const scheduleRoutes = [putRoute, getRoute, listRoute, nextRoute, deleteRoute, ...stateRoutes, runRoute];
