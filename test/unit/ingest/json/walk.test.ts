// What stands beside the arrays of a JSON file is passed over, however large it is, and is proven to be JSON all the same.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { findAtPath } from '../../../../lib/ingest/json/at-path.ts';
import { findSections } from '../../../../lib/ingest/json/sections.ts';
import { inFolder } from '../world.ts';

const RECORD = 1 << 20;
/** Of 3 MiB, none of whose values is long. */
const large = `[${Array.from({ length: 3 << 15 }, (_, n) => `{"n": [${String(n).padStart(20)}]}`).join(',')}]`;
const deep = (levels: number) => `{"v":${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}}`;

const find = (content: string, path?: string) =>
  inFolder(async (folder) => {
    const file = join(folder, 'upload');
    await writeFile(file, content);
    const source = { path: file, start: 0, maxRecordBytes: RECORD };
    const texts = (sections: readonly { start: number; end: number }[]) =>
      sections.map(({ start, end }) => content.slice(start, end));
    if (path !== undefined) return texts([await findAtPath(source, path)]);
    return texts((await findSections(source)).tables);
  });

const refusal = async (content: string, path?: string) => {
  const thrown: unknown = await find(content, path).catch((reason: unknown) => reason);
  if (!(thrown instanceof Fault)) throw new TypeError('it was found');
  return [thrown.code, thrown.detail];
};

describe('beside the arrays that are tables', () => {
  it.each([
    ['an object', `{"x":${large}}`],
    ['an array in an array', `[1,${large}]`],
  ])('%s may be larger than a record', async (_, beside) => {
    const content = `{"before": ${beside}, "a": [{"b": 1}], "behind": ${beside}}`;
    expect(await find(content)).toEqual(['[{"b": 1}]']);
    expect(await find(content, '/a')).toEqual(['[{"b": 1}]']);
  });

  it('an array of objects that the path passes may be larger than a record', async () => {
    expect(await find(`{"data": {"rows": ${large}, "a": [{"b": 1}]}}`, 'data.a')).toEqual(['[{"b": 1}]']);
  });

  it('damage in what is larger than a window is found where it stands', async () => {
    const damaged = large.replace(/\}\]$/, '},]');
    const at = '{"x": {"y": '.length + damaged.length - 1;
    for (const path of [undefined, '/a'])
      expect(await refusal(`{"x": {"y": ${damaged}}, "a": [{"b": 1}]}`, path)).toEqual([
        'PARSE_ERROR',
        expect.stringContaining(`byte offset ${at}:`),
      ]);
  });

  it('what is nested too deep is refused, wherever the windows of reading fall', async () => {
    const gap = ' '.repeat((1 << 20) - 700);
    for (const path of [undefined, '/a']) {
      expect(await find(`{"x":${gap}${deep(255)}, "a": [{}]}`, path)).toEqual(['[{}]']);
      for (const content of [`{"x":${deep(256)}, "a": [{}]}`, `{"x":${gap}${deep(256)}, "a": [{}]}`])
        expect(await refusal(content, path)).toEqual(['PARSE_ERROR', expect.stringContaining('deeper than 512')]);
    }
  });

  it('an object may have as many keys as are remembered, and none twice', async () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join(',');
    expect(await refusal(`{${keys},"a":[{}]}`)).toEqual(['PARSE_ERROR', expect.stringContaining('100000 keys')]);
    const long = 'k'.repeat(100);
    expect(await refusal(`{"${long}":1,"${long}l":1,"${long}":2}`)).toEqual([
      'PARSE_ERROR',
      expect.stringContaining('twice'),
    ]);
  });
});
