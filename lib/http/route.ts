// A route is data: what it takes, what it answers, who may call it, and the function that does it. The app mounts the list,
// OpenAPI is written from it, and infra reads methods and paths from it.
import type * as z from 'zod';
import type { FaultCode } from '../core/fault.ts';
import type { Caller } from './auth.ts';
import type { HttpDeps, QueryDeps, WatchDeps } from './deps.ts';
import type { ApiScope } from './keys.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `public` needs no key, `any` any key. */
export type Access = ApiScope | 'any' | 'public';

/** What API Gateway takes between two slashes: plain characters or one {parameter}; a colon is refused. */
export const pathPart = /^(?:[a-zA-Z0-9._-]+|\{[a-zA-Z][a-zA-Z0-9]*\})$/;

/** What arrived with a request besides the parts that have schemas. */
export interface Ids {
  readonly requestId: string;
  readonly correlationId: string;
  /** A valid W3C traceparent, if one was sent. */
  readonly traceparent?: string | undefined;
}

export interface Call<P = unknown, Q = unknown, B = unknown, A extends Access = Access, D = HttpDeps> {
  readonly deps: D;
  /** Whose key it is; undefined on public routes. */
  readonly caller: A extends 'public' ? undefined : Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** For headers, and for the body of a route that reads its own. */
  readonly request: Request;
  readonly ids: Ids;
}

export interface Reply {
  readonly status: 200 | 201 | 202 | 204 | 307;
  /** Sent as JSON; a string or bytes are sent as they are; undefined with 204 and 307. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One documented answer. */
export interface Answer {
  readonly description: string;
  /** Of the JSON body; absent where there is none. */
  readonly schema?: z.ZodType;
  /** What is answered instead to who accepts that content type. */
  readonly instead?: Readonly<Record<string, z.ZodType>>;
  /** Header name → what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteRequest<P, Q, B> {
  readonly params?: z.ZodType<P>;
  /** Without one the route takes no parameters. */
  readonly query?: z.ZodType<Q>;
  /** Header name → what it does; read by the handler. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body. */
  readonly body?: z.ZodType<B>;
  /** True when the JSON body may be left out, and is then `{}`. */
  readonly bodyOptional?: boolean;
  /** The handler reads the body itself: raw bytes or multipart. */
  readonly upload?: { readonly description: string };
}

interface RouteSpec<P, Q, B, A extends Access, D> {
  readonly method: Method;
  /** With `{parameters}`, e.g. `/v1/jobs/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  /** Answered in a workspace that is deleted too; any other route is 410 there. */
  readonly whileDeleted?: true;
  /** Which function behind the API serves it. */
  readonly servedBy: 'api' | 'query' | 'watch';
  readonly request: RouteRequest<P, Q, B>;
  readonly answers: Readonly<Partial<Record<Reply['status'], Answer>>>;
  /** Codes beyond those that every route of its shape can give. */
  readonly problems?: readonly FaultCode[];
  handle(call: Call<P, Q, B, A, D>): Promise<Reply>;
}

/** A route whose particular types are its own business; `D` is what its handler needs of the world. */
export type Route<D = HttpDeps> = RouteSpec<unknown, unknown, unknown, Access, D>;

/** Checks the definition's types and forgets them: what its schemas have parsed is what its handler gets. */
const routeMaker =
  <D>() =>
  <P, Q, B, A extends Access>(spec: RouteSpec<P, Q, B, A, D>): Route<D> =>
    spec;

export const defineRoute = routeMaker<HttpDeps>();
/** A route that the query function serves too, with less of a world. */
export const defineQueryRoute = routeMaker<QueryDeps>();
/** The same for the watch function. */
export const defineWatchRoute = routeMaker<WatchDeps>();

/** Every code that the route can answer with, for OpenAPI and the tests. */
export function problemsOf(route: Pick<Route, 'request' | 'access' | 'problems' | 'whileDeleted'>): FaultCode[] {
  const { params, body, upload } = route.request;
  // A parameter of the query that the route does not have is refused, whatever it has.
  const codes: FaultCode[] = ['VALIDATION_FAILED', 'UNAVAILABLE', 'INTERNAL', ...(route.problems ?? [])];
  if (route.access !== 'public') codes.push('UNAUTHORIZED');
  if (route.access !== 'public' && route.access !== 'any') codes.push('FORBIDDEN');
  if (route.access !== 'public' && route.whileDeleted !== true) codes.push('GONE');
  if (params) codes.push('NOT_FOUND');
  if (body) codes.push('MALFORMED_JSON');
  if (body || upload) codes.push('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set(codes)].sort();
}
