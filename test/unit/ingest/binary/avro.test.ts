import { readFile } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brief, readBack, refusal } from '../world.ts';
import { arrayOf, avro, type CodecName, long, nullable, record, text, types, type Written } from './avro-writer.ts';

const file = (name: string): Promise<Buffer> => readFile(new URL(`files/${name}`, import.meta.url));

/** Type and values of a column in the files all-*.avro, as DuckDB prints them, and the code of its warning. */
const expected: Readonly<Record<string, readonly [string, readonly (string | null)[], string?]>> = {
  nul: ['VARCHAR', [null, null], 'COLUMN_EMPTY'],
  b: ['BOOLEAN', ['true', 'false']],
  i: ['INTEGER', ['-2147483648', '2147483647']],
  l: ['BIGINT', ['-9223372036854775808', '9223372036854775807']],
  f: ['FLOAT', ['0.1', 'nan']],
  d: ['DOUBLE', ['-0.0', '1e+300']],
  by: ['BLOB', ['\\x00\\xFF', '']],
  s: ['VARCHAR', ['é😀', '']],
  ns: ['VARCHAR', [null, 'x']],
  sn: ['VARCHAR', ['a', null]],
  u3: [
    'STRUCT("int" INTEGER, string VARCHAR)',
    ["{'int': 5, 'string': NULL}", "{'int': NULL, 'string': t}"],
    'UNION_AS_STRUCT',
  ],
  en: ['VARCHAR', ['A', 'B']],
  fx: ['BLOB', ['abc', 'def']],
  ar: ['BIGINT[]', ['[1, NULL]', '[]']],
  mp: ['MAP(VARCHAR, INTEGER)', ['{k=1, j=2}', '{}']],
  re: ['STRUCT(x INTEGER, y VARCHAR)', ["{'x': 1, 'y': A}", "{'x': 2, 'y': NULL}"]],
  re2: ['STRUCT(x INTEGER, y VARCHAR)', ["{'x': 1, 'y': A}", "{'x': 2, 'y': NULL}"]],
  da: ['DATE', ['2020-02-29', '0001-01-01']],
  tm: ['TIME', ['01:02:03.004', '00:00:00']],
  tu: ['TIME', ['01:02:03.000004', '23:59:59.999999']],
  ts: ['TIMESTAMP WITH TIME ZONE', ['2020-01-01 00:00:00+00', '1969-12-31 00:00:00+00']],
  tsu: ['TIMESTAMP WITH TIME ZONE', ['2020-01-01 00:00:00.000001+00', '1969-12-31 00:00:00+00']],
  lts: ['TIMESTAMP', ['2020-01-01 00:00:00.000001', '1969-12-31 00:00:00']],
  tsn: ['VARCHAR', ['1970-01-01T00:00:00.000000001Z', '1970-01-01T00:00:00.000002Z'], 'TYPE_AS_TEXT'],
  lin: ['TIMESTAMP_NS', ['1970-01-01 00:00:00.000000001', '1969-12-31 23:59:59.999999999']],
  de: ['DECIMAL(38,2)', ['-1.10', '123456789012345678901234567890.05']],
  df: ['DECIMAL(10,3)', ['-1.100', '0.001']],
  de50: ['VARCHAR', ['-1.10', '0.00'], 'TYPE_AS_TEXT'],
  us: ['VARCHAR', ['00000000-0000-0000-0000-000000000005', '00000000-0000-0000-0000-000000000007']],
  du: ['VARCHAR', ['P1M2DT0.003S', 'PT0S'], 'TYPE_AS_TEXT'],
};

