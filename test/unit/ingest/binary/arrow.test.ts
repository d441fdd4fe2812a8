import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import * as arrow from '@uwdata/flechette';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../../lib/core/check.ts';
import { brief, readBack, refusal } from '../world.ts';

const file = (name: string): Promise<Buffer> => readFile(new URL(`files/${name}`, import.meta.url));

/** Type and values of a column in all.arrow, as DuckDB prints them; `warned` where it has a warning. */
const expected: Readonly<Record<string, readonly [string, readonly (string | null)[], string?]>> = {
  i8: ['TINYINT', ['-128', null, '127']],
  u8: ['UTINYINT', ['0', null, '255']],
  i16: ['SMALLINT', ['-32768', null, '32767']],
  u16: ['USMALLINT', ['0', null, '65535']],
  i32: ['INTEGER', ['-2147483648', null, '2147483647']],
  u32: ['UINTEGER', ['0', null, '4294967295']],
  i64: ['BIGINT', ['-9223372036854775808', null, '9223372036854775807']],
  u64: ['UBIGINT', ['0', null, '18446744073709551615']],
  f16: ['FLOAT', ['0.099975586', '-0.0', '65504.0']],
  f32: ['FLOAT', ['0.1', 'nan', '-0.0']],
  f64: ['DOUBLE', ['0.1', 'inf', null]],
  b: ['BOOLEAN', ['true', null, 'false']],
  nul: ['VARCHAR', [null, null, null], 'COLUMN_EMPTY'],
  d32: ['DATE', ['2020-02-29', null, '0001-01-01']],
  d64: ['DATE', ['2020-02-29', null, '9999-12-31']],
  t32s: ['TIME', ['01:02:03', null, '23:59:59']],
  t64n: ['VARCHAR', ['00:00:00.000000001', null, '23:59:59.999999999'], 'TYPE_AS_TEXT'],
  t64u: ['TIME', ['00:00:00.000001', null, '23:59:59.999999']],
  tss: ['TIMESTAMP', ['1970-01-01 00:00:00', null, '1969-12-31 23:59:59']],
  tsn: ['TIMESTAMP_NS', ['1970-01-01 00:00:00.000000001', null, '1969-12-31 23:59:59.999999999']],
  tsz: [
    'TIMESTAMP WITH TIME ZONE',
    ['1970-01-01 00:00:00.000001+00', null, '1969-12-31 23:59:59.999999+00'],
    'ZONE_LEFT_OUT',
  ],
  tszn: ['VARCHAR', ['1970-01-01T00:00:00.000000001Z', null, '1969-12-31T23:59:59.999999Z'], 'TYPE_AS_TEXT'],
  tsfar: ['VARCHAR', ['+3168875820-09-06T09:46:40', null, '1970-01-01T00:00:00'], 'TYPE_AS_TEXT'],
  dur: ['BIGINT', ['1', null, '-5'], 'DURATION_AS_NUMBER'],
  mdn: ['VARCHAR', ['P1M2DT0.000003001S', null, 'PT-0.000000001S'], 'TYPE_AS_TEXT'],
  dec: ['DECIMAL(38,2)', ['1.10', null, '-0.05']],
  dec256: ['VARCHAR', ['1.10', null, '-123456789012345678901234567890123456789012.05'], 'TYPE_AS_TEXT'],
  decneg: ['DECIMAL(7,0)', ['1200', null, '-100']],
  s: ['VARCHAR', ['a\0b', null, 'é😀']],
  ls: ['VARCHAR', ['x', null, '']],
  sv: ['VARCHAR', ['short', null, 'a much longer string than twelve']],
  bin: ['BLOB', ['\\x00\\xFF', null, '']],
  fsb: ['BLOB', ['abc', null, 'def']],
  dict: ['VARCHAR', ['x', 'y', 'x']],
  list: ['BIGINT[]', ['[1, NULL, 3]', null, '[]']],
  llist: ['VARCHAR[]', ['[a]', null, '[b, c]']],
  fl: ['INTEGER[]', ['[1, 2]', null, '[3, 4]']],
  st: ['STRUCT(a BIGINT, A_2 VARCHAR)', ["{'a': 1, 'A_2': x}", null, "{'a': NULL, 'A_2': NULL}"]],
  map: ['MAP(VARCHAR, INTEGER)', ['{k=1}', null, '{a=1, b=NULL}']],
  mapdup: ['VARCHAR', ['[["k",1],["k",2]]', null, '[]'], 'TYPE_AS_TEXT'],
  lst: ['STRUCT(x DECIMAL(5,1)[])[]', ["[{'x': [1.5]}]", null, "[{'x': NULL}, NULL]"]],
  su: [
    'STRUCT(n BIGINT, t VARCHAR)',
    ["{'n': 1, 't': NULL}", "{'n': NULL, 't': b}", "{'n': 3, 't': NULL}"],
    'UNION_AS_STRUCT',
  ],
  du: [
    'STRUCT("0" BIGINT, "1" VARCHAR)',
    ["{'0': 1, '1': NULL}", "{'0': NULL, '1': z}", "{'0': NULL, '1': NULL}"],
    'UNION_AS_STRUCT',
  ],
  ree: ['VARCHAR', ['r1', 'r1', 'r2']],
  lv: ['BIGINT[]', ['[1]', null, '[2, 3]']],
};

