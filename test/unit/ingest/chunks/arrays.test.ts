// The arrays of a JSON text that is read in chunks of any size are the tables, with the warnings, or the refusal, that they are when it is read at
// once.
import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { listTables } from '../../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder, textsOf } from '../world.ts';
import { readArrays } from './read-chunked.ts';

const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
    return { code: thrown.code, detail: thrown.detail, extra: thrown.extra };
  });

const readWhole = (content: string, options: ReadOptions, own: Partial<ReadLimits>) =>
  inFolder(async (folder) => {
    const path = join(folder, 'upload');
    const workDir = await mkdtemp(join(folder, 'work-'));
    await writeFile(path, content);
    const request = { path, name: 't.json', workDir, options, limits: { ...defaultReadLimits, ...own } };
    const { tables: listed, warnings } = await listTables(request);
    const tables: unknown[] = [];
    for (const { name, within } of listed) {
      const { columns, rowCount, rejects, parquetPath, ...read } = await readTable({ ...request, within });
      const schema = columns.map((column) => `${column.name} ${column.type}`);
      const rows = await textsOf(workDir, parquetPath);
      tables.push({ name, within, schema, rows, rowCount, warnings: read.warnings, rejects });
    }
    return { tables, warnings, sha256: createHash('sha256').update(content).digest('hex') };
  });

async function compare(content: string, chunkBytes: number, options: ReadOptions = {}, own: Partial<ReadLimits> = {}) {
  const whole = await outcome(readWhole(content, options, own));
  // Its head shows that it is no JSON: nobody reads it in chunks.
  if (typeof whole === 'object' && whole !== null && 'code' in whole && whole.code === 'FORMAT_MISMATCH') return whole;
  const chunked = await outcome(
    readArrays(content, { chunkBytes, ...own }, options).then(({ tables, ...read }) => ({
      ...read,
      tables: tables.map(({ name, within, schema, rows, rowCount, warnings, rejects }) => ({
        ...{ name, within, schema, rows, rowCount, warnings, rejects },
      })),
    })),
  );
  expect(chunked).toEqual(whole);
  return whole;
}

const shop = `{"made": "2024", "orders": [{"id": 1, "at": "2024-01-02"}, {"id": 2},\n{"id": "x"}, {"id": 4}],
  "none": [], "tags": ["a", {"b": [1]}], "buyers": [\n{"name": "\u00c5sa",\r\n "age": 1.50}, {"age": 2}\r\n], "last": {"k": [[{"z": 1}]]}}
`;

/** One of the tables alone: an option is about each of them. */
const orders = shop.replace('"buyers"', '"b": 1, "c": {"buyers"').replace('"last"', '"x": 1}, "last"');

describe('the arrays below the keys of an object, read in chunks', () => {
  it.each<[string, string, ReadOptions?]>([
    ['some beside what is no table', shop],
    ['one alone', '{"data": [{"a": 1}, {"a": 2.5}]}'],
    ['behind a byte order mark', '\ufeff{"a": [{"x": "\u00e9"}], "b": [{"y": 2}, {"y": 3}]}'],
    [
      'with line ends of two bytes',
      '{\r\n"a":\r\n[\r\n{"x":\r\n1}\r\n,{"x":"z"}]\r\n,"b":[{"y":1},{"y":"x"}]\r\n}\r\n',
    ],
    ['with records that do not fit, left out', orders, { types: { id: 'BIGINT' }, onMisfit: 'reject' }],
    ['with a value that does not fit', orders, { types: { id: 'BIGINT' } }],
    ['none', '{"a": 1, "b": [1, 2], "c": {"d": [{"e": 1}]}}'],
    ['a key twice', '{"a": [{"x": 1}],\n"b": 1, "a": [{"x": 2}]}'],
    ['a key twice, written in two ways', '{"a": [{"x": 1}],\r\n"\\u0061": [{"x": 2}]}'],
    ['cut', '{"a": [{"x": 1},\n {"x"'],
    ['cut between keys', '{"a": [{"x": 1}],\n'],
    ['followed by text', '{"a": [{"x": 1}]}\r\n {'],
    ['without a comma', '{"a": [{"x": 1}\n{"x": 2}]}'],
    ['with one wrong record', '{"a": [{"x": 1}],\n"b": [{"x": 01}]}'],
    ['damage in what is passed over', '{"a": [{"x": 1}],\n"b": {"c": [1,\n[2, {"d" 3}]]}}'],
    ['a record without a key', '{"a": [{}, {}], "b": [{"x": 1}]}'],
    ['a key with NUL', '{"b": [{"x": 1}],\n"a": [{"x\\u0000": 1}]}'],
    ['half a pair', '{"b": [{"x": 1}],\n"a": [{"x": "\\ud83d"}]}'],
    ['names that stay apart', '{"a b": [{"n": 1}], "a-b": [{"n": 1}], "A_B": [{"n": 1}]}'],
  ])('%s', async (_, content, options) => {
    await compare(content, 9, options);
  });

  it('more than a job may publish', async () => {
    const many = Object.fromEntries(Array.from({ length: 46 }, (_, n) => [`k${n}`, [{ n }]]));
    expect(await compare(JSON.stringify(many), 50)).toMatchObject({ code: 'TOO_MANY_TABLES', extra: { tables: 46 } });
  });

  it('values, records and cells that are too long', async () => {
    const long = 'x'.repeat(3 << 20);
    const own = { maxRecordBytes: 1 << 20, maxCellBytes: 1 << 10 };
    const expected = { code: 'LINE_TOO_LONG', extra: { line: 2 } };
    for (const content of [`{"n":\n"${long}", "a": [{"x": 1}]}`, `{"n": 1,\n"b": ["${long}"], "a": [{"x": 1}]}`])
      expect(await compare(content, 1 << 19, {}, own)).toMatchObject(expected);
    const cell = `{"a": [\n{"x": 1}, {"x": "${'x'.repeat(2000)}"}]}`;
    expect(await compare(cell, 100, {}, own)).toMatchObject({ code: 'CELL_TOO_LARGE', extra: { line: 2 } });
    const passed = `{"n": {"m": ["${'x'.repeat(1 << 19)}", "${'x'.repeat(1 << 19)}"]}, "a": [{"x": 1}]}`;
    expect(await compare(passed, 1 << 18, {}, own)).toMatchObject({ tables: [{ rowCount: 1 }] });
  });
});

