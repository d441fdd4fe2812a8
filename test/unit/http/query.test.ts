import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { outcome, withDataset } from './harness.ts';

describe('a query', () => {
  it('is given the caller’s scope, and its faults are problems', async () => {
    const asked: object[] = [];
    using app = await withDataset({
      query: async (request) => {
        asked.push(request);
        throw new Fault('SQL_NOT_SELECT', 'It is a DROP.');
      },
    });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, {
      json: { sql: 'drop table t', limit: 5 },
    });
    expect([outcome(answer), answer.body.detail]).toEqual(['422 SQL_NOT_SELECT', 'It is a DROP.']);
    const scope = { tenant: 't1', workspace: 'main' };
    expect(asked).toMatchObject([{ scope, dataset: app.dataset, sql: 'drop table t', limit: 5 }]);
    const elsewhere = { json: { sql: 'select 1' }, key: app.keys.other };
    expect(outcome(await app.send('POST', `/v1/datasets/${app.dataset}/query`, elsewhere))).toBe('404 NOT_FOUND');
  });

  it('is answered elsewhere where no query function is given', async () => {
    using app = await withDataset({ query: undefined });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, { json: { sql: 'select 1' } });
    expect(outcome(answer)).toBe('404 ROUTE_NOT_FOUND');
    expect((await app.send('GET', `/v1/datasets/${app.dataset}/query`)).headers.get('allow')).toBe('OPTIONS, POST');
  });
});
