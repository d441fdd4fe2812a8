import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryParams } from '../../../lib/query/types.ts';
import { runQuery } from '../../../lib/query/run-query.ts';
import { aDataset, type Dataset, faultOf } from './world.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const run = (sql: string, params?: QueryParams) => runQuery({ sql, params }, data.world);
const valueOf = async (sql: string, params: QueryParams) => (await run(sql, params)).rows[0]?.[0];
const typed = (type: string, value: string | number | boolean | null) => ({ p: { type, value } });

describe('a value is bound and never read as SQL', () => {
  it.each([
    "x'; drop view sales; --",
    "' or 1=1 --",
    'city 1" or "1"="1',
    '$$; select 1',
    '/* */ union select 1',
    'a\0b',
    '\u2028\ud83d\ude00',
  ])('%j', async (text) => {
    expect((await run('select $p as p, (select count(*) from sales where city = $p) as n', { p: text })).rows).toEqual([
      [text, 0],
    ]);
  });

  it('wherever an expression may stand', async () => {
    const sql = `with recursive r as (select $from as a union all select a + 1 from r where a < $to)
      select sum(a), list_transform([1], lambda x: x + $from)[1], (select count(*) from sales where city in ($city, $CITY))
      from r limit $one`;
    const answer = await run(sql, { from: 1, to: 4, City: 'city 1', one: 1 });
    expect(answer.rows).toEqual([[10, 2, 1429]]);
  });

  it('but it names no table, no type and no file', async () => {
    const opens = [
      ['select * from $p', 'sales'],
      ['select * from query_table($p)', 'sales'],
      ['select * from read_text($p)', '/etc/passwd'],
      ["select '1'::$p", 'int'],
      ['select * from glob($p)', '/*'],
      ['select getvariable($p)', 'x'],
    ] as const;
    for (const [sql, p] of opens)
      expect((await faultOf(run(sql, { p })))?.code, sql).toMatch(/^SQL_(INVALID|FORBIDDEN)$/);
  });
});

describe('JSON values have the types that they look like', () => {
  it.each([
    ['a', 'VARCHAR'],
    [true, 'BOOLEAN'],
    [7, 'INTEGER'],
    [-2_147_483_649, 'BIGINT'],
    [9_007_199_254_740_991, 'BIGINT'],
    [1.5, 'DOUBLE'],
    [-0, 'DOUBLE'],
    [null, '"NULL"'],
  ])('%j is %s', async (p, type) => {
    expect((await run('select typeof($p), $p', { p })).rows).toEqual([[type, p]]);
  });

  it('and a text where a date or number is wanted is read as one', async () => {
    expect(await valueOf('select count(*) from sales where price = $p', { p: '1.10' })).toBe(1);
    expect(await valueOf("select count(*) from (select date '2024-01-31' d) where d < $p", { p: '2024-02-01' })).toBe(
      1,
    );
  });
});

describe('typed values keep every digit', () => {
  it.each([
    ['DATE', '2024-02-29', '2024-02-29'],
    ['date', 'infinity', 'infinity'],
    ['TIME', '12:34:56.123456', '12:34:56.123456'],
    ['TIMETZ', '12:34:56+02:00', '12:34:56+02:00'],
    ['TIMESTAMP', '2024-02-29T12:34:56.123456', '2024-02-29T12:34:56.123456'],
    ['TIMESTAMP_NS', '2024-02-29 12:34:56.123456789', '2024-02-29T12:34:56.123456789'],
    ['TIMESTAMPTZ', '2024-02-29T12:00:00+02:00', '2024-02-29T10:00:00Z'],
    ['INTERVAL', '3 days', 'P3D'],
    ['INTERVAL', '1 year 2 months 1.5 hours 4.000005 seconds', 'P1Y2MT1H30M4.000005S'],
    ['INTERVAL', '0.250 milliseconds', 'PT0.000250S'],
    ['DATE', '+012024-01-01', '+012024-01-01'],
    ['DATE', '-000043-03-15', '-000043-03-15'],
    ['DATE', '+5881580-07-10', '+5881580-07-10'],
    ['TIMESTAMP', '+294247-01-10T04:00:54.775806', '+294247-01-10T04:00:54.775806'],
    ['TIMESTAMPTZ', '-000043-03-15T12:00:00Z', '-000043-03-15T12:00:00Z'],
    ['DOUBLE', '0.1', 0.1],
    ['DOUBLE', '0.10000000000000001', 0.1],
    ['DOUBLE', '+1.50e2', 150],
    ['DOUBLE', '5e-324', 5e-324],
    ['DECIMAL(38,10)', '1234567890123456789012345678.0123456789', '1234567890123456789012345678.0123456789'],
    ['DECIMAL(3,1)', '1.500', '1.5'],
    ['HUGEINT', '170141183460469231731687303715884105727', '170141183460469231731687303715884105727'],
    ['BIGNUM', '9'.repeat(60), '9'.repeat(60)],
    ['UBIGINT', 5, 5],
    ['DOUBLE', 'NaN', 'NaN'],
    ['UUID', '00000000-0000-0000-0000-0000000000ff', '00000000-0000-0000-0000-0000000000ff'],
    ['BLOB', 'AP8=', 'AP8='],
    ['BOOLEAN', true, true],
    ['INTEGER', null, null],
    ['VARCHAR', "it's", "it's"],
  ])('%s %j', async (type, value, answer) => {
    expect(await valueOf('select $p', typed(type, value))).toBe(answer);
  });

  it('lists of them too', async () => {
    const p = { type: 'VARCHAR[]', value: ['city 1', null, 'city 3'] };
    expect((await run('select count(*) from sales where city in $p', { p })).rows).toEqual([[2858]]);
    expect(await valueOf('select $p', { p: { type: 'DECIMAL(4,2)[]', value: [1, '2.50'] } })).toEqual(['1.00', '2.50']);
    expect(await valueOf('select $p', { p: { type: 'BLOB[]', value: ['AP8='] } })).toEqual(['AP8=']);
  });
});

