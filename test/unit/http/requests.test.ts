import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { faultCatalogue } from '../../../lib/core/fault.ts';
import { derivedId, type TenantId, type WorkspaceId } from '../../../lib/core/ids.ts';
import { epochMs } from '../../../lib/core/time.ts';
import { scopes } from '../../../lib/http/keys.ts';
import { makeKey } from '../../../lib/http/make-key.ts';
import { createQueryApp } from '../../../lib/http/query-app.ts';
import { routes } from '../../../lib/http/routes.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { outcome, startApp } from './harness.ts';

/** What a parameter of a path may be. */
function pathPartOf(params: unknown, name: string): string {
  const shape = (params as { shape: Record<string, z.ZodType> }).shape;
  const ids = (['job', 'ds', 'tbl', 'file', 'up', 'snap', 'rel', 'res'] as const).map((of) => derivedId(of, 'x'));
  const fits: string | undefined = [...ids, 'x', 'X', '1', '1-0', '2026-01', 'a'.repeat(16), 'not-found'].find(
    (text) => shape[name]?.safeParse(text).success,
  );
  return fits ?? `nothing fits ${name}`;
}

describe('a request', () => {
  it('gets a problem with every member for an unknown route, with or without a key', async () => {
    using app = await startApp();
    const answer = await app.send('GET', '/v1/nothing', { key: '' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: '/v1/problems/route-not-found',
      title: faultCatalogue.ROUTE_NOT_FOUND.title,
      status: 404,
      detail: 'No route has this path.',
      code: 'ROUTE_NOT_FOUND',
      next: faultCatalogue.ROUTE_NOT_FOUND.next,
      instance: '/v1/nothing',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it('finds the page that the type of a problem names', async () => {
    using app = await startApp();
    const page = await app.send('GET', '/v1/problems/route-not-found', { key: '' });
    expect([page.status, page.body.code]).toEqual([200, 'ROUTE_NOT_FOUND']);
    expect(outcome(await app.send('GET', '/v1/problems/no-such-code', { key: '' }))).toBe('404 NOT_FOUND');
  });

  it('with a wrong method is told the right ones, and OPTIONS and HEAD are answered', async () => {
    using app = await startApp();
    const wrong = await app.send('DELETE', '/v1/datasets');
    expect([outcome(wrong), wrong.headers.get('allow')]).toEqual([
      '405 METHOD_NOT_ALLOWED',
      'GET, HEAD, OPTIONS, POST',
    ]);
    const options = await app.send('OPTIONS', '/v1/jobs/x/cancel', { key: '' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'OPTIONS, POST']);
    const head = await app.send('HEAD', '/v1/health', { key: '' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await app.send('HEAD', '/v1/jobs/x/cancel')).status).toBe(405);
  });

  it('with a parameter that its route does not have is told which, whatever route it is', async () => {
    using app = await startApp();
    const owner = { tenant: 't1' as TenantId, workspace: 'main' as WorkspaceId, name: 'test', scopes };
    const key = await makeKey(app.deps, owner);
    for (const { method, path, request } of routes) {
      const there = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathPartOf(request.params, name));
      for (const name of ['limt', '__proto__', 'constructor', 'a b']) {
        const asked = `${there}?${new URLSearchParams({ [name]: '1' }).toString()}`;
        const json = method === 'GET' || method === 'DELETE' ? { key } : { key, json: {} };
        const answer = await app.send(method, asked, json);
        expect([method, path, outcome(answer)]).toEqual([method, path, '422 VALIDATION_FAILED']);
        expect(answer.body.errors).toContainEqual({
          pointer: `#/query/${encodeURIComponent(name)}`,
          detail: 'There is no such field.',
        });
      }
    }
  });

  it('carries its own id, and the caller’s correlation id where that has a sane form', async () => {
    using app = await startApp();
    const named = await app.send('GET', '/v1/health', { headers: { 'x-correlation-id': 'order-7' } });
    expect(named.headers.get('x-correlation-id')).toBe('order-7');
    expect(named.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
    for (const unfit of ['two words', 'x'.repeat(129), '<b>']) {
      const answer = await app.send('GET', '/v1/health', { headers: { 'x-correlation-id': unfit } });
      expect(answer.headers.get('x-correlation-id')).toBe(answer.headers.get('x-request-id'));
    }
  });

  it('without a key, with a wrong, cut or revoked one, is unauthorized', async () => {
    using app = await startApp();
    const { own, other } = app.keys;
    const swapped = own.slice(0, 34) + other.slice(34);
    for (const key of ['', 'mr_', own.slice(0, -1), swapped, `${own}x`, own.toLowerCase()]) {
      const answer = await app.send('GET', '/v1/jobs', { key });
      expect([outcome(answer), answer.headers.get('www-authenticate')]).toEqual(['401 UNAUTHORIZED', 'Bearer']);
    }
    const record = await app.store.getKey(own.slice(3, 33) as never);
    using revoked = await startApp({
      keys: {
        getKey: async () => record && { ...record, revokedAt: epochMs(1) },
        putKey: async () => 'created',
        workspaceEnd: async () => undefined,
      },
    });
    expect(outcome(await revoked.send('GET', '/v1/jobs', { key: own }))).toBe('401 UNAUTHORIZED');
  });

  it('with a key that lacks the scope is forbidden, and told which', async () => {
    using app = await startApp();
    const answer = await app.send('POST', '/v1/jobs', {
      key: app.keys.reader,
      json: { kind: 'echo', input: { say: 'a' } },
    });
    expect([outcome(answer), answer.body.detail]).toEqual(['403 FORBIDDEN', 'This needs the scope jobs:write.']);
    expect((await app.send('GET', '/v1/jobs', { key: app.keys.reader })).status).toBe(200);
  });

  it('learns of a revoked key within 30 seconds', async () => {
    using app = await startApp();
    let asked = 0;
    const record = await app.store.getKey(app.keys.own.slice(3, 33) as never);
    using counted = await startApp({
      clock: app.clock,
      keys: {
        getKey: async () => ((asked += 1), record),
        putKey: async () => 'created',
        workspaceEnd: async () => undefined,
      },
    });
    const ask = () => counted.send('GET', '/v1/jobs', { key: app.keys.own });
    await ask();
    await ask();
    expect(asked).toBe(1);
    await app.clock.sleep(30_000 as never);
    expect((await ask()).status).toBe(200);
    expect(asked).toBe(2);
  });

  it('that fails inside leaks nothing, and is logged under its request id', async () => {
    using app = await startApp();
    using broken = await startApp({
      catalog: { ...app.store, listDatasets: () => Promise.reject(new Error('password=hunter2')) },
    });
    const answer = await broken.send('GET', '/v1/datasets');
    expect(outcome(answer)).toBe('500 INTERNAL');
    expect(answer.text).not.toContain('hunter2');
    expect(broken.logged).toHaveLength(1);
    expect(broken.logged[0]?.fields).toMatchObject({ requestId: answer.body.requestId, message: 'password=hunter2' });
  });

  it('that meets a store which does not answer is told when to come again', async () => {
    using app = await startApp();
    using down = await startApp({
      catalog: { ...app.store, listDatasets: () => Promise.reject(new StoreUnavailable('throttled')) },
    });
    const answer = await down.send('GET', '/v1/datasets');
    expect([outcome(answer), answer.headers.get('retry-after')]).toEqual(['503 UNAVAILABLE', '5']);
  });

  it('for health or the OpenAPI document needs no key', async () => {
    using app = await startApp();
    expect((await app.send('GET', '/v1/health', { key: '' })).body).toEqual({ status: 'ok' });
    expect((await app.send('GET', '/v1/openapi.json', { key: '' })).body).toEqual({ openapi: '3.1.0' });
  });
});

describe('the query function', () => {
  it('serves the query route and nothing else', async () => {
    using app = await startApp();
    const query = createQueryApp(app.deps);
    const headers = { authorization: `Bearer ${app.keys.own}`, 'content-type': 'application/json' };
    const { id } = (await app.send('POST', '/v1/datasets', { json: { name: 'd' } })).body;
    const answer = await query.request(`/v1/datasets/${id}/query`, {
      method: 'POST',
      headers,
      body: '{"sql":"select 1"}',
    });
    // As the engine of the harness answers.
    expect(await answer.json()).toMatchObject({ code: 'SQL_INVALID', detail: 'This app has no tables.' });
    expect((await query.request('/v1/datasets', { headers })).status).toBe(404);
  });
});
