import { expect, it } from 'vitest';
import { outcome } from './client.ts';
import type { World } from './world.ts';

export function requests(world: World): void {
  it('of health and the OpenAPI document need no key', async () => {
    expect((await world.client.get('/v1/health', { key: '' })).body).toEqual({ status: 'ok' });
    const { status, body } = await world.client.get('/v1/openapi.json', { key: '' });
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    expect(Object.keys(body.paths)).toContain('/v1/datasets/{id}/query');
  });

  it('for an unknown route or with a wrong method get a problem', async () => {
    const { get, send } = world.client;
    const unknown = await get('/v1/nothing');
    expect([outcome(unknown), unknown.headers.get('content-type')]).toEqual([
      '404 ROUTE_NOT_FOUND',
      'application/problem+json',
    ]);
    expect(unknown.body).toMatchObject({
      status: 404,
      next: expect.any(String),
      requestId: expect.stringMatching(/^req_/),
    });
    const wrong = await send('DELETE', '/v1/datasets');
    expect([outcome(wrong), wrong.headers.get('allow')]).toEqual([
      '405 METHOD_NOT_ALLOWED',
      'GET, HEAD, OPTIONS, POST',
    ]);
    expect(outcome(await get(`/v1/datasets/ds_${'0'.repeat(26)}/query`))).toBe('405 METHOD_NOT_ALLOWED');
  });

  it('without a key or with a wrong one are unauthorized, by each function', async () => {
    const { get, post } = world.client;
    const { apiKey, otherTenantKey } = world.target;
    const swapped = apiKey.slice(0, 34) + otherTenantKey.slice(34);
    for (const key of ['', 'mr_nothing', swapped]) {
      expect(outcome(await get('/v1/datasets', { key }))).toBe('401 UNAUTHORIZED');
      const json = { sql: 'select 1' };
      const query = await post(`/v1/datasets/ds_${'0'.repeat(26)}/query`, { key, json });
      expect(outcome(query)).toBe('401 UNAUTHORIZED');
    }
  });

  it('carry a request id and the correlation id', async () => {
    const { headers } = await world.client.get('/v1/jobs', { headers: { 'x-correlation-id': 'order-7' } });
    expect(headers.get('x-correlation-id')).toBe('order-7');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('with malformed JSON, or JSON that does not fit, are told so', async () => {
    const { post } = world.client;
    const headers = { 'content-type': 'application/json' };
    expect(outcome(await post('/v1/datasets', { body: '{"name":', headers }))).toBe('400 MALFORMED_JSON');
    expect(outcome(await post('/v1/datasets', { headers }))).toBe('400 MALFORMED_JSON');
    const unfit = await post('/v1/datasets', { json: { name: 7 } });
    expect([outcome(unfit), unfit.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/name']);
  });
}
