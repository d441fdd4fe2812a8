// Lists a folder of objects: its files by key, a page at a time. Keys whose parts are long enough to be hashed are not found.
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type ListedObject, objectKey, type Objects } from '../core/objects.ts';
import { describeFile, pathOfKey, unlessAbsent } from './folder-files.ts';

const PAGE = 1000;

/** Somebody else may put files into the folder, under names that no key has. */
function isKey(path: string): boolean {
  try {
    return objectKey(...path.split('/')) === path;
  } catch {
    return false;
  }
}

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
      .filter((key) => isKey(key) && byKey(key, after) > 0)
      .toSorted(byKey);
    const objects: ListedObject[] = [];
    for (const key of keys.slice(0, PAGE)) {
      const found = await unlessAbsent(() => describeFile(key, pathOfKey(directory, key)));
      if (found !== undefined) objects.push(found);
    }
    const last = keys[PAGE - 1];
    return { objects, ...(keys.length > PAGE && last !== undefined && { after: last }) };
  };
