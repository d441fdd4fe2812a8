// A folder for the file of one result, gone when it has been used.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../core/remove-folder.ts';

/** Gives `use` a path at which nothing is yet. */
export async function inFolder<T>(directory: string, use: (path: string) => Promise<T>): Promise<T> {
  const place = await mkdtemp(join(directory, 'result-'));
  try {
    return await use(join(place, 'result'));
  } finally {
    await removeFolder(place);
  }
}
