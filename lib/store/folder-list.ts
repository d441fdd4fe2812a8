// Lists a folder of objects: its files by key, a page at a time. Keys whose parts are long enough to be hashed are not found.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ListedObject, Objects } from '../core/objects.ts';
import { epochMs } from '../core/time.ts';
import { pathOfKey, unlessAbsent } from './folder-files.ts';

const PAGE = 1000;

/** By code point, as S3 sorts. */
const byKey = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const createList =
  (directory: string): Objects['list'] =>
  async (prefix, after = '') => {
    const folder = pathOfKey(directory, prefix.replace(/\/$/, ''));
    const entries = (await unlessAbsent(() => readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
    const keys = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((key) => byKey(key, after) > 0)
      .toSorted(byKey);
    const objects: ListedObject[] = [];
    for (const key of keys.slice(0, PAGE)) {
      const found = await unlessAbsent(() => stat(pathOfKey(directory, key)));
      if (found !== undefined) objects.push({ key, writtenAt: epochMs(Math.floor(found.mtimeMs)) });
    }
    const last = keys[PAGE - 1];
    return { objects, ...(keys.length > PAGE && last !== undefined && { after: last }) };
  };
