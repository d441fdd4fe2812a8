import * as z from 'zod';
import { toIso } from '../../core/time.ts';
import { type BacklogState, backlogStates, visibleTo } from '../../job/health/health.ts';
import { laneSchema } from '../../job/row.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';

const backlogSchema = z.lazy(() =>
  z.strictObject({
    queue: z.string().optional().meta({ description: 'Of a lane: the function that hears it.' }),
    lane: laneSchema.optional(),
    flow: z.string().optional().meta({ description: 'Of a flow of this workspace.' }),
    state: z.enum(['striking', 'behind', 'over']).meta({
      description:
        '`striking`: over its threshold, not at three looks yet. `behind`: told of. `over`: it is gone, and is told of.',
    }),
    since: isoTime,
    waiting: z
      .int()
      .meta({ description: 'Of a lane: doorbells, approximately; of a flow: its jobs in a sample of the oldest.' }),
    oldestSeconds: z.number().meta({ description: 'How long the oldest of the sample has waited for a worker.' }),
    worstFlow: z
      .string()
      .optional()
      .meta({ description: 'That most of the sample belongs to, where it is of this workspace.' }),
  }),
);

const healthSchema = z.lazy(() =>
  z
    .strictObject({
      status: z.enum(['ok', 'behind']),
      backlogs: z.array(backlogSchema).meta({ description: 'Empty where all is well. Looked at once a minute.' }),
    })
    .meta({ id: 'BacklogHealth' }),
);

const stateOf = ({ over, strikes }: BacklogState) => (over ? 'behind' : strikes === 0 ? 'over' : 'striking');

export const backlogHealth = defineRoute({
  method: 'GET',
  path: '/v1/health/backlog',
  operationId: 'getBacklogHealth',
  summary: 'Which lanes and flows are behind',
  access: 'jobs:read',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'Lanes, which all workspaces share, and flows of this one.', schema: healthSchema } },
  handle: async ({ deps, caller }) => {
    const seen = (await backlogStates(deps.store)).filter((state) => visibleTo(caller, state).subject);
    const backlogs = seen.map((state) => {
      const { subject, since, depth, age, worst } = state;
      const { tenant: _tenant, workspace: _workspace, ...named } = { tenant: '', workspace: '', ...subject };
      const flow = visibleTo(caller, state).worst ? worst?.flow : undefined;
      return {
        ...named,
        ...{ state: stateOf(state), since: toIso(since), waiting: depth, oldestSeconds: Math.round(age / 1000) },
        ...(flow !== undefined && { worstFlow: flow }),
      };
    });
    return { status: 200, body: { status: seen.some(({ over }) => over) ? 'behind' : 'ok', backlogs } };
  },
});
