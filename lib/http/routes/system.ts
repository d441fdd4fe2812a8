// What anybody may ask: whether it answers, what it offers, and what a problem's code means.
import * as z from 'zod';
import { Fault, faultCatalogue } from '../../core/fault.ts';
import { codeOfSlug } from '../problem.ts';
import { defineRoute } from '../route.ts';

const cacheable = { 'cache-control': 'public, max-age=300' };

const getHealth = defineRoute({
  method: 'GET',
  path: '/v1/health',
  operationId: 'getHealth',
  summary: 'Whether the API answers',
  description: 'Looks at nothing behind the API and tells nothing of any tenant.',
  access: 'public',
  servedBy: 'api',
  request: {},
  answers: {
    200: { description: 'It does.', schema: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }) },
  },
  handle: async () => ({ status: 200, body: { status: 'ok' } }),
});

const getOpenApi = defineRoute({
  method: 'GET',
  path: '/v1/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This API as an OpenAPI 3.1 document',
  access: 'public',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'The document.', schema: z.looseObject({ openapi: z.string() }) } },
  handle: async ({ deps }) => ({ status: 200, body: await deps.openApiDocument(), headers: cacheable }),
});

const codeSchema = z
  .strictObject({ code: z.string(), status: z.int(), title: z.string(), next: z.string(), retriable: z.boolean() })
  .meta({ id: 'ProblemCode' });

const getProblem = defineRoute({
  method: 'GET',
  path: '/v1/problems/{code}',
  operationId: 'getProblem',
  summary: 'What a problem’s code means; the `type` of every problem is such a page',
  access: 'public',
  servedBy: 'api',
  request: { params: z.strictObject({ code: z.string() }) },
  answers: { 200: { description: 'The entry of the catalogue.', schema: codeSchema } },
  handle: async ({ params }) => {
    const code = codeOfSlug(params.code);
    if (!code) throw new Fault('NOT_FOUND', 'There is no such problem code.');
    return { status: 200, body: { code, ...faultCatalogue[code] }, headers: cacheable };
  },
});

export const systemRoutes = [getHealth, getOpenApi, getProblem];