describe('an Arrow file', () => {
  it.each(['all.arrow', 'all-lz4.arrow', 'all-zstd.feather', 'all.arrows'])(
    'keeps every value of every type exactly: %s',
    async (name) => {
      const back = await readBack(name, await file(name));
      const found = Object.fromEntries(
        back.columns.map(({ name: column, type }, index) => [column, [type, back.rows.map((row) => row[index])]]),
      );
      const wanted = Object.entries(expected).map(([column, [type, values]]) => [column, [type, values]]);
      expect(found).toEqual(Object.fromEntries(wanted));
      const warned = Object.entries(expected).flatMap(([column, [, , code]]) =>
        code === undefined ? [] : [`${column} ${code}`],
      );
      expect(back.warnings.map(({ column, code }) => `${column} ${code}`).sort()).toEqual(warned.sort());
    },
    30_000,
  );

  it('says where the first value stands that its type does not hold, and how many there are', async () => {
    const back = await readBack('all.arrow', await file('all.arrow'));
    const found = brief(back).filter(({ column }) => column === 't64n');
    expect(found).toEqual([{ code: 'TYPE_AS_TEXT', column: 't64n', row: 1, count: 2, example: '00:00:00.000000001' }]);
  });

  it.each([
    ['delta.arrows', ['a', 'b', 'c', 'a']],
    ['replace.arrows', ['a', 'b', 'z', 'x']],
  ])('takes dictionaries as they change from batch to batch: %s', async (name, values) => {
    expect((await readBack(name, await file(name))).rows).toEqual(values.map((value) => [value]));
  });

  it('is read the same packed', async () => {
    const plain = await readBack('all.arrow', await file('all.arrow'));
    expect((await readBack('all.arrow.gz', gzipSync(await file('all.arrow')))).rows).toEqual(plain.rows);
  });

  it('of the first version of Feather is refused by its name', async () => {
    const fault = await refusal(
      't.feather',
      Buffer.concat([Buffer.from('FEA1'), Buffer.alloc(100), Buffer.from('FEA1')]),
    );
    expect([fault.code, fault.detail]).toEqual([
      'FORMAT_MISMATCH',
      expect.stringContaining('Feather of the first version'),
    ]);
  });

  it('that is cut anywhere is refused', async () => {
    const bytes = await file('all.arrow');
    for (const share of [0.02, 0.3, 0.7, 0.99])
      expect((await refusal('t.arrow', bytes.subarray(0, Math.floor(share * bytes.length)))).code).toBe('PARSE_ERROR');
    const stream = await file('all.arrows');
    expect((await refusal('t.arrows', stream.subarray(0, stream.length - 200))).code).toBe('PARSE_ERROR');
    expect((await refusal('t.arrows', Buffer.concat([stream, stream]))).code).toBe('PARSE_ERROR');
  });

  it('with bytes changed is read or refused with a code, and never more', async () => {
    const bytes = await file('all-lz4.arrow');
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.constantFrom(0, 1, 127, 128, 255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed[at] = value;
        const codes = ['PARSE_ERROR', 'UNSUPPORTED_SCHEMA', 'BLOCK_TOO_LARGE', 'ENCODING_INVALID', 'FORMAT_MISMATCH'];
        const read = await readBack('t.arrow', changed).catch((thrown: unknown) => thrown);
        expect(read instanceof Error ? codes : ['read']).toContain(
          read instanceof Error ? Reflect.get(read, 'code') : 'read',
        );
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('with text that is not UTF-8 is refused with column and row', async () => {
    const bytes = Buffer.from(ipc({ word: arrow.columnFromArray(['fine', 'QQQQ'], arrow.utf8()) }));
    bytes.fill(0xff, bytes.indexOf('QQQQ'), bytes.indexOf('QQQQ') + 4);
    const fault = await refusal('t.arrow', bytes);
    expect([fault.code, fault.extra]).toEqual(['ENCODING_INVALID', { column: 'word', row: 2 }]);
  });

  it('with a value longer than a record may be is refused with its row', async () => {
    const text = 'x'.repeat(5000);
    const fault = await refusal('t.arrow', ipc({ a: arrow.columnFromArray(['x', text], arrow.utf8()) }), {
      maxRecordBytes: 4096,
    });
    expect([fault.code, fault.extra]).toEqual(['LINE_TOO_LONG', { row: 2, limit: 4096 }]);
    const cell = await refusal('t.arrow', ipc({ a: arrow.columnFromArray(['x', text], arrow.utf8()) }), {
      maxCellBytes: 4096,
    });
    expect([cell.code, cell.extra]).toEqual(['CELL_TOO_LARGE', { column: 'a', row: 2, limit: 4096 }]);
  });

  it('whose few bytes stand for very many rows is refused before they are made', async () => {
    const column = arrow.columnFromArray(
      Array.from({ length: 5000 }, () => null),
      arrow.nullType(),
    );
    const bytes = ipc({ a: column });
    const fault = await refusal('t.arrow', bytes, { maxDecompressedBytes: 16 * 4000 });
    expect(fault.code).toBe('DECOMPRESSION_LIMIT');
  });

  it('with more columns than a table may have is refused', async () => {
    const columns = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`c${n}`, arrow.columnFromArray([n], arrow.int32())]),
    );
    expect((await refusal('t.arrow', ipc(columns), { maxColumns: 4 })).code).toBe('TOO_MANY_COLUMNS');
  });

  it('has names that stay apart, as every table', async () => {
    const table = arrow.tableFromColumns([
      [' a ', arrow.columnFromArray([1], arrow.int32())],
      ['A', arrow.columnFromArray([2], arrow.int32())],
      ['', arrow.columnFromArray([3], arrow.int32())],
    ]);
    const back = await readBack('t.arrow', must(arrow.tableToIPC(table, { format: 'file' }), 'bytes'));
    expect([back.schema, back.rows]).toEqual([['a INTEGER', 'A_2 INTEGER', 'column_3 INTEGER'], [['1', '2', '3']]]);
    expect(brief(back).map(({ code }) => code)).toEqual(['COLUMN_REPEATED', 'COLUMN_UNNAMED']);
  });
});