describe('a parameter that does not fit is a problem that names it', () => {
  it.each<[string, string, QueryParams | undefined, string, string]>([
    ['missing', 'select $a', undefined, '#/params/a', '$a is missing'],
    ['missing though others are there', 'select $a, $b', { b: 1 }, '#/params/a', '$a is missing'],
    ['unused', 'select 1', { 'x/y': 1 }, '#/params/x~1y', 'no parameter $x/y'],
    ['given twice', 'select $a', { a: 1, A: 2 }, '#/params/a', 'given twice'],
    ['past 2^53', 'select $p', { p: 2 ** 53 }, '#/params/p', 'HUGEINT'],
    ['half a pair', 'select $p', { p: '\ud800' }, '#/params/p', 'surrogate'],
    ['half a pair in its name', 'select 1', { '\ud800': 1 }, '#/params/%EF%BF%BD', 'no parameter'],
    ['no date', "select date '2024-01-01' < $p", { p: 'soon' }, '#/params/p', 'DATE'],
    ['rounded by its column', 'select * from sales where price = $p', { p: '1.105' }, '#/params/p', 'DECIMAL(10,2)'],
    ['rounded by its type', 'select $p', typed('DECIMAL(3,1)', '1.55'), '#/params/p', 'DECIMAL(3,1)'],
    ['cut by its type', 'select $p', typed('INTEGER', '1.5'), '#/params/p', 'INTEGER'],
    ['too large', 'select $p', typed('TINYINT', '300'), '#/params/p', 'TINYINT'],
    ['no such day', 'select $p', typed('DATE', '2024-02-30'), '#/params/p', 'DATE'],
    ['an infinity by overflow', 'select $p', typed('DOUBLE', '1e400'), '#/params/p', 'DOUBLE'],
    ['a zero by underflow', 'select $p', typed('DOUBLE', '1e-400'), '#/params/p', 'DOUBLE'],
    ['no double', 'select $p', typed('DOUBLE', '9007199254740993'), '#/params/p', 'DOUBLE'],
    ['less than a microsecond', 'select $p', typed('INTERVAL', '1 day 0.0000005 seconds'), '#/params/p', 'INTERVAL'],
    ['less than it on a clock', 'select $p', typed('INTERVAL', '1 day 12:30:00.1234567'), '#/params/p', 'INTERVAL'],
    ['a part of a month', 'select $p', typed('INTERVAL', '1.55 months'), '#/params/p', 'INTERVAL'],
    ['a part of a year', 'select $p', typed('INTERVAL', '1.3 years'), '#/params/p', 'INTERVAL'],
    ['of no type', 'select $p', typed('regclass', '1'), '#/params/p', 'regclass'],
    ['of a type that is SQL', 'select $p', typed('INTEGER) , (select 1', '1'), '#/params/p', 'cannot be of type'],
    ['a list for one', 'select $p', { p: { type: 'DATE', value: ['2024-01-01'] } }, '#/params/p', '[]'],
    ['one for a list', 'select $p', typed('DATE[]', '2024-01-01'), '#/params/p', 'array'],
    ['wrong in a list', 'select $p', { p: { type: 'DATE[]', value: ['2024-01-01', 'x'] } }, '#/params/p', '"x"'],
  ])('%s', async (_what, sql, params, pointer, words) => {
    const fault = await faultOf(run(sql, params));
    expect([fault?.code, fault?.errors[0]?.pointer]).toEqual(['SQL_PARAMETER', pointer]);
    expect(fault?.detail).toContain(words);
  });
});
