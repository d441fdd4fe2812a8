import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { askHere } from '../../../lib/query/ask.ts';
import { aDataset, type Dataset } from '../query/world.ts';
import { outcome, withDataset } from './harness.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

describe('a query', () => {
  it('is given the caller’s scope, and its faults are problems', async () => {
    const asked: object[] = [];
    using app = await withDataset({
      query: async (want, request) => {
        asked.push({ want, ...request });
        throw new Fault('SQL_NOT_SELECT', 'It is a DROP.');
      },
    });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, {
      json: { sql: 'drop table t', limit: 5 },
    });
    expect([outcome(answer), answer.body.detail]).toEqual(['422 SQL_NOT_SELECT', 'It is a DROP.']);
    const scope = { tenant: 't1', workspace: 'main' };
    expect(asked).toMatchObject([{ want: 'rows', scope, dataset: app.dataset, sql: 'drop table t', limit: 5 }]);
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

describe('SQL over HTTP', () => {
  const asking = async (path: string, json: object) => {
    using app = await withDataset({ query: (want, request) => askHere(want, request, data.world) });
    return await app.send('POST', `/v1/datasets/${app.dataset}/query${path}`, { json });
  };

  it('takes named parameters', async () => {
    const sql = 'select count(*), $d from sales where city = $city';
    const params = { city: 'city 1', d: { type: 'DATE', value: '2024-01-31' } };
    expect((await asking('', { sql, params })).body).toMatchObject({ rows: [[1429, '2024-01-31']] });
    expect((await asking('/validate', { sql, params })).body).toMatchObject({
      columns: [{ type: 'BIGINT' }, { type: 'DATE' }],
      parameters: [{ name: 'd' }, { name: 'city', type: 'VARCHAR' }],
    });
    expect((await asking('/explain', { sql, params })).body.plan).toHaveLength(1);
  });

  it.each<[string, object, string, string]>([
    ['none', {}, '422 SQL_PARAMETER', '#/params/n'],
    ['another', { params: { n: 1, m: 2 } }, '422 SQL_PARAMETER', '#/params/m'],
    ['a wrong type', { params: { n: { type: 'DATE', value: 'x' } } }, '422 SQL_PARAMETER', '#/params/n'],
    ['an object', { params: { n: { a: 1 } } }, '422 VALIDATION_FAILED', '#/params/n'],
    ['a list', { params: { n: [1] } }, '422 VALIDATION_FAILED', '#/params/n'],
    ['no object', { params: [1] }, '422 VALIDATION_FAILED', '#/params'],
    [
      'too many',
      { params: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, n])) },
      '422 VALIDATION_FAILED',
      '#/params',
    ],
  ])('names what is wrong with its parameters: %s', async (_what, given, code, pointer) => {
    const answer = await asking('', { sql: 'select $n', ...given });
    expect([outcome(answer), answer.body.errors[0].pointer]).toEqual([code, pointer]);
  });
});
