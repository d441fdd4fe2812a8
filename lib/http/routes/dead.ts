// What failed for good: listed one by one or by cause, and given another life or put away.
import * as z from 'zod';
import { toIso } from '../../core/time.ts';
import { type DeadGroup, deadGroups, groupMembers } from '../../job/dead/dead-groups.ts';
import { readEach } from '../../job/readable.ts';
import { jobSchema, jobView } from '../job-view.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { isoTime, listOf, listOfJobs, pageQuery } from '../schemas.ts';

const fingerprint = z.string().regex(/^[0-9a-f]{16}$/);

const groupSchema = z
  .strictObject({
    fingerprint: fingerprint.meta({
      description: 'Of the code, the kind, the stage and the message without what varies.',
    }),
    kind: z.string(),
    code: z.string(),
    stage: z.string().optional(),
    message: z.string().meta({ description: 'Of the failure that came last.' }),
    count: z.int().meta({ description: 'Jobs that are listed as failed or dead for this cause now.' }),
    first: isoTime.meta({ description: 'When the first of them ended.' }),
    last: isoTime,
    sample: z.array(z.string()).meta({ description: 'Ids of the latest few.' }),
  })
  .meta({ id: 'DeadGroup' });

const groupView = ({ stage, first, last, sample, ...group }: DeadGroup) => ({
  ...group,
  ...(stage !== undefined && { stage }),
  ...{ first: toIso(first), last: toIso(last), sample: [...sample] },
});

const listDead = defineRoute({
  method: 'GET',
  path: '/v1/dead',
  operationId: 'listDead',
  summary: 'List jobs that failed or are dead, those that ended last first',
  description: 'Without those that were discarded.',
  access: 'jobs:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of jobs.', schema: listOfJobs(jobSchema) } },
  handle: async (call) => {
    const { tenant, workspace } = call.caller;
    const now = call.deps.clock.now();
    return listReply(call, {
      name: 'dead',
      read: (page) => call.deps.store.deadJobs({ tenant, workspace }, page),
      view: (row) => jobView(row, now),
    });
  },
});

const listGroups = defineRoute({
  method: 'GET',
  path: '/v1/dead/groups',
  operationId: 'listDeadGroups',
  summary: 'List failures by cause',
  description: 'By fingerprint. The counts follow the jobs a moment later.',
  access: 'jobs:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of groups.', schema: listOf(groupSchema) } },
  handle: async (call) => {
    const { tenant, workspace } = call.caller;
    return listReply(call, {
      name: 'dead-groups',
      read: (page) => deadGroups(call.deps.store, { tenant, workspace }, page),
      view: groupView,
    });
  },
});

const listGroupJobs = defineRoute({
  method: 'GET',
  path: '/v1/dead/groups/{fingerprint}/jobs',
  operationId: 'listDeadGroupJobs',
  summary: 'List the jobs that failed for one cause, those that ended last first',
  access: 'jobs:read',
  servedBy: 'api',
  request: { params: z.strictObject({ fingerprint }), query: z.strictObject(pageQuery) },
  answers: {
    200: { description: 'A page of jobs; empty for a cause that nothing failed for.', schema: listOfJobs(jobSchema) },
  },
  handle: async (call) => {
    const { deps, caller, params } = call;
    const scope = { tenant: caller.tenant, workspace: caller.workspace };
    const now = deps.clock.now();
    return listReply(call, {
      name: 'dead-group-jobs',
      read: async (page) => {
        const { items, cursor } = await groupMembers(deps.store, scope, params.fingerprint, page);
        const { rows, unreadable } = await readEach(
          deps.store,
          items.map(({ id }) => ({ ...scope, id })),
        );
        return { items: rows, unreadable, ...(cursor !== undefined && { cursor }) };
      },
      // One that has moved on leaves its group a moment later.
      view: (row) => (row.error?.fingerprint === params.fingerprint ? jobView(row, now) : undefined),
    });
  },
});

export const deadRoutes = [listDead, listGroups, listGroupJobs];
