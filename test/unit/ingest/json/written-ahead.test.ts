// Rows that are written while keys are still being found are those that are written once all are known, or are not used.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startJson, surveyChunk } from '../../../../lib/ingest/chunks/survey-json.ts';
import { sampler } from '../../../../lib/ingest/csv/sample.ts';
import { keyColumns } from '../../../../lib/ingest/json/columns.ts';
import { fits, flatten } from '../../../../lib/ingest/json/flatten.ts';
import { readChunked } from '../chunks/read-chunked.ts';
import { inFolder } from '../world.ts';

/** What is written ahead, undefined where it is of no use, and what is written once all records have been seen. */
const bothWays = (content: string, maxBytes = 1e6) =>
  inFolder(async (folder) => {
    const [path, ahead, target] = ['in', 'ahead', 'flat'].map((name) => join(folder, name)) as [string, string, string];
    await writeFile(path, content);
    const size = Buffer.byteLength(content);
    const source = { path, start: 0, size, maxRecordBytes: 1e6, maxColumns: 100, maxBytes: 1e9 };
    const to = { path: ahead, maxBytes };
    const { state } = await surveyChunk(source, 'ndjson', startJson('ndjson'), sampler(size), to);
    const columns = keyColumns(100, state.keys);
    const flat = await flatten({ source, format: 'ndjson', columns, seen: 0, target });
    const used = state.flat !== undefined && fits(state.flat, state.keys);
    return {
      ahead: used ? { flat: state.flat, text: await readFile(ahead, 'utf8') } : undefined,
      behind: { flat, text: await readFile(target, 'utf8') },
    };
  });

const lines = (...records: readonly object[]): string => records.map((record) => JSON.stringify(record)).join('\n');

describe('rows written ahead', () => {
  it.each([
    ['the same keys', lines({ a: 1, b: 'x' }, { a: 2.5, b: null }, { b: 'é "q", \\', a: 3 })],
    ['keys that are left out', lines({ a: 1, b: 'x' }, { a: 2 }, {}, { b: 'y' })],
    ['several kinds without nested ones', lines({ a: 1 }, { a: 'x' }, { a: true })],
    ['nested values', lines({ a: [1, 'x'] }, { a: null }, { a: { b: '"' } })],
  ])('are used: %s', async (_, content) => {
    const { ahead, behind } = await bothWays(content);
    expect(ahead).toEqual(behind);
  });

  it.each([
    ['a key that the first record has not', lines({ a: 1 }, { a: 2, b: 1 })],
    ['a text beside nested values', lines({ a: 'x' }, { a: [1] })],
    ['a number beside nested values', lines({ a: [1] }, { a: 1 })],
    ['no record', '\n\n'],
  ])('are not used: %s', async (_, content) => {
    expect((await bothWays(content)).ahead).toBeUndefined();
  });

  it('are not used where they take more room than they may', async () => {
    const content = lines({ a: 1, b: 2 }, { a: 3, b: 4 });
    expect((await bothWays(content, 8)).ahead).toBeDefined();
    expect((await bothWays(content, 7)).ahead).toBeUndefined();
  });

  it('say whether a text of them has a line end', async () => {
    expect((await bothWays(lines({ a: 'x', b: [1] }))).ahead?.flat).toMatchObject({ quotedNewlines: false });
    expect((await bothWays(lines({ a: 'x' }, { a: 'x\ny' }))).ahead?.flat).toMatchObject({ quotedNewlines: true });
    expect((await bothWays('{"a":[1,\r2]}')).ahead?.flat).toMatchObject({ quotedNewlines: true });
  });

  it('are the others, or are not used, whatever the records are', async () => {
    const value = fc.oneof(fc.integer(), fc.constantFrom(null, true, 'x', '"', '\n', 'é,', [1], { a: 'x' }));
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 6 }), async (records) => {
        const { ahead, behind } = await bothWays(lines(...records));
        if (ahead !== undefined) expect(ahead).toEqual(behind);
      }),
      { numRuns: 60 },
    );
  });

  it('are taken by the pass that writes the parts, and make the same table', async () => {
    const content = lines(...Array.from({ length: 40 }, (_, id) => ({ id, at: '2024-01-02', note: `n"\n${id}` })));
    const alone = await readChunked('ndjson', content, { chunkBytes: 600 });
    const read = await readChunked('ndjson', content, { chunkBytes: 600 }, {}, 'leave chunks');
    const names = read.chunks.map(({ start, end }) => `stretch-${start}-${end}`);
    expect(read.left.toSorted()).toEqual(names.flatMap((name) => [name, `${name}.csv`]).toSorted());
    expect(read.stillLeft).toEqual([]);
    expect(read.chunks.length).toBeGreaterThan(3);
    expect([read.schema, read.rows, read.sha256]).toEqual([alone.schema, alone.rows, alone.sha256]);
  });

  it.each([
    ['a late key', { id: 30, late: 1 }],
    ['a nested value among texts', { id: 30, note: ['x'] }],
  ])('are left where a later chunk brings %s', async (_, last) => {
    const content = lines(...Array.from({ length: 30 }, (__, id) => ({ id, note: `n ${id}` })), last);
    const alone = await readChunked('ndjson', content, { chunkBytes: 300 });
    const read = await readChunked('ndjson', content, { chunkBytes: 300 }, {}, 'leave chunks');
    expect(read.stillLeft.length).toBeGreaterThan(1);
    expect([read.schema, read.rows, read.warnings]).toEqual([alone.schema, alone.rows, alone.warnings]);
  });
});
