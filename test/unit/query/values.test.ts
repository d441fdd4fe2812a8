import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runQuery } from '../../../lib/query/run-query.ts';
import { aDataset, type Dataset, faultOf } from './world.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const one = async (expression: string) => {
  const answer = await runQuery({ sql: `select ${expression} as v` }, data.world);
  return { type: answer.columns[0]?.type, value: answer.rows[0]?.[0] };
};

describe('every type of DuckDB has one JSON form', () => {
  it.each<[string, string, unknown]>([
    ['true', 'BOOLEAN', true],
    ['null::boolean', 'BOOLEAN', null],
    ['(-128)::tinyint', 'TINYINT', -128],
    ['32767::smallint', 'SMALLINT', 32_767],
    ['2147483647', 'INTEGER', 2_147_483_647],
    ['255::utinyint', 'UTINYINT', 255],
    ['65535::usmallint', 'USMALLINT', 65_535],
    ['4294967295::uinteger', 'UINTEGER', 4_294_967_295],
    ['9007199254740991', 'BIGINT', 9_007_199_254_740_991],
    ['9007199254740992', 'BIGINT', '9007199254740992'],
    ['9007199254740993', 'BIGINT', '9007199254740993'],
    ['-9007199254740991', 'BIGINT', -9_007_199_254_740_991],
    ['-9007199254740993', 'BIGINT', '-9007199254740993'],
    ['18446744073709551615::ubigint', 'UBIGINT', '18446744073709551615'],
    ['sum(1)', 'HUGEINT', 1],
    ['170141183460469231731687303715884105727', 'HUGEINT', '170141183460469231731687303715884105727'],
    ['340282366920938463463374607431768211455::uhugeint', 'UHUGEINT', '340282366920938463463374607431768211455'],
    ['12::bignum', 'BIGNUM', 12],
    [`'1${'0'.repeat(60)}'::bignum`, 'BIGNUM', `1${'0'.repeat(60)}`],
    ['1.10', 'DECIMAL(3,2)', '1.10'],
    ['(-0.05)::decimal(18,3)', 'DECIMAL(18,3)', '-0.050'],
    ['5::decimal(4,0)', 'DECIMAL(4,0)', '5'],
    [
      "'12345678901234567890123456789012345.678'::decimal(38,3)",
      'DECIMAL(38,3)',
      '12345678901234567890123456789012345.678',
    ],
    ['0.1::double', 'DOUBLE', 0.1],
    ['1e300::double', 'DOUBLE', 1e300],
    ["'nan'::double", 'DOUBLE', 'NaN'],
    ["'inf'::double", 'DOUBLE', 'Infinity'],
    ['1e400', 'DOUBLE', 'Infinity'],
    ['-1e400', 'DOUBLE', '-Infinity'],
    ['1'.repeat(400), 'DOUBLE', 'Infinity'],
    [`'Infinity "NaN" \\"-Infinity'`, 'VARCHAR', 'Infinity "NaN" \\"-Infinity'],
    ["'-inf'::float", 'FLOAT', '-Infinity'],
    ['0.1::float', 'FLOAT', 0.1],
    ['16777217::float', 'FLOAT', 16_777_216],
    ["'0042'", 'VARCHAR', '0042'],
    ["'é😀' || chr(0)", 'VARCHAR', 'é😀\0'],
    ["'abc'::enum('abc', 'd')", "ENUM('abc', 'd')", 'abc'],
    ["'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid", 'UUID', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ["'\\xFF\\x00a'::blob", 'BLOB', '/wBh'],
    ["'0101'::bit", 'BIT', '0101'],
    ["date '2024-02-29'", 'DATE', '2024-02-29'],
    ["date '1969-12-31'", 'DATE', '1969-12-31'],
    ["date '0001-01-01'", 'DATE', '0001-01-01'],
    ["date '0044-03-15 (BC)'", 'DATE', '-000043-03-15'],
    ["date '12345-06-07'", 'DATE', '+012345-06-07'],
    ["'infinity'::date", 'DATE', 'infinity'],
    ["time '24:00:00'", 'TIME', '24:00:00'],
    ["time '01:02:03.004'", 'TIME', '01:02:03.004'],
    ["time '01:02:03.000004'", 'TIME', '01:02:03.000004'],
    ["time_ns '01:02:03.000000005'", 'TIME_NS', '01:02:03.000000005'],
    ["timetz '01:02:03+05:30'", 'TIME WITH TIME ZONE', '01:02:03+05:30'],
    ["timetz '01:02:03-15:59:59'", 'TIME WITH TIME ZONE', '01:02:03-15:59:59'],
    ["timetz '01:02:03+00'", 'TIME WITH TIME ZONE', '01:02:03Z'],
    ["timestamp '2024-02-29 12:34:56'", 'TIMESTAMP', '2024-02-29T12:34:56'],
    ["timestamp '1969-12-31 23:59:59.999999'", 'TIMESTAMP', '1969-12-31T23:59:59.999999'],
    ["timestamp '2024-01-01 00:00:00.1'", 'TIMESTAMP', '2024-01-01T00:00:00.100'],
    ["'-infinity'::timestamp", 'TIMESTAMP', '-infinity'],
    ["timestamp_s '2024-01-01 00:00:01'", 'TIMESTAMP_S', '2024-01-01T00:00:01'],
    ["timestamp_ms '2024-01-01 00:00:00.005'", 'TIMESTAMP_MS', '2024-01-01T00:00:00.005'],
    ["timestamp_ns '2024-01-01 00:00:00.000000005'", 'TIMESTAMP_NS', '2024-01-01T00:00:00.000000005'],
    ["timestamptz '2024-07-01 00:00:00+02'", 'TIMESTAMP WITH TIME ZONE', '2024-06-30T22:00:00Z'],
    ["date_trunc('day', timestamptz '2024-07-01 23:30:00-02')", 'TIMESTAMP WITH TIME ZONE', '2024-07-02T00:00:00Z'],
    ["timestamptz '2024-07-01 00:00:00 America/New_York'", 'TIMESTAMP WITH TIME ZONE', '2024-07-01T04:00:00Z'],
    ["'infinity'::timestamptz", 'TIMESTAMP WITH TIME ZONE', 'infinity'],
    ["interval '14 months -3 days'", 'INTERVAL', 'P1Y2M-3D'],
    ["interval '90061.5 seconds'", 'INTERVAL', 'PT25H1M1.500S'],
    ["interval '-0.25 seconds'", 'INTERVAL', 'PT-0.250S'],
    ["interval '0 days'", 'INTERVAL', 'PT0S'],
    ['null', 'INTEGER', null],
    ['[1, null, 9007199254740993]', 'BIGINT[]', [1, null, '9007199254740993']],
    ['[[1.5], []]', 'DECIMAL(2,1)[][]', [['1.5'], []]],
    ['array_value(1, 2)', 'INTEGER[2]', [1, 2]],
    [
      "{'a': date '2024-01-01', 'b c': {'d': 1.0}}",
      'STRUCT("a" DATE, "b c" STRUCT("d" DECIMAL(2,1)))',
      { a: '2024-01-01', 'b c': { d: '1.0' } },
    ],
    ["map {'a': 1.5, 'b': null}", 'MAP(VARCHAR, DECIMAL(2,1))', { a: '1.5', b: null }],
    ["map {1: 'x'}", 'MAP(INTEGER, VARCHAR)', [{ key: 1, value: 'x' }]],
    ['union_value(n := 1.5)', 'UNION("n" DECIMAL(2,1))', { tag: 'n', value: '1.5' }],
    [`'{"a": [1, 1.50, "x", null]}'::json`, 'JSON', { a: [1, 1.5, 'x', null] }],
    [`'{"a": 9007199254740993}'::json`, 'JSON', '{"a": 9007199254740993}'],
    [`'[0.10000000000000000001]'::json`, 'JSON', '[0.10000000000000000001]'],
    [`'[1e2, 100, 0.0, -0]'::json`, 'JSON', [100, 100, 0, -0]],
    [`'"text"'::json`, 'JSON', 'text'],
    [`['[1]'::json]`, 'JSON[]', [[1]]],
    [`{'j': '{"x":1}'::json}`, 'STRUCT("j" JSON)', { j: { x: 1 } }],
    ['1.5::variant', 'VARIANT', '1.5'],
    ["'POINT(1 2)'::geometry", 'GEOMETRY', 'AQEAAAAAAAAAAADwPwAAAAAAAABA'],
  ])('%s', async (expression, type, value) => {
    expect(await one(expression)).toEqual({ type, value });
  });
});

it.each([
  ['{"a":1,"a":2}', '{"a":1,"a":2}'],
  ['{"x":[{"a":1,"b":":","a":1}]}', '{"x":[{"a":1,"b":":","a":1}]}'],
  ['[{"a":1},{"a":{"a":[]}}]', [{ a: 1 }, { a: { a: [] } }]],
  ['{"__proto__":{"a":1},"":"{\\"a\\":1}"}', JSON.parse('{"__proto__":{"a":1},"":"{\\"a\\":1}"}')],
  ['[1,":",{}]', [1, ':', {}]],
  ['7', 7],
])('JSON is parsed unless an object repeats a key: %s', async (text, value) => {
  expect((await one(`'${text}'::json`)).value).toEqual(value);
});

it('text that says JSON but nests too deep to walk stays text', async () => {
  const deep = `repeat('[', 5000) || repeat(']', 5000)`;
  expect((await one(`(${deep})::json`)).value).toBe(`${'['.repeat(5000)}${']'.repeat(5000)}`);
});

it('a struct whose fields have no names is refused, since they cannot be told apart', async () => {
  for (const sql of ['select row(1, 2)', 'select [(1, 2)]', "select map {'a': row(1, 2)}"]) {
    const fault = await faultOf(runQuery({ sql }, data.world));
    expect([fault?.code, fault?.detail]).toEqual(['SQL_INVALID', expect.stringContaining('Name the fields')]);
  }
});

it('columns of one name stay apart', async () => {
  const answer = await runQuery({ sql: 'select 1 as a, 2 as a, 3 as "__proto__"' }, data.world);
  expect(answer.columns.map(({ name }) => name)).toEqual(['a', 'a', '__proto__']);
  expect(answer.rows).toEqual([[1, 2, 3]]);
});

it('values that went through Parquet come out the same', async () => {
  const table = await data.write(
    'kinds',
    `SELECT 9007199254740993 AS i, 1.10 AS d, timestamptz '2024-01-01 00:00:00.000001+00' AS t, {'a': [1.5]} AS s, '{"x":1}'::json AS j`,
  );
  const answer = await runQuery({ sql: 'from kinds' }, { ...data.world, tables: [table] });
  expect(answer.rows).toEqual([['9007199254740993', '1.10', '2024-01-01T00:00:00.000001Z', { a: ['1.5'] }, { x: 1 }]]);
});

it('a table without parts is empty and has its columns', async () => {
  const answer = await runQuery({ sql: 'from empty' }, data.world);
  expect(answer).toMatchObject({
    columns: [{ name: 'a b', type: 'DECIMAL(10,2)' }],
    rows: [],
    rowCount: 0,
    truncated: false,
  });
});
