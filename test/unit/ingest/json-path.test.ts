import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { stepsOf } from '../../../lib/ingest/json/at-path.ts';
import { listTables } from '../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits } from '../../../lib/ingest/reading/types.ts';
import { inFolder, textsOf } from './world.ts';

/** Columns and rows of the table at a path. */
const at = async (content: string, jsonPath: string) =>
  inFolder(async (folder) => {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    const workDir = await mkdtemp(join(folder, 'work-'));
    const request = { path, name: 't.json', workDir, limits: defaultReadLimits, options: { jsonPath } };
    const { tables } = await listTables(request);
    expect(tables.map(({ name }) => name)).toEqual(['t']);
    const { columns, parquetPath } = await readTable({ ...request, within: tables[0]?.within });
    return { columns: columns.map(({ name }) => name), rows: await textsOf(workDir, parquetPath) };
  });

const refused = async (content: string, jsonPath: string): Promise<[string, string]> => {
  const thrown: unknown = await at(content, jsonPath).catch((reason: unknown) => reason);
  if (!(thrown instanceof Fault)) throw new TypeError('it was read');
  return [thrown.code, thrown.detail];
};

describe('a path through JSON', () => {
  const content =
    '{"meta": {"n": 2}, "data": {"pages": [{"rows": [{"a": 0}]}, {"rows": [{"a": 1}, {"a": 2}]}]}, "x": [1]}';

  it.each(['/data/pages/1/rows', 'data.pages.1.rows', '$.data.pages.1.rows'])(
    'leads to the array that is the table: %s',
    async (path) => {
      expect(await at(content, path)).toEqual({ columns: ['a'], rows: [['1'], ['2']] });
    },
  );

  it('may have names with points, slashes, tildes and nothing in them', async () => {
    expect(stepsOf('/a~1b/c~0d/e.f/')).toEqual(['a/b', 'c~d', 'e.f', '']);
    expect((await at('{"a/b": {"": [{"x": 1}]}}', '/a~1b/')).rows).toEqual([['1']]);
    expect((await at('{"\\u00e9.b": [{"x": 1}]}', '/é.b')).rows).toEqual([['1']]);
  });

  it('may lead to the whole file', async () => {
    expect((await at('[{"a": 1}]', '$')).rows).toEqual([['1']]);
  });

  it.each<[string, string, string, string, RegExp]>([
    ['to nothing', content, '/data/rows', 'OPTION_MISFIT', /Nothing stands at the path/],
    ['behind the end of an array', content, '/data/pages/7/rows', 'OPTION_MISFIT', /Nothing stands/],
    ['to an object', content, '/meta', 'OPTION_MISFIT', /^Line 1, byte offset 9: .* no array/],
    ['to a number', content, '/meta/n', 'OPTION_MISFIT', /^Line 1, byte offset 15: .* no array/],
    ['to numbers', content, '/x', 'OPTION_MISFIT', /^Line 1, byte offset 100: .* other things than objects/],
    ['to objects with a number among them', '{"a": [{}, 1]}', '/a', 'PARSE_ERROR', /other things than objects/],
    ['through a number', content, '/meta/n/a', 'OPTION_MISFIT', /plain value/],
    ['to a key that stands twice', '{"a": [{"x": 1}],\n"a": [{"x": 2}]}', '/a', 'PARSE_ERROR', /"a" stands twice/],
    ['past damage behind it', '{"a": [{"x": 1}], "b": [1 2]}', '/a', 'PARSE_ERROR', /offset 26/],
    ['past damage before it', '{"b": [1 2], "a": [{"x": 1}]}', '/a', 'PARSE_ERROR', /offset 9/],
    ['past the end', '{"a": [{"x": 1}], "b": [1', '/a', 'PARSE_ERROR', /ends inside/],
    ['past text behind the end', '{"a": [{"x": 1}]} x', '/a', 'PARSE_ERROR', /text follows/],
  ])('is refused where it leads %s', async (_name, text, path, code, detail) => {
    expect(await refused(text, path)).toEqual([code, expect.stringMatching(detail)]);
  });

  it('finds what stands there, wherever the windows of reading fall', async () => {
    const rows = fc.array(fc.record({ a: fc.string({ unit: 'grapheme' }) }), { minLength: 1, maxLength: 3 });
    const space = fc.constantFrom('', '\n ', ' '.repeat(1 << 20));
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c/d', '~', ''), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(rows, keys, space, async (table, path, gap) => {
        fc.pre(table.every(({ a }) => a.isWellFormed()));
        const inner = JSON.stringify(table);
        const text = path.reduceRight(
          (value, key) => `{"before":${gap}[{}],${gap}${JSON.stringify(key)}:${gap}${value}${gap},"behind":{}}`,
          inner,
        );
        const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        expect((await at(text, pointer)).rows).toEqual(table.map(({ a }) => [a]));
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});
