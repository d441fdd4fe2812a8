import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { millis } from '../../../lib/core/time.ts';
import { createQueryProcess, type QueryProcess } from '../../../lib/query/query-process.ts';
import type { QueryLimits } from '../../../lib/query/types.ts';
import { aDataset, codeOf, type Dataset, faultOf, left } from './world.ts';

vi.setConfig({ testTimeout: 60_000 });

const entry = fileURLToPath(new URL('../../../lib/query/query-worker.ts', import.meta.url));
const options = { entry, processMb: 300, environment: {}, processes: 1 };

let data: Dataset;
let queries: QueryProcess;
beforeAll(async () => {
  data = await aDataset();
  queries = createQueryProcess(options);
});
afterAll(async () => {
  await queries[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

const run = (sql: string, limits: Partial<QueryLimits> = {}, signal?: AbortSignal) =>
  queries.ask('rows', { sql }, { ...data.world, limits: { ...data.world.limits, ...limits }, signal });

const stillAnswers = async () => {
  expect((await run('select count(*) from sales')).rows).toEqual([[10_000]]);
  expect(await left(data.spill)).toEqual([]);
};

it('answers and faults are those of the query', async () => {
  const answer = await run('select id, price from sales order by id desc limit 1');
  expect(answer).toMatchObject({
    columns: [
      { name: 'id', type: 'BIGINT' },
      { name: 'price', type: 'DECIMAL(10,2)' },
    ],
    rows: [[9999, '99.99']],
  });
  const fault = await faultOf(run('select nope from sales'));
  expect([fault?.code, fault?.extra]).toEqual(['SQL_INVALID', { line: 1, column: 8 }]);
});

describe('what no interrupt ends is killed, and the next query works', () => {
  const nested = `select ${'list_transform([1], lambda x: '.repeat(60)}1${')'.repeat(60)}`;
  it.each([
    ['a plan that grows with every lambda', nested],
    [
      'columns that double at every level',
      `select * from ${'(select *, * from '.repeat(24)}(select 1 as a)${')'.repeat(24)}`,
    ],
    ['a cross join of 10^12 rows, sorted', 'from range(1000000) a, range(1000000) b order by a.range + b.range desc'],
    [
      'one call over long texts',
      "select max(levenshtein(repeat('a', 30000), repeat('b', 30000 + range::int))) from range(10)",
    ],
  ])('%s', async (_what, sql) => {
    expect(await codeOf(run(sql, { timeoutMs: millis(200) }))).toBe('QUERY_TIMEOUT');
    await stillAnswers();
  });

  it('a cancelled query ends at once', async () => {
    const cancel = new AbortController();
    const answer = codeOf(run(nested, {}, cancel.signal));
    cancel.abort();
    expect(await answer).toBe('CANCELLED');
    await stillAnswers();
  });
});

describe('memory outside the accounts of DuckDB ends by a limit too', () => {
  // Only Linux has the cap; elsewhere the kill remains.
  const codes = process.platform === 'linux' ? ['QUERY_MEMORY'] : ['QUERY_MEMORY', 'QUERY_TIMEOUT'];
  it.each([
    'select len(range(200000000))',
    "with recursive r as (select 'x' s union all select s || s from r) select max(length(s)) from r",
    "select printf('%2000000000d', 1) = 'x'",
    "select sum(length(repeat('x', range::int + 3000000))) from range(1000)",
  ])('%s', async (sql) => {
    expect(codes).toContain(await codeOf(run(sql, { timeoutMs: millis(10_000) })));
    await stillAnswers();
  });
});

it('a process that dies is replaced, and nobody waits for it', async () => {
  await using broken = createQueryProcess({ ...options, entry: `${entry}.missing` });
  expect(await codeOf(broken.ask('rows', { sql: 'select 1' }, data.world))).toBe('UNAVAILABLE');
  expect(await codeOf(broken.ask('rows', { sql: 'select 1' }, data.world))).toBe('UNAVAILABLE');
  expect(await left(data.spill)).toEqual([]);
});

it('an engine that was opened ahead keeps the limits of its query, and knows nothing of the one before', async () => {
  const most = { memoryMb: 60, tempMb: 0 };
  const hungry = 'select count(*) from (select distinct range from range(1000000000))';
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await run('select city from sales limit 1')).rowCount).toBe(1);
    expect(await codeOf(run(hungry, most))).toBe('QUERY_MEMORY');
    const narrow = { ...data.world, tables: data.world.tables.slice(1) };
    expect(await codeOf(queries.ask('rows', { sql: 'from sales' }, narrow))).toBe('SQL_INVALID');
  }
  await stillAnswers();
});

it('queries wait their turn for a process', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => run(`select ${index}`)));
  expect(answers.map(({ rows }) => rows[0]?.[0])).toEqual([0, 1, 2, 3, 4]);
});

it('the child has nothing of the environment', async () => {
  const fault = await faultOf(run("select getenv('PATH')"));
  expect(fault?.code).toBe('SQL_FORBIDDEN');
});
