import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryParams } from '../../../lib/query/types.ts';
import { writeResult } from '../../../lib/query/result-file.ts';
import { runQuery } from '../../../lib/query/run-query.ts';
import { aDataset, type Dataset, faultOf } from './world.ts';

let data: Dataset;
let path: string;
beforeAll(async () => {
  data = await aDataset();
  path = join(data.spill, 'result');
});
afterAll(() => data[Symbol.asyncDispose]());

const write = (sql: string, params?: QueryParams, rows = Infinity) =>
  writeResult({ sql, params, into: { format: 'parquet', path, rows, bytes: 1_000_000 } }, data.world);

/** What the file says, read by DuckDB. */
async function readBack(sql: string) {
  const file = { name: 'file', parts: [path] };
  const { columns, rows } = await runQuery({ sql }, { ...data.world, tables: [file] });
  return { types: columns.map(({ type }) => type), rows };
}

async function written(sql: string, params?: QueryParams, rows?: number) {
  try {
    const { rowCount, truncated } = await write(sql, params, rows);
    return { ...(await readBack('from file')), rowCount, truncated };
  } finally {
    await rm(path, { force: true });
  }
}

describe('a value in Parquet is the value', () => {
  it.each([
    ['12345678901234567890123::hugeint', 'DECIMAL(38,0)', '12345678901234567890123'],
    ['sum(i) from (values (1::integer), (2)) t(i)', 'DECIMAL(38,0)', '3'],
    ["interval '1 day 1 microsecond'", 'VARCHAR', '1 day 00:00:00.000001'],
    ["timetz '12:00:00+02'", 'VARCHAR', '12:00:00+02'],
    ["timestamp_ns '2024-01-01 00:00:00.123456789'", 'TIMESTAMP_NS', '2024-01-01T00:00:00.123456789'],
    ["timestamptz '2024-01-01 00:00:00+02'", 'TIMESTAMP WITH TIME ZONE', '2023-12-31T22:00:00Z'],
    ["date 'infinity'", 'DATE', 'infinity'],
    ['-1e400', 'DOUBLE', '-Infinity'],
    ["'101'::bit", 'VARCHAR', '101'],
    [`'${'9'.repeat(46)}'::bignum`, 'VARCHAR', '9'.repeat(46)],
    [`'{"a": 1.10}'::json`, 'JSON', { a: 1.1 }],
    [
      "{'a b': 1::hugeint, 'l': [1::hugeint]}",
      'STRUCT("a b" DECIMAL(38,0), "l" DECIMAL(38,0)[])',
      { 'a b': '1', l: ['1'] },
    ],
    ['map {1: 2::hugeint}', 'MAP(INTEGER, DECIMAL(38,0))', [{ key: 1, value: '2' }]],
    ['[1, 2]::integer[2]', 'INTEGER[]', [1, 2]],
    ["union_value(k := 'x')", 'VARCHAR', 'x'],
    ["'a'::enum('a', 'b')", 'VARCHAR', 'a'],
    ['null', 'INTEGER', null],
    ["'\u00e9\ud83d\ude00'", 'VARCHAR', 'é😀'],
  ])('%s', async (expression, type, value) => {
    expect(
      await written(
        `select ${expression.replace(' from', ' as v from')}${expression.includes(' from') ? '' : ' as v'}`,
      ),
    ).toEqual({
      ...{ types: [type], rows: [[value]], rowCount: 1, truncated: false },
    });
  });

  it('or refused where no type keeps it', async () => {
    const fault = await faultOf(write('select 170141183460469231731687303715884105727::hugeint as v'));
    expect(fault?.code).toBe('SQL_INVALID');
    await rm(path, { force: true });
  });
});

describe('the rows in Parquet are those of the statement', () => {
  it('in their order, with parameters, up to the limit', async () => {
    const sql = 'select id, "id" + $n as "a""b" from sales order by id desc; -- end ;';
    const answer = await written(sql, { n: 1 }, 3);
    expect(answer).toMatchObject({
      rows: [
        [9999, 10_000],
        [9998, 9999],
        [9997, 9998],
      ],
      rowCount: 3,
      truncated: true,
    });
    expect(await written('from range(3)', undefined, 3)).toMatchObject({ rowCount: 3, truncated: false });
    expect(await written('from empty')).toMatchObject({ rowCount: 0, types: ['DECIMAL(10,2)'] });
  });

  it.each([
    'from sales',
    'table sales',
    'values (1)',
    '(select 1 as a) union all (select 2) order by 1',
    "with a as (select ';' as b) select * from a /* ; */ ;;",
    "pivot sales on city in ('city 1') using count(*) limit 2",
    'with recursive r as (select 1 a union all select a + 1 from r where a < 4) select * from r',
  ])('of any form: %s', async (sql) => {
    const { rows } = await written(sql, undefined, 5);
    expect(rows).toEqual((await runQuery({ sql, limit: 5 }, data.world)).rows);
  });

  it('and no fault shows where the file was to be', async () => {
    for (const sql of ['select nope from sales', 'select city::int as a from sales', 'select 1 as a, 1 as a']) {
      const fault = await faultOf(write(sql));
      expect(JSON.stringify([fault?.detail, fault?.extra])).not.toContain(data.directory);
      await rm(path, { force: true });
    }
    expect((await faultOf(write('select\n  city::int as a from sales')))?.extra).toMatchObject({ line: 2 });
  });
});
