// Routes as data, mounted on hono: what every app of the API does around the handler of a route.
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { workspaceDeleted } from '../job/dead/workspaces.ts';
import { type Authenticator, createAuthenticator, requireScope } from './auth.ts';
import { readJson } from './body.ts';
import type { HttpDeps } from './deps.ts';
import { idsOf } from './ids.ts';
import { problemResponse } from './problem.ts';
import type { Call, Ids, Reply, Route } from './route.ts';
import { queryOf, validated, validParams } from './validate.ts';

type Env = { Variables: { ids: Ids } };
type Needs = Pick<HttpDeps, 'keys' | 'clock' | 'chance' | 'log' | 'limits'>;

/** `/v1/jobs/{id}` as hono writes it. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** HEAD is answered wherever GET is. */
function allowOf(methods: readonly string[]): string {
  const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  return [...new Set(all)].sort().join(', ');
}

async function callerOf<D>(route: Route<D>, request: Request, authenticator: Authenticator) {
  if (route.access === 'public') return undefined;
  const caller = await authenticator.callerOf(request.headers.get('authorization'));
  if (caller.end !== undefined && route.whileDeleted !== true) throw workspaceDeleted();
  if (route.access !== 'any') requireScope(caller, route.access);
  return caller;
}

async function bodyOf<D>(route: Route<D>, request: Request, limit: number): Promise<unknown> {
  const { body, bodyOptional = false } = route.request;
  if (!body) return undefined;
  const json = await readJson(request, limit);
  if (json === undefined && !bodyOptional) throw new Fault('MALFORMED_JSON', 'The body is empty.');
  return validated(body, json === undefined ? {} : json, '');
}

const noQuery: z.ZodType = z.lazy(() => z.strictObject({}));

/** Who, then what: nothing of a request is looked at before its key is known. */
async function callOf<D extends Needs>(route: Route<D>, deps: D, context: Context<Env>, authenticator: Authenticator) {
  const request = context.req.raw;
  const caller = await callerOf(route, request, authenticator);
  const { params, query } = route.request;
  const call = {
    deps,
    caller,
    params: params ? validParams(params, context.req.param()) : undefined,
    query: validated(query ?? noQuery, queryOf(new URL(request.url)), 'query'),
    body: await bodyOf(route, request, deps.limits.jsonBody),
    request,
    ids: context.var.ids,
  };
  return call as Call<unknown, unknown, unknown, Route<D>['access'], D>;
}

function contentOf(body: unknown): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined) return null;
  // What reads a file or an object allocates plain memory, never shared.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function responseOf({ status, body, headers = {} }: Reply): Response {
  return new Response(contentOf(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** What changes a workspace is seen at once where it was done. */
async function replyOf<D extends Needs>(
  route: Route<D>,
  deps: D,
  context: Context<Env>,
  authenticator: Authenticator,
): Promise<Response> {
  try {
    return responseOf(await route.handle(await callOf(route, deps, context, authenticator)));
  } finally {
    if (route.access === 'workspace:delete') authenticator.forget();
  }
}

/** Each path once, with all of its methods, so that a wrong method is told from an unknown path. */
function mount<D extends Needs>(
  app: Hono<Env>,
  deps: D,
  served: readonly Route<D>[],
  authenticator: Authenticator,
): void {
  for (const route of served) {
    app.on(route.method, honoPath(route.path), (context) => replyOf(route, deps, context, authenticator));
  }
  for (const path of new Set(served.map((route) => route.path))) {
    const allow = allowOf(served.filter((route) => route.path === path).map((route) => route.method));
    app.all(honoPath(path), (context) => {
      if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
      throw new Fault('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { extra: { allow } });
    });
  }
}

/** An app that serves these routes and answers for every other path; apps side by side share `authenticator`. */
export function buildApp<D extends Needs>(
  deps: D,
  served: readonly Route<D>[],
  authenticator = createAuthenticator(deps),
): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const ids = idsOf(context.req.raw.headers, deps);
    const started = deps.clock.monotonic();
    context.set('ids', ids);
    await next();
    deps.log.info('request', {
      ...ids,
      method: context.req.method,
      path: context.req.path,
      status: context.res.status,
      elapsedMs: Math.round(deps.clock.monotonic() - started),
    });
    context.res.headers.set('x-request-id', ids.requestId);
    context.res.headers.set('x-correlation-id', ids.correlationId);
    context.res.headers.set('x-content-type-options', 'nosniff');
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store');
  });
  mount(app, deps, served, authenticator);
  const problem = (thrown: unknown, context: Context<Env>) =>
    problemResponse(thrown, { ids: context.var.ids, path: context.req.path, log: deps.log });
  app.notFound((context) => problem(new Fault('ROUTE_NOT_FOUND', 'No route has this path.'), context));
  app.onError(problem);
  return app;
}
