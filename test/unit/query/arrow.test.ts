import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeResult } from '../../../lib/query/result-file.ts';
import { aDataset, type Dataset, faultOf } from './world.ts';

let data: Dataset;
let path: string;
beforeAll(async () => {
  data = await aDataset();
  path = join(data.spill, 'result');
});
afterAll(() => data[Symbol.asyncDispose]());

async function written(sql: string, rows = Infinity) {
  try {
    const file = await writeResult({ sql, into: { format: 'arrow', path, rows, bytes: 1_000_000 } }, data.world);
    const table = tableFromIPC(await readFile(path), { useBigInt: true, useDecimalInt: true });
    return { ...file, names: table.names, columns: table.names.map((name) => Array.from(table.getChild(name))), table };
  } finally {
    await rm(path, { force: true });
  }
}

const day = 86_400_000;

describe('a value in Arrow is the value', () => {
  it.each<[string, number, unknown]>([
    ['true', 6, true],
    ['(-5)::tinyint', 2, -5],
    ['9223372036854775807::bigint', 2, 9_223_372_036_854_775_807n],
    ['18446744073709551615::ubigint', 2, 18_446_744_073_709_551_615n],
    ['12345678901234567890123::hugeint', 7, 12_345_678_901_234_567_890_123n],
    ['(-1.10)::decimal(10,2)', 7, -110n],
    ["'nan'::double", 3, Number.NaN],
    ['0.5::float', 3, 0.5],
    ["date '2024-02-29'", 8, Date.UTC(2024, 1, 29)],
    ["date '1969-12-31'", 8, -day],
    ["time '12:34:56.123456'", 9, 45_296_123_456n],
    ["timestamp '2024-02-29 12:34:56.123456'", 10, Date.UTC(2024, 1, 29, 12, 34, 56) + 123.456],
    ["timestamptz '2024-02-29 12:00:00+02'", 10, Date.UTC(2024, 1, 29, 10)],
    ["timestamp_s '2024-02-29 12:34:56'", 10, Date.UTC(2024, 1, 29, 12, 34, 56)],
    ["'\\xff\\x00'::blob", 4, Buffer.from([255, 0])],
    ["'é😀'", 5, 'é😀'],
    ["interval '1 day'", 5, 'P1D'],
    ['[1, 2]', 5, '[1,2]'],
    [`'{"a": 1.10}'::json`, 5, '{"a": 1.10}'],
    ["'a'::enum('a', 'b')", 5, 'a'],
    ["uuid '00000000-0000-0000-0000-000000000001'", 5, '00000000-0000-0000-0000-000000000001'],
  ])('%s', async (expression, typeId, value) => {
    const { table, columns } = await written(`select unnest([${expression}, null]) as v`);
    expect(table.getChild('v').type.typeId).toBe(typeId);
    expect(columns).toEqual([[value, null]]);
  });

  it('or refused where no type keeps it', async () => {
    const large = 'select 170141183460469231731687303715884105727::hugeint as v';
    expect((await faultOf(written(large)))?.code).toBe('SQL_INVALID');
    expect((await faultOf(written('select 1 as a, 2 as a')))?.code).toBe('SQL_INVALID');
  });
});

describe('the rows in Arrow are those of the statement', () => {
  it('over several batches, in their order, up to the limit', async () => {
    const all = await written('select id, city from sales');
    expect([all.rowCount, all.truncated, all.names]).toEqual([10_000, false, ['id', 'city']]);
    expect(all.columns[0]).toEqual(Array.from({ length: 10_000 }, (_, at) => BigInt(at)));
    const some = await written('select id from sales order by id desc', 3);
    expect([some.columns[0], some.truncated]).toEqual([[9999n, 9998n, 9997n], true]);
  });

  it('none of them too', async () => {
    const none = await written('from empty');
    expect([none.names, none.table.numRows, none.rowCount]).toEqual([['a b'], 0, 0]);
  });
});
