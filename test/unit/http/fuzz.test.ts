import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { derivedId } from '../../../lib/core/ids.ts';
import { problemsOf } from '../../../lib/http/route.ts';
import { routes } from '../../../lib/http/routes.ts';
import { createIngestJobs, createIngestPipelines } from '../../../lib/ingest/kinds.ts';
import type { IngestDeps } from '../../../lib/ingest/pipeline.ts';
import { createRegistry } from '../../../lib/job/registry.ts';
import { harnessKinds, outcome, startApp } from './harness.ts';

/** The kinds that routes submit are there, and run nowhere. */
const nothing = {} as IngestDeps;
const named = new Set(harnessKinds.map(({ kind }) => kind));
const others = [...createIngestPipelines(nothing), ...createIngestJobs(nothing)].filter(({ kind }) => !named.has(kind));
const registry = createRegistry([...harnessKinds, ...others]);
const app = await startApp({ registry });
const dataset = (await app.send('POST', '/v1/datasets', { json: { name: 'fuzzed' } })).body.id as string;
const job = (await app.send('POST', '/v1/jobs', { json: { kind: 'echo', input: { say: 'x' } } })).body.id as string;
afterAll(() => app.store.close());

const rarely = <T>(value: fc.Arbitrary<T>, instead: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: instead });
const awkward = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', '../..', '%', '%zz', '\u0000', '\ud800', '0', '-1', '1e9', 'null', ' '),
);
const ids = [dataset, job, ...(['ds', 'tbl', 'file', 'up', 'job'] as const).map((of) => derivedId(of, 'none'))];
const part = rarely(fc.constantFrom(...ids), awkward);

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.record(
    {
      name: awkward,
      description: fc.jsonValue(),
      sql: awkward,
      limit: fc.jsonValue(),
      size: fc.oneof(fc.double(), fc.maxSafeInteger()),
      partSize: fc.oneof(fc.integer(), fc.constant(5 * 2 ** 20)),
      parts: fc.array(fc.record({ number: fc.integer(), etag: awkward })),
      kind: rarely(fc.constantFrom('echo', 'fail', 'ingest', 'sweep'), awkward),
      input: fc.jsonValue(),
      notBefore: rarely(
        fc.constantFrom('2026-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'),
        awkward,
      ),
      delaySeconds: fc.oneof(fc.integer(), fc.double()),
      reason: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
const body = fc.oneof(
  { weight: 4, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: awkward.map((text) => text.toWellFormed()) },
  { weight: 1, arbitrary: fc.constant('') },
);
const headerValue = fc.string({ unit: 'binary-ascii' }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim());
const headers = fc.record(
  {
    'content-type': rarely(
      fc.constantFrom('application/json', 'multipart/form-data; boundary=x', 'text/csv', 'application/octet-stream'),
      headerValue,
    ),
    prefer: rarely(fc.constantFrom('wait=1', 'wait=99999999999'), headerValue),
    'x-correlation-id': headerValue,
    traceparent: headerValue,
    'content-encoding': fc.constantFrom('identity', 'gzip', 'br'),
  },
  { requiredKeys: [] },
);
const query = fc.dictionary(
  rarely(fc.constantFrom('limit', 'cursor', 'name', 'status', 'kind', 'afterVersion'), awkward),
  awkward,
  {
    maxKeys: 3,
  },
);

const codesEverywhere = ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'NOT_FOUND'];

describe('any request', () => {
  it('gets no 5xx, and a problem with a code that its route documents unless it succeeds', async () => {
    const request = fc.record({
      route: fc.constantFrom(...routes),
      parts: fc.array(part, { minLength: 3, maxLength: 3 }),
      ...{ body, headers, query },
      key: rarely(fc.constant(app.keys.own), fc.constantFrom('', 'x', app.keys.other, app.keys.reader)),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ route, parts, key, ...sent }) => {
        let at = 0;
        const path = route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent((parts[at++] ?? '').toWellFormed()));
        const search = new URLSearchParams(sent.query).toString();
        const answer = await app.send(route.method, `${path}?${search}`, {
          ...{ key, headers: sent.headers },
          ...(route.method === 'POST' && { body: sent.body }),
        });
        const told = `${route.method} ${path}?${search} → ${outcome(answer)}`;
        expect(answer.status, told).toBeLessThan(500);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
        if (answer.status < 400) return;
        expect(answer.headers.get('content-type'), told).toBe('application/problem+json');
        expect([...problemsOf(route), ...codesEverywhere], told).toContain(answer.body.code);
      }),
      { numRuns: 1500 },
    );
  });

  it.each(routes.map((route) => ({ route, at: `${route.method} ${route.path}` })))(
    '$at gets no 5xx for any ids',
    async ({ route }) => {
      const names = route.path.match(/\{\w+\}/g) ?? [];
      const paths = names.reduce(
        (made, name) => made.flatMap((path) => ids.map((id) => path.replace(name, id))),
        [route.path],
      );
      for (const path of paths) {
        const answer = await app.send(route.method, path, route.method === 'POST' ? { json: {} } : {});
        expect(answer.status, `${route.method} ${path} → ${outcome(answer)}`).toBeLessThan(500);
      }
    },
  );

  it('of any path and method gets a problem', async () => {
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND');
    const path = fc.array(fc.oneof(awkward, fc.constantFrom('v1', 'jobs', 'datasets', ':id', '*')), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(method, path, async (verb, segments) => {
        const at = `/${segments.map((each) => encodeURIComponent(each.toWellFormed())).join('/')}`;
        const answer = await app.send(verb, at);
        expect(answer.status, `${verb} ${at}`).toBeLessThan(500);
        if (answer.status >= 400) expect(answer.headers.get('content-type')).toBe('application/problem+json');
      }),
      { numRuns: 500 },
    );
  });

  it('whose path is not decodable gets a problem', async () => {
    for (const path of [
      '/v1/jobs/%',
      '/v1/jobs/%zz',
      '/v1/jobs/%c3',
      '/%',
      '//',
      '/v1//jobs',
      '/v1/jobs/',
      '/v1/jobs/%2e%2e',
    ]) {
      const answer = await app.send('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});
