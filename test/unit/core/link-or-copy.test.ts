import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkOrCopy } from '../../../lib/core/link-or-copy.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-links-'));
});
afterAll(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

describe('another name of a file', () => {
  it('is the file itself, and what had the name before is as it was under its own', async () => {
    await writeFile(at('one'), 'one');
    await writeFile(at('other'), 'other');
    await linkOrCopy(at('one'), at('name'));
    await linkOrCopy(at('other'), at('name'));
    expect((await stat(at('name'))).ino).toBe((await stat(at('other'))).ino);
    expect(await readFile(at('one'), 'utf8')).toBe('one');
    await rm(at('other'));
    expect(await readFile(at('name'), 'utf8')).toBe('other');
  });

  it.each(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'])('is a copy where the system gives none: %s', async (code) => {
    await writeFile(at('file'), 'bytes');
    await writeFile(at('taken'), 'more bytes than that');
    await linkOrCopy(at('file'), at('taken'), refused(code));
    expect(await readFile(at('taken'), 'utf8')).toBe('bytes');
    expect((await stat(at('taken'))).ino).not.toBe((await stat(at('file'))).ino);
  });

  it('of a file that is not there is none', async () => {
    const before = await readdir(folder);
    await expect(linkOrCopy(at('missing'), at('new'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(folder)).toEqual(before);
  });
});
