import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { Scope } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import {
  disableFlow,
  enableFlow,
  findFlow,
  type Flow,
  flowReason,
  listFlows,
  pauseFlow,
  resumeFlow,
  stepFlow,
} from '../../job/gates/flow.ts';
import type { HttpDeps } from '../deps.ts';
import { pathKey } from '../gate-fields.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { isoTime, listOf, pageQuery } from '../schemas.ts';

/** Parked jobs are counted up to here. */
const COUNTED = 100;

const flowSchema = z
  .strictObject({
    flow: z.string(),
    state: z.enum(['active', 'paused', 'disabled']),
    steps: z.int().min(0).meta({ description: 'How many more jobs it lets start while it is paused.' }),
    since: isoTime,
    reason: z.string().optional(),
    parked: z
      .int()
      .min(0)
      .meta({ description: `Jobs that wait for it; counted to ${COUNTED}, a moment late.` }),
    parkedMore: z.boolean().meta({ description: `More than ${COUNTED} wait.` }),
  })
  .meta({ id: 'Flow' });

async function flowView({ store }: Pick<HttpDeps, 'store'>, { tenant, workspace }: Scope, flow: Flow) {
  const { items, cursor } = await store.parkedFor({ tenant, workspace }, flowReason(flow.name), { limit: COUNTED });
  const { name, state, steps, since, reason } = flow;
  const counts = { parked: items.length, parkedMore: cursor !== undefined };
  return { flow: name, state, steps, since: toIso(since), ...(reason !== undefined && { reason }), ...counts };
}

const params = z.strictObject({ flow: pathKey });

async function known(deps: HttpDeps, scope: Scope, name: string): Promise<Flow> {
  const flow = await findFlow(deps, scope, name);
  if (flow === undefined) throw new Fault('NOT_FOUND', `No job has named the flow "${name}" in this workspace.`);
  return flow;
}

const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows',
  operationId: 'listFlows',
  summary: 'List the flows that jobs have named, by name',
  access: 'jobs:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of flows.', schema: listOf(flowSchema) } },
  handle: async (call) => {
    const { deps, caller } = call;
    return listReply(call, {
      name: 'flows',
      read: async (page) => {
        const { items, ...rest } = await listFlows(deps, caller, page);
        return { items: await Promise.all(items.map((flow) => flowView(deps, caller, flow))), ...rest };
      },
      view: (flow) => flow,
    });
  },
});

const getRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/{flow}',
  operationId: 'getFlow',
  summary: 'Get a flow',
  access: 'jobs:read',
  servedBy: 'api',
  request: { params },
  answers: { 200: { description: 'The flow.', schema: flowSchema } },
  handle: async ({ deps, caller, params: { flow } }) => ({
    status: 200,
    body: await flowView(deps, caller, await known(deps, caller, flow)),
  }),
});

interface Verb {
  readonly verb: string;
  readonly summary: string;
  readonly description: string;
  /** Only for a flow that is known. */
  readonly ofKnown: boolean;
  readonly does: (deps: HttpDeps, scope: Scope, name: string, reason: string | undefined) => Promise<Flow>;
}

const verbs: readonly Verb[] = [
  {
    verb: 'pause',
    summary: 'Pause a flow',
    description: 'What runs finishes; nothing of the flow starts after the answer: it parks as `flow:<name>`.',
    ofKnown: false,
    does: pauseFlow,
  },
  {
    verb: 'resume',
    summary: 'Resume a paused flow',
    description: 'What waits goes on, the oldest first; a long tail of it within ten minutes.',
    ofKnown: true,
    does: resumeFlow,
  },
  {
    verb: 'step',
    summary: 'Let one job of a paused flow start',
    description: 'The oldest that waits, or the next that comes.',
    ofKnown: true,
    does: stepFlow,
  },
  {
    verb: 'disable',
    summary: 'Disable a flow',
    description: 'What runs finishes; what waits is dropped as it comes up; a submit that names the flow is refused.',
    ofKnown: false,
    does: disableFlow,
  },
  {
    verb: 'enable',
    summary: 'Enable a disabled flow',
    description: 'Submits may name it again; what was dropped stays so.',
    ofKnown: true,
    does: enableFlow,
  },
];

const verbRoutes = verbs.map(({ verb, summary, description, ofKnown, does }) =>
  defineRoute({
    method: 'POST',
    path: `/v1/flows/{flow}/${verb}`,
    operationId: `${verb}Flow`,
    summary,
    description,
    access: 'jobs:write',
    servedBy: 'api',
    request: {
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(500).optional() }),
      bodyOptional: true,
    },
    answers: { 200: { description: 'The flow, as this left it.', schema: flowSchema } },
    problems: ['CONFLICT'],
    handle: async ({ deps, caller, params: { flow }, body }) => {
      if (ofKnown) await known(deps, caller, flow);
      const { tenant, workspace } = caller;
      const left = await does(deps, { tenant, workspace }, flow, body.reason);
      return { status: 200, body: await flowView(deps, caller, left) };
    },
  }),
);

export const flowRoutes = [listRoute, getRoute, ...verbRoutes];
