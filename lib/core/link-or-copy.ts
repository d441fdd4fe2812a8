// A file under a second name, without a second copy of its bytes.
import { copyFile, link, rm } from 'node:fs/promises';

/**
 * Gives a file another name, or makes a copy where the system gives none: on another volume, for one. To be read and removed, not to be written
 * to. Takes the place of what is there. Throws as the system does where there is no file.
 */
export async function linkOrCopy(from: string, to: string, name: typeof link = link): Promise<void> {
  // Never written over: it may be another name of something that stays.
  await rm(to, { force: true });
  try {
    await name(from, to);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw error;
    await copyFile(from, to);
  }
}
