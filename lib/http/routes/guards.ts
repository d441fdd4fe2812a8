import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import { findGuard, type GuardValue, setGuard } from '../../job/gates/guard.ts';
import { gateKey, pathKey } from '../gate-fields.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';

const guardSchema = z.strictObject({ key: z.string(), value: z.string(), since: isoTime }).meta({
  id: 'Guard',
  description: 'Jobs that were submitted under another value of it are dropped when they come up.',
});
const params = z.strictObject({ key: pathKey });

const guardView = (key: string, { value, since }: GuardValue) => ({ key, value, since: toIso(since) });

const getRoute = defineRoute({
  method: 'GET',
  path: '/v1/guards/{key}',
  operationId: 'getGuard',
  summary: 'Get the value of a guard',
  access: 'jobs:read',
  servedBy: 'api',
  request: { params },
  answers: { 200: { description: 'The guard.', schema: guardSchema } },
  handle: async ({ deps, caller, params: { key } }) => {
    const guard = await findGuard(deps, caller, key);
    if (guard === undefined) throw new Fault('NOT_FOUND', `The guard "${key}" was never set in this workspace.`);
    return { status: 200, body: guardView(key, guard) };
  },
});

const putRoute = defineRoute({
  method: 'PUT',
  path: '/v1/guards/{key}',
  operationId: 'setGuard',
  summary: 'Set the value of a guard',
  description: 'Delayed jobs that were submitted under another value are dropped when they would start.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { params, body: z.strictObject({ value: gateKey }) },
  answers: { 200: { description: 'The guard.', schema: guardSchema } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params: { key }, body }) => ({
    status: 200,
    body: guardView(key, await setGuard(deps, caller, key, body.value)),
  }),
});

export const guardRoutes = [getRoute, putRoute];