describe('the array at a path, read in chunks', () => {
  const content = `{"meta": {"n": 2, "x": [1]}, "data": {"pages": [{"rows": [{"a": 0}]},
  {"rows": [{"a": 1, "b": "x"},\r\n {"a": 2.50}, {"a": 3, "c": [1]}]}]}, "x": [1], "y": [{"z": 1}, 2]}\n`;
  it.each<[string, string, string, ReadOptions?]>([
    ['as a pointer', content, '/data/pages/1/rows'],
    ['with points', content, '$.data.pages.0.rows'],
    ['that is the file', '\ufeff [{"a": 1},\n {"a": "x"}] \n', '$'],
    ['in an array', '[1, [2, [{"a": 1}, {"a": 2}]], {"b": [[{"a": 3}]]}]', '1.1'],
    [
      'with a report of every record',
      content,
      '/data/pages/1/rows',
      { report: 'all', types: { a: 'BIGINT' }, onMisfit: 'null' },
    ],
    ['to an empty array', '{"a": []}', '/a'],
    ['to nothing', content, '/data/rows'],
    ['behind the end of an array', content, '/data/pages/7/rows'],
    ['to an object', content, '/meta'],
    ['to numbers', content, '/x'],
    ['to objects and numbers', content, '/y'],
    ['through a number', content, '/meta/n/a'],
    ['to a key that stands twice', '{"a": [{"x": 1}],\n"a": [{"x": 2}]}', '/a'],
    ['through a key that stands twice', '{"a": {"b": [{"x": 1}]},\n"a": {"b": [{"x": 2}]}}', '/a/b'],
    ['past damage behind it', '{"a": [{"x": 1}],\r\n"b": [1 2]}', '/a'],
    ['past damage before it', '{"b": [1 2], "a": [{"x": 1}]}', '/a'],
    ['past the end', '{"a": [{"x": 1}], "b": [1', '/a'],
    ['past text behind the end', '{"a": [{"x": 1}]}\n x', '/a'],
    ['in a plain value', '"a text"', '/a'],
  ])('%s', async (_, text, jsonPath, options) => {
    await compare(text, 9, { ...options, jsonPath });
  });
});

describe('any JSON, in chunks of any size', () => {
  const key = fc.constantFrom('a', 'b', 'c"d', '\u00e9', 'k'.repeat(60));
  const plain = fc.oneof(
    fc.integer(),
    fc.constantFrom('x', '', '2024-01-02', null, true, '\u00e9\n'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const record = fc.dictionary(key, fc.oneof(plain, fc.constant([1, { a: [] }])), { maxKeys: 3 });
  const value = fc.oneof(
    plain,
    record,
    fc.array(record, { maxLength: 4 }),
    fc.array(fc.oneof(plain, record), { maxLength: 3 }),
  );
  const members = fc.array(fc.tuple(key, value), { maxLength: 5 });
  const space = fc.constantFrom('', ' ', '\n', '\r\n', '\r', '\r\n\r\n ');
  const texts = fc
    .tuple(members, space, space)
    .map(
      ([all, first, second]) =>
        `{${all.map(([name, of]) => `${first}${JSON.stringify(name)}${second}:${first}${JSON.stringify(of, null, second.length)}`).join(`${second},`)}}${first}`,
    );
  const damaged = fc
    .tuple(texts, fc.nat(), fc.constantFrom('', '"', '}', ']', ',', '{"q":1}', '\\', '0'))
    .map(([text, place, what]) => `${text.slice(0, place % text.length)}${what}${text.slice(place % text.length)}`);
  const bytes = fc.integer({ min: 1, max: 60 });

  it('is the tables that it is read at once', async () => {
    await fc.assert(
      fc.asyncProperty(texts, bytes, fc.constantFrom(undefined, '/a', '/b', 'a.0'), async (text, size, jsonPath) => {
        await compare(text, size, jsonPath === undefined ? {} : { jsonPath });
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it('is refused as it is when it is read at once', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, bytes, fc.constantFrom(undefined, '/a'), async (text, size, jsonPath) => {
        await compare(text, size, jsonPath === undefined ? {} : { jsonPath });
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
