// A folder for the file of one result, gone when it has been used.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Gives `use` a path at which nothing is yet. */
export async function inFolder<T>(directory: string, use: (path: string) => Promise<T>): Promise<T> {
  const place = await mkdtemp(join(directory, 'result-'));
  try {
    return await use(join(place, 'result'));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
