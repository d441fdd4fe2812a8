import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { millis } from '../../../lib/core/time.ts';
import { runQuery } from '../../../lib/query/run-query.ts';
import type { QueryLimits } from '../../../lib/query/types.ts';
import { aDataset, codeOf, type Dataset, left } from './world.ts';

vi.setConfig({ testTimeout: 60_000 });

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const run = (sql: string, limits: Partial<QueryLimits> = {}, limit?: number, signal?: AbortSignal) =>
  runQuery({ sql, limit }, { ...data.world, limits: { ...data.world.limits, ...limits }, signal });

const stillAnswers = async () => {
  expect((await run('select count(*), sum(id) from sales')).rows).toEqual([[10_000, 49_995_000]]);
  expect(await left(data.spill)).toEqual([]);
};

describe('an answer stops at the limit and says so', () => {
  it.each([
    [3, 1000, 3, true],
    [9999, 1000, 1000, true],
    [undefined, 1000, 1000, true],
    [10_000, 20_000, 10_000, false],
    [10_001, 20_000, 10_000, false],
    [9999, 20_000, 9999, true],
    [0, 1000, 0, true],
  ])('limit %s under a cap of %i gives %i rows', async (limit, rowCap, rowCount, truncated) => {
    const answer = await run('select id from sales', { rowCap }, limit);
    expect([answer.rows.length, answer.rowCount, answer.truncated]).toEqual([rowCount, rowCount, truncated]);
  });

  it('a billion rows cost the first few only', async () => {
    for (const sql of ['from range(1000000000000)', 'select a.id, b.id, c.id from sales a, sales b, sales c']) {
      const answer = await run(sql, {}, 5);
      expect([answer.rowCount, answer.truncated]).toEqual([5, true]);
    }
    await stillAnswers();
  });

  it('rows beyond the bytes are refused', async () => {
    expect(await codeOf(run("select repeat('x', 1000) from range(100)", { resultBytes: 50_000 }))).toBe(
      'RESULT_TOO_LARGE',
    );
    expect(await codeOf(run("select repeat('x', 3000000)", { resultBytes: 50_000 }))).toBe('RESULT_TOO_LARGE');
    await stillAnswers();
  });
});

describe('what runs for ever ends by the time limit, and the next query works', () => {
  it.each([
    'select count(*) from range(1000000) a, range(1000000) b',
    'select count(*) from sales a, sales b, sales c, sales d',
    'with recursive r as (select 1 a union all select a + 1 from r) select count(*) from r',
    'with recursive r as (select 1 a union all select 1 from r) select * from r where a = 2',
    'select sleep from (select sum(sin(range)) as sleep from range(100000000000))',
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql, { timeoutMs: millis(300) }))).toBe('QUERY_TIMEOUT');
    await stillAnswers();
  });

  it('a query is cancelled by its signal', async () => {
    const cancel = new AbortController();
    const answer = codeOf(run('select count(*) from range(1000000) a, range(1000000) b', {}, undefined, cancel.signal));
    cancel.abort();
    expect(await answer).toBe('CANCELLED');
    expect(await codeOf(run('select 1', {}, undefined, AbortSignal.abort()))).toBe('CANCELLED');
    await stillAnswers();
  });
});

describe('what needs too much memory is told so, and the next query works', () => {
  it.each([
    'select list(range) from range(1000000000)',
    'select string_agg(range::varchar) from range(1000000000)',
    'select count(*) from (select distinct range from range(1000000000))',
    'with recursive r as (select 1 a union all select r.a from r, range(8)) select count(*) from r',
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql, { memoryMb: 60, tempMb: 0 }))).toBe('QUERY_MEMORY');
    await stillAnswers();
  });

  it('a sort that does not fit spills, within its disk', async () => {
    const sql =
      "select max(a) from (select md5(range::varchar) || repeat('x', 100) a from range(400000) order by 1 limit 399999)";
    expect(await codeOf(run(sql, { memoryMb: 40, tempMb: 500 }))).toBe('answered');
    expect(await codeOf(run(sql, { memoryMb: 40, tempMb: 0 }))).toBe('QUERY_MEMORY');
    expect(await codeOf(run(sql, { memoryMb: 40, tempMb: 2 }))).toBe('QUERY_MEMORY');
    await stillAnswers();
  });
});

it('two queries in one process do not see each other', async () => {
  const slow = codeOf(run('select count(*) from range(1000000) a, range(1000000) b', { timeoutMs: millis(600) }));
  const narrow = { ...data.world, tables: data.world.tables.slice(1) };
  const quick = await Promise.all(Array.from({ length: 8 }, (_, index) => run(`select ${index}, count(*) from sales`)));
  expect(quick.map(({ rows }) => rows[0])).toEqual(Array.from({ length: 8 }, (_, index) => [index, 10_000]));
  expect(await codeOf(runQuery({ sql: 'from sales' }, narrow))).toBe('SQL_INVALID');
  expect(await slow).toBe('QUERY_TIMEOUT');
  await stillAnswers();
});
