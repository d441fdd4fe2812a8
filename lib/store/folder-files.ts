// Where an object lies in its folder, and how its files are read. Keys are confined to it: a part that could climb out is refused.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListedObject, objectKey } from '../core/objects.ts';
import { epochMs } from '../core/time.ts';

/** File systems take 255 bytes a name; S3 takes 1,024 a key. */
const LONGEST_NAME_BYTES = 200;

/** The path of a key; throws a TypeError for a key that could leave the directory. */
export const pathOfKey = (directory: string, key: string): string =>
  join(
    directory,
    ...objectKey(...key.split('/'))
      .split('/')
      .map(fileName),
  );

function fileName(part: string): string {
  if (Buffer.byteLength(part) <= LONGEST_NAME_BYTES) return part;
  const digest = createHash('sha256').update(part).digest('hex');
  return `${part.slice(0, 40)}~${digest}`;
}

/** A path for a file that is not finished yet, on the same volume as the objects. */
export async function temporaryIn(directory: string): Promise<string> {
  const drafts = join(directory, 'drafts');
  await mkdir(drafts, { recursive: true });
  return join(drafts, randomName());
}

export const randomName = (): string => randomBytes(16).toString('hex');

/** Objects never change, so their identity in the file system identifies their content; of a file that is dropped here it does until it is written to. */
export async function describeFile(key: string, path: string): Promise<ListedObject> {
  const { size, ino, mtimeNs, mtimeMs } = await stat(path, { bigint: true });
  const etag = createHash('md5').update(`${ino} ${size} ${mtimeNs}`).digest('hex');
  return { key, size: Number(size), etag: `"${etag}"`, writtenAt: epochMs(Number(mtimeMs)) };
}

/** Undefined where the file is missing; what lies on the way to it may be a file. */
export async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)))) return undefined;
    throw error;
  }
}

/** The system's error code, e.g. `EEXIST`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
