// Objects in a folder, for the embedded mode. A key is taken by linking a finished file to its name, which never overwrites, so an
// object is there whole or not at all, whatever dies in between.
import { link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Objects } from '../core/objects.ts';
import type { Clock } from '../core/time.ts';
import { WRITE_BYTES } from '../core/write-bytes.ts';
import { createCopy } from './folder-copy.ts';
import { createLinks, type Links } from './folder-links.ts';
import { createList } from './folder-list.ts';
import { createParts, type Parts } from './folder-parts.ts';
import { copyIntoFile } from './into-file.ts';
import { linkOrCopy } from '../core/link-or-copy.ts';
import { codeOf, describeFile, pathOfKey, temporaryIn, unlessAbsent } from './folder-files.ts';

export interface FolderOptions {
  /** Made where it is missing. */
  readonly directory: string;
  /** Where parts are sent by PUT, and files fetched by GET: the URL of the route that calls `acceptPart` and `openLink`. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Signs the URLs. */
  readonly secret: string;
}

export interface FolderObjects extends Objects, Pick<Parts, 'acceptPart'> {
  /** What a URL of `presignGet` leads to. */
  readonly openLink: Links['open'];
}

export function createFolderObjects({ directory, baseUrl, clock, secret }: FolderOptions): FolderObjects {
  const pathOf = (key: string) => pathOfKey(join(directory, 'objects'), key);
  const make: Make = async (key, fill) => {
    const draft = await temporaryIn(directory);
    try {
      await fill(draft);
      return await takeName(draft, pathOf(key));
    } finally {
      await rm(draft, { force: true });
    }
  };
  const read = (key: string, start = 0, end?: number) => unlessAbsent(() => openStream(pathOf(key), start, end));
  const remove = async (key: string): Promise<void> => unlessAbsent(() => rm(pathOf(key)));
  const moveFileOnce = createMove(make);
  const list = createList(join(directory, 'objects'));
  const links = createLinks({ directory, baseUrl, clock, secret, read, remove });
  const isTaken = (key: string) => isFile(pathOf(key));
  const parts = createParts({ directory, baseUrl, clock, secret, make, isTaken });
  return {
    putOnce: (key, body) => make(key, (draft) => writeFile(draft, body)),
    moveFileOnce,
    movePassingFile: async (key, path) => {
      await links.pass(key);
      return moveFileOnce(key, path);
    },
    presignGet: links.presign,
    openLink: links.open,
    get: (key) => unlessAbsent(() => readFile(pathOf(key))),
    read,
    readInto: async (key, file, bytes) => {
      await using source = await unlessAbsent(() => open(pathOf(key)));
      if (source !== undefined) await copyIntoFile(source, file, bytes);
      return source !== undefined;
    },
    download: (key, path, signal) => fetchFile(pathOf(key), path, signal),
    head: (key) => unlessAbsent(() => describeFile(key, pathOf(key))),
    copyOnce: createCopy({ pathOf, isTaken, make }),
    list,
    delete: remove,
    ...oneVersion(list, remove),
    startMultipart: parts.start,
    presignParts: parts.presign,
    completeMultipart: parts.complete,
    acceptPart: parts.acceptPart,
  };
}

/** Fills a draft and takes the key with it; what `fill` throws leaves nothing. */
type Make = (key: string, fill: (path: string) => Promise<void>) => Promise<'written' | 'exists'>;

const createMove =
  (make: Make): Objects['moveFileOnce'] =>
  async (key, path) => {
    const answer = await make(key, (draft) => linkOrCopy(path, draft));
    await rm(path);
    return answer;
  };

async function fetchFile(from: string, to: string, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  return (await unlessAbsent(() => linkOrCopy(from, to).then(() => true))) ?? false;
}

/** A folder keeps one version of each object. */
const oneVersion = (
  list: Objects['list'],
  remove: Objects['delete'],
): Pick<Objects, 'listVersions' | 'deleteVersions'> => ({
  listVersions: async (prefix, after) => {
    const { objects, ...more } = await list(prefix, after);
    return { versions: objects.map(({ key, size }) => ({ key, size })), ...more };
  },
  deleteVersions: async (versions) => {
    for (const { key } of versions) await remove(key);
  },
});

async function takeName(draft: string, path: string): Promise<'written' | 'exists'> {
  await synced(draft);
  await mkdir(dirname(path), { recursive: true });
  try {
    await link(draft, path);
    return 'written';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/** Rows that point at the object are synced when written, so the object is too. */
async function synced(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/** Many bytes a piece, since on its way through streams one costs the same for any size, and no more than a file is given at once. */
async function openStream(path: string, start: number, end?: number): Promise<Readable> {
  const file = await open(path);
  return file.createReadStream({ start, highWaterMark: WRITE_BYTES, ...(end !== undefined && { end: end - 1 }) });
}

const isFile = async (path: string): Promise<boolean> => (await unlessAbsent(() => stat(path))) !== undefined;
