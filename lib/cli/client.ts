// The service as the command sees it: HTTP only. Answers are read by their fields, so that a newer service may answer more.
import * as z from 'zod';
import { asError } from '../core/check.ts';
import { CliFailure, exitCodes } from './failure.ts';

export interface Client {
  get(path: string, query?: Query): Promise<unknown>;
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, headers?: Headers): Promise<unknown>;
}
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type Headers = Readonly<Record<string, string>>;

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
}

const problemSchema = z.looseObject({
  code: z.string(),
  title: z.string(),
  detail: z.string(),
  next: z.string(),
  requestId: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
});

export function createClient(target: Target): Client {
  const call = (method: string, path: string, body?: unknown, headers: Headers = {}) =>
    answerOf(target, method, path, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
  return {
    get: (path, query = {}) => call('GET', `${path}${queryText(query)}`),
    send: (method, path, body, headers) => call(method, path, body, headers),
  };
}

function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

async function answerOf(
  { url, apiKey, signal }: Target,
  method: string,
  path: string,
  init: { body?: string; headers: Headers },
) {
  const headers = { ...init.headers, authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  const request = { ...init, method, headers, signal };
  const response = await fetch(`${url}${path}`, request).catch((thrown: unknown) => unreachable(url, signal, thrown));
  const text = await response.text().catch((thrown: unknown) => unreachable(url, signal, thrown));
  const body = parsed(text);
  if (response.ok) return body;
  throw refusal(response.status, body);
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function unreachable(url: string, signal: AbortSignal, thrown: unknown): never {
  if (signal.aborted) throw new CliFailure(exitCodes.interrupted, 'Interrupted.');
  const { cause, message } = asError(thrown);
  const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
  throw new CliFailure(exitCodes.unreachable, `Nothing answers at ${url}: ${why}`, 'Check --url or MILLRACE_URL.');
}

function refusal(status: number, body: unknown): CliFailure {
  const code = status === 401 || status === 403 ? exitCodes.denied : exitCodes.failed;
  const problem = problemSchema.safeParse(body).data;
  if (problem === undefined)
    return new CliFailure(
      code,
      `What answers there is no Millrace service, or something before it: ${status} without a reason.`,
      'Check --url or MILLRACE_URL: it ends where /v1 begins.',
    );
  const fields = (problem.errors ?? [])
    .map(({ pointer, detail }) => `${pointer}: ${detail}`)
    .filter((field) => field !== problem.detail)
    .map((field) => `\n  ${field}`)
    .join('');
  const message = `${problem.code}: ${problem.detail}${fields}`;
  const next = status === 401 ? 'Check --key or MILLRACE_API_KEY; npm run key makes a key.' : problem.next;
  return new CliFailure(code, message, `${next} (request ${problem.requestId})`);
}