function ipc(columns: Readonly<Record<string, arrow.Column<unknown>>>, format: 'file' | 'stream' = 'file'): Uint8Array {
  return must(arrow.tableToIPC(arrow.tableFromColumns(columns), { format }), 'bytes');
}

/** A kind of column: how values come about, and how DuckDB prints them. */
interface Kind {
  /** A dictionary of its own for each column. */
  readonly type: (column: number) => arrow.DataType;
  readonly value: fc.Arbitrary<unknown>;
  readonly print: (value: never) => string;
}

const list = (item: string[]): string => `[${item.join(', ')}]`;
const kinds: readonly Kind[] = [
  { type: arrow.int64, value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), print: String },
  { type: arrow.uint64, value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), print: String },
  { type: arrow.int8, value: fc.integer({ min: -128, max: 127 }), print: String },
  { type: arrow.bool, value: fc.boolean(), print: String },
  {
    type: arrow.utf8,
    value: fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
    print: String,
  },
  {
    type: (column) => arrow.dictionary(arrow.utf8(), arrow.int8(), false, column),
    value: fc.constantFrom('x', 'é', ''),
    print: String,
  },
  {
    type: () => arrow.list(arrow.int32()),
    value: fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 4 }),
    print: (value: number[]) => list(value.map(String)),
  },
];

describe('any Arrow table', () => {
  it('is read as it was written, whatever its batches and form', async () => {
    const column = fc
      .constantFrom(...kinds)
      .chain((kind) =>
        fc.tuple(fc.constant(kind), fc.array(fc.option(kind.value, { freq: 4 }), { minLength: 40, maxLength: 40 })),
      );
    const shape = fc.tuple(
      fc.array(column, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('file' as const, 'stream' as const),
    );
    await fc.assert(
      fc.asyncProperty(shape, async ([columns, rows, format]) => {
        const built = columns.map(([{ type }, values], index): [string, arrow.Column<unknown>] => [
          `c${index}`,
          arrow.columnFromArray(values.slice(0, rows), type(index), { useBigInt: true, maxBatchRows: 7 }),
        ]);
        const bytes = must(arrow.tableToIPC(arrow.tableFromColumns(built), { format }), 'bytes');
        const back = await readBack('t.arrow', bytes);
        const printed = Array.from({ length: rows }, (_, row) =>
          columns.map(([{ print }, values]) => (values[row] === null ? null : print(values[row] as never))),
        );
        expect(back.rows).toEqual(printed);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