describe('an Avro file', () => {
  it.each(['null', 'deflate', 'snappy', 'zstandard', 'bzip2'])(
    'keeps every value of every type exactly under the codec %s',
    async (codec) => {
      const back = await readBack('t.avro', await file(`all-${codec}.avro`));
      const found = Object.fromEntries(
        back.columns.map(({ name, type }, index) => [name, [type, back.rows.map((row) => row[index])]]),
      );
      const wanted = Object.entries(expected).map(([name, [type, values]]) => [name, [type, values]]);
      expect(found).toEqual(Object.fromEntries(wanted));
      const warned = Object.entries(expected).flatMap(([name, [, , code]]) =>
        code === undefined ? [] : [`${name} ${code}`],
      );
      expect(back.warnings.map(({ column, code }) => `${column} ${code}`).sort()).toEqual(warned.sort());
    },
  );

  it.each(['null', 'snappy'])('that is cut anywhere is refused, under the codec %s', async (codec) => {
    const bytes = await file(`all-${codec}.avro`);
    for (const share of [0.1, 0.8, 0.99]) {
      const fault = await refusal('t.avro', bytes.subarray(0, Math.floor(share * bytes.length)));
      expect([fault.code, fault.detail]).toEqual(['PARSE_ERROR', expect.stringContaining('Avro: ')]);
    }
  });

  it('with a damaged block compressed with Snappy is refused by its checksum', async () => {
    const bytes = await file('all-snappy.avro');
    bytes[bytes.length - 18] = (bytes[bytes.length - 18] as number) ^ 1;
    expect((await refusal('t.avro', bytes)).detail).toContain('checksum');
  });

  it('whose type contains itself is refused, and names it', async () => {
    const schema = {
      type: 'record',
      name: 'a.Node',
      fields: [{ name: 'next', type: ['null', { type: 'array', items: 'Node' }] }],
    };
    const fault = await refusal('t.avro', avro({ schema, blocks: [] }));
    expect([fault.code, fault.detail]).toEqual([
      'UNSUPPORTED_SCHEMA',
      expect.stringContaining('"a.Node" contains itself'),
    ]);
  });

  it('whose types multiply is refused before they are made', async () => {
    let fields: unknown = 'int';
    const type = (name: string, of: unknown): unknown => ({
      type: 'record',
      name,
      fields: ['a', 'b', 'c', 'd'].map((field, index) => ({ name: field, type: index === 0 ? of : shortOf(of) })),
    });
    const shortOf = (of: unknown): unknown => (typeof of === 'string' ? of : Reflect.get(of as object, 'name'));
    for (let depth = 0; depth < 20; depth++) fields = type(`T${depth}`, fields);
    expect((await refusal('t.avro', avro({ schema: fields, blocks: [] }))).code).toBe('UNSUPPORTED_SCHEMA');
  });

  it('of a root that is no record is a table of one column', async () => {
    const data = Buffer.concat([long(1), long(-2)]);
    const back = await readBack('t.avro', avro({ schema: 'long', blocks: [{ rows: 2, data }] }));
    expect([back.schema, back.rows]).toEqual([['value BIGINT'], [['1'], ['-2']]]);
  });

  it('without rows is an empty table with its types', async () => {
    const back = await readBack('t.avro', avro({ schema: record({ a: 'int' }), blocks: [] }));
    expect([back.schema, back.rowCount]).toEqual([['a INTEGER'], 0]);
  });

  it.each<[string, unknown, Buffer, number, string]>([
    [
      'a list that promises 2^40 nulls',
      { type: 'array', items: 'null' },
      Buffer.concat([long(2n ** 40n), long(0)]),
      1,
      'LINE_TOO_LONG',
    ],
    ['a text that promises 2^40 bytes', 'string', long(2n ** 40n), 1, 'PARSE_ERROR'],
    ['a block that promises 2^50 rows of nothing', 'null', Buffer.alloc(0), 2 ** 50, 'DECOMPRESSION_LIMIT'],
    ['a number of more than 64 bits', 'long', Buffer.alloc(11, 0xff), 1, 'PARSE_ERROR'],
    ['an int of more than 32 bits', 'int', long(2n ** 31n), 1, 'PARSE_ERROR'],
    ['a block with bytes left over', 'int', Buffer.from([0, 0]), 1, 'PARSE_ERROR'],
    ['text that is not UTF-8', 'string', Buffer.concat([long(1), Buffer.from([0xff])]), 1, 'ENCODING_INVALID'],
    ['a boolean that is neither', 'boolean', Buffer.from([2]), 1, 'PARSE_ERROR'],
    ['a symbol that there is not', { type: 'enum', name: 'E', symbols: ['A'] }, long(1), 1, 'PARSE_ERROR'],
  ])('with %s is refused', async (_name, type, data, rows, code) => {
    const bytes = avro({ schema: record({ a: type }), blocks: [{ rows, data }] });
    expect((await refusal('t.avro', bytes, { maxDecompressedBytes: 2 ** 20 })).code).toBe(code);
  });

  it('whose block expands beyond what is held in memory is refused', async () => {
    const data = deflateRawSync(Buffer.alloc(130 * 2 ** 20));
    const bytes = avro({ schema: record({ a: 'int' }), blocks: [{ rows: 1, data }], saysCodec: 'deflate' });
    expect((await refusal('t.avro', bytes)).code).toBe('BLOCK_TOO_LARGE');
  });

  it('of an unknown codec is refused, with those that are read', async () => {
    const fault = await refusal(
      't.avro',
      avro({ schema: record({ a: 'int' }), blocks: [{ rows: 1, data: long(1) }], saysCodec: 'xz' }),
    );
    expect([fault.code, fault.detail]).toEqual(['PARSE_ERROR', expect.stringMatching(/"xz".*deflate.*snappy/)]);
  });

  it('keeps a map that repeats a key as text, and says where', async () => {
    const pair = (key: string, value: number) => Buffer.concat([text(key), long(value)]);
    const data = Buffer.concat([long(0), long(2), pair('k', 1), pair('k', 2), long(0)]);
    const back = await readBack(
      't.avro',
      avro({ schema: record({ m: { type: 'map', values: 'int' } }), blocks: [{ rows: 2, data }] }),
    );
    expect([back.schema, back.rows]).toEqual([['m VARCHAR'], [['[]'], ['[["k",1],["k",2]]']]]);
    expect(brief(back)).toEqual([{ code: 'TYPE_AS_TEXT', column: 'm', row: 2, count: 1, example: expect.any(String) }]);
  });
});

