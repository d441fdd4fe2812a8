// A folder that is no longer needed, removed by whoever has a result or an error to give on.
import { rm } from 'node:fs/promises';

/**
 * Never rejects, or what was come to would be lost behind it. A folder resists where a file is made in it meanwhile, as by a stream that was given
 * up before its file was open: it is tried again, twice.
 */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
}
