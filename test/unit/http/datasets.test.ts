import { describe, expect, it } from 'vitest';
import { derivedId } from '../../../lib/core/ids.ts';
import { outcome, startApp } from './harness.ts';

const nowhere = derivedId('ds', 'nowhere');

describe('datasets', () => {
  it('are created once a name, listed and found in their own workspace only', async () => {
    using app = await startApp();
    const made = await app.send('POST', '/v1/datasets', { json: { name: ' sales ', description: 'by day' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'sales', description: 'by day', createdAt: '2026-01-01T00:00:00.000Z' });
    expect(made.headers.get('location')).toBe(`/v1/datasets/${made.body.id}`);
    const again = await app.send('POST', '/v1/datasets', { json: { name: 'sales' } });
    expect([outcome(again), again.body.datasetId]).toEqual(['409 CONFLICT', made.body.id]);
    expect((await app.send('GET', '/v1/datasets')).body).toEqual({ data: [made.body], nextCursor: null });
    expect((await app.send('GET', `/v1/datasets/${made.body.id}`)).body).toEqual(made.body);
    expect((await app.send('GET', '/v1/datasets?name=sales')).body.data).toEqual([made.body]);
    expect((await app.send('GET', '/v1/datasets?name=Sales')).body).toEqual({ data: [], nextCursor: null });
    const { other: key } = app.keys;
    expect(outcome(await app.send('GET', `/v1/datasets/${made.body.id}`, { key }))).toBe('404 NOT_FOUND');
    expect((await app.send('GET', '/v1/datasets', { key })).body.data).toEqual([]);
    expect((await app.send('POST', '/v1/datasets', { key, json: { name: 'sales' } })).status).toBe(201);
  });

  it('need a name that is short, not blank and without control characters', async () => {
    using app = await startApp();
    for (const name of ['', '   ', 'x'.repeat(256), 'a\u0000b', '\ud800', 7, undefined]) {
      const answer = await app.send('POST', '/v1/datasets', { json: { name } });
      expect([outcome(answer), answer.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/name']);
    }
    const extra = await app.send('POST', '/v1/datasets', { json: { name: 'a', colour: 'red' } });
    expect(outcome(extra)).toBe('422 VALIDATION_FAILED');
  });

  it('that do not exist, or whose id has another form, are not found by any route', async () => {
    using app = await startApp();
    const json = { sql: 'select 1' };
    for (const id of [nowhere, 'x', 'ds_1', `${nowhere}0`, nowhere.toLowerCase(), '%00']) {
      expect(outcome(await app.send('GET', `/v1/datasets/${id}`))).toBe('404 NOT_FOUND');
      expect(outcome(await app.send('GET', `/v1/datasets/${id}/tables`))).toBe('404 NOT_FOUND');
      expect(outcome(await app.send('POST', `/v1/datasets/${id}/query`, { json }))).toBe('404 NOT_FOUND');
      const upload = await app.send('POST', `/v1/datasets/${id}/files?name=a.csv`, { body: 'a\n1\n' });
      expect(outcome(upload)).toBe('404 NOT_FOUND');
    }
  });
});

describe('a list', () => {
  it('goes on where its cursor says, and ends with a null cursor', async () => {
    using app = await startApp();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await app.send('POST', '/v1/datasets', { json: { name } });
    const seen: string[] = [];
    let next = '';
    do {
      const page = (await app.send('GET', `/v1/datasets?limit=2${next}`)).body;
      seen.push(...page.data.map((each: { name: string }) => each.name));
      next = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (next !== '');
    expect(seen.sort()).toEqual(names);
  });

  it('refuses a cursor of another list, another filter, another tenant, or of nobody', async () => {
    using app = await startApp();
    for (const name of ['a', 'b']) {
      await app.send('POST', '/v1/datasets', { json: { name } });
      await app.send('POST', '/v1/jobs', { json: { kind: 'echo', input: { say: name } } });
    }
    const { nextCursor } = (await app.send('GET', '/v1/jobs?limit=1')).body;
    expect(nextCursor).toEqual(expect.any(String));
    expect((await app.send('GET', `/v1/jobs?limit=1&cursor=${nextCursor}`)).status).toBe(200);
    const flipped = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('AA') ? 'BB' : 'AA'}`;
    const refused = [
      app.send('GET', `/v1/datasets?cursor=${nextCursor}`),
      app.send('GET', `/v1/jobs?status=queued&cursor=${nextCursor}`),
      app.send('GET', `/v1/jobs?cursor=${nextCursor}`, { key: app.keys.other }),
      app.send('GET', `/v1/jobs?cursor=${flipped}`),
      app.send('GET', '/v1/jobs?cursor=AAAA'),
    ];
    for (const answer of await Promise.all(refused)) {
      expect([outcome(answer), answer.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/query/cursor']);
    }
  });

  it('refuses a limit that is none, too many, given twice, and parameters that it does not know', async () => {
    using app = await startApp();
    for (const query of ['limit=0', 'limit=101', 'limit=', 'limit=1e1', 'limit=1&limit=2', 'colour=red', 'status=x']) {
      expect(outcome(await app.send('GET', `/v1/jobs?${query}`))).toBe('422 VALIDATION_FAILED');
    }
  });
});
