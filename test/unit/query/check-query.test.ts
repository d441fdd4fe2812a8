import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkQuery, explainQuery } from '../../../lib/query/check-query.ts';
import { millis } from '../../../lib/core/time.ts';
import { aDataset, codeOf, type Dataset, faultOf, left } from './world.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const check = (sql: string, params?: Record<string, string | number>) => checkQuery({ sql, params }, data.world);
const explain = (sql: string, params?: Record<string, string | number>) => explainQuery({ sql, params }, data.world);

describe('validate says what a statement would answer', () => {
  it('its columns and the parameters that it takes', async () => {
    expect(await check('select id, price, {a: city} as s from sales where id > $from and city = $city')).toEqual({
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'price', type: 'DECIMAL(10,2)' },
        { name: 's', type: 'STRUCT("a" VARCHAR)' },
      ],
      parameters: [
        { name: 'from', type: 'BIGINT' },
        { name: 'city', type: 'VARCHAR' },
      ],
      tables: ['sales'],
      repeatable: true,
    });
  });

  it.each([
    ['select 1', []],
    ['from main.SALES', ['sales']],
    ['with sales as (select 1 as a) from sales', []],
    ['with other as (from sales) from other', ['sales']],
    ['with recursive r as (select 1 as n union all select n + 1 from r, sales where n < 3) from r', ['sales']],
    ["select 'sales' as a where exists (select 1 from sales)", ['sales']],
    ["select 'sales' as sales", []],
  ])('which tables it reads: %s', async (sql, tables) => {
    expect((await check(sql)).tables).toEqual(tables);
  });

  it.each([
    ['select now() as a', false],
    ["select age(day) as a from (select date '2024-01-31' as day)", false],
    ["select id from sales where CURRENT_DATE > date '2024-01-31'", false],
    ["select 'Today'::date as a", false],
    ['from sales using sample 1', false],
    ['from sales tablesample 10%', false],
    ['with a as (select random() as r) select 1 as n from a', false],
    ["select date '2024-01-31' as today, count(*) as now from sales", true],
  ])('and whether it answers the same each time: %s', async (sql, repeatable) => {
    expect((await check(sql)).repeatable).toBe(repeatable);
  });

  it('the columns follow from the values where the SQL alone does not say them', async () => {
    const parameters = [{ name: 'a', type: null }];
    expect(await check('select $a as a')).toMatchObject({ columns: null, parameters });
    expect(await check('select $a as a', { a: 5 })).toMatchObject({
      columns: [{ name: 'a', type: 'INTEGER' }],
      parameters,
    });
  });

  it('without running it', async () => {
    const endless = 'select count(*) from range(1000000) a, range(1000000) b';
    const world = { ...data.world, limits: { ...data.world.limits, timeoutMs: millis(5000) } };
    expect((await checkQuery({ sql: endless }, world)).columns).toEqual([{ name: 'count_star()', type: 'BIGINT' }]);
    expect((await check("select error('never') as e from sales")).columns).toEqual([{ name: 'e', type: 'INTEGER' }]);
  });

  it.each([
    ['selec 1', 'SQL_INVALID'],
    ['select nope from sales', 'SQL_INVALID'],
    ['drop view sales', 'SQL_NOT_SELECT'],
    ['select 1; select 2', 'SQL_NOT_SELECT'],
    ["select * from read_text('/etc/passwd')", 'SQL_FORBIDDEN'],
    ["select current_setting('threads')", 'SQL_FORBIDDEN'],
  ])('or the problem that running it would be: %s', async (sql, code) => {
    expect([await codeOf(check(sql)), await codeOf(explain(sql))]).toEqual([code, code]);
  });

  it('values are checked where there are some', async () => {
    const sql = 'select * from sales where id = $id';
    expect((await faultOf(check(sql, { id: 'x' })))?.errors[0]?.pointer).toBe('#/params/id');
    expect(await codeOf(check(sql, {}))).toBe('SQL_PARAMETER');
    expect(await codeOf(check(sql, { id: '7' }))).toBe('answered');
  });
});

describe('explain answers the plan', () => {
  it('as operators, without a path of the machine', async () => {
    const { plan } = await explain('select city, count(*) from sales where id > $n group by all -- ;', { n: 5 });
    const text = JSON.stringify(plan);
    expect(plan[0]).toMatchObject({ name: expect.any(String), children: [expect.anything()] });
    expect(text).toContain('READ_PARQUET');
    expect(text).not.toContain(data.directory);
    expect(await left(data.spill)).toEqual([]);
  });

  it('of any one SELECT', async () => {
    for (const sql of ['from sales', '(select 1) union all (select 2);', 'values (1)', 'with a as (select 1) from a'])
      expect(await codeOf(explain(sql)), sql).toBe('answered');
  });

  it('with the place of a mistake in the SQL that was sent', async () => {
    expect((await faultOf(explain('select\n  $p + 1', { p: 'x' })))?.extra).toEqual({ line: 2, column: 6 });
  });
});