interface Kind {
  readonly type: Written;
  readonly value: fc.Arbitrary<unknown>;
  readonly print: (value: never) => string;
}

const words = fc.string({ unit: 'grapheme' }).filter((word) => word.isWellFormed());
const numbers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const kinds: readonly Kind[] = [
  { type: types.long, value: numbers, print: String },
  { type: types.string, value: words, print: String },
  { type: types.boolean, value: fc.boolean(), print: String },
  ...[false, true].map(
    (sized): Kind => ({
      type: arrayOf(types.long, sized),
      value: fc.array(numbers, { maxLength: 5 }),
      print: (values: bigint[]) => `[${values.join(', ')}]`,
    }),
  ),
];

describe('any Avro table', () => {
  it('is read as it was written, whatever its blocks and codec', async () => {
    const column = fc
      .constantFrom(...kinds)
      .chain(({ type, value, print }) =>
        fc.tuple(
          fc.constant({ type: nullable(type), print }),
          fc.array(fc.option(value, { freq: 4 }), { minLength: 30, maxLength: 30 }),
        ),
      );
    const shape = fc.tuple(
      fc.array(column, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom<CodecName>('null', 'deflate', 'zstandard'),
    );
    await fc.assert(
      fc.asyncProperty(shape, async ([columns, perBlock, codec]) => {
        const row = (at: number) => Buffer.concat(columns.map(([{ type }, values]) => type.write(values[at] as never)));
        const blocks = [];
        for (let at = 0; at < 30; at += perBlock) {
          const rows = Math.min(perBlock, 30 - at);
          blocks.push({ rows, data: Buffer.concat(Array.from({ length: rows }, (_, index) => row(at + index))) });
        }
        const schema = record(Object.fromEntries(columns.map(([{ type }], index) => [`c${index}`, type.schema])));
        const back = await readBack('t.avro', avro({ schema, blocks, codec }));
        const printed = Array.from({ length: 30 }, (_, at) =>
          columns.map(([{ print }, values]) => (values[at] === null ? null : print(values[at] as never))),
        );
        expect(back.rows).toEqual(printed);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
