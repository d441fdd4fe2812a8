// The bytes of an upload's parts in its folder. Where the size of the parts is known, each is written into its place of one file, so that nothing
// has to be joined. A part that is sent again, or that has no place, is a file of its own; then all are copied together in the end.
import { type FileHandle, link, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { UploadedPart } from '../core/objects.ts';
import { randomName, temporaryIn, unlessAbsent } from './folder-files.ts';
import { copyIntoFile, streamIntoFile } from './into-file.ts';

export interface PartBody {
  readonly body: Readable;
  /** Bytes; undefined where nobody knows before they have come. */
  readonly size?: number | undefined;
  /** Is told of each piece that is no longer needed. */
  readonly used?: ((piece: Uint8Array) => void) | undefined;
}

export interface PartFiles {
  /** Makes room for an upload in its folder, which is there. */
  begin(folder: string, partSize: number | undefined): Promise<void>;
  /** Answers the ETag. */
  store(folder: string, number: number, part: PartBody): Promise<string>;
  /** Answers what makes a file of the parts; undefined where one is not there with its ETag, or they are not in ascending order. */
  joining(folder: string, parts: readonly UploadedPart[]): Promise<((draft: string) => Promise<void>) | undefined>;
}

const WHOLE = 'whole';
const PART_SIZE = 'part-size';

/** Of a part in a file of its own: its ETag stands in its name, so that nobody has to read it again. */
const ownPath = (folder: string, number: number, etag: string): string => join(folder, `${number}-${etag}`);
/** Says that a part has its place, by its ETag and its size. */
const placedPath = (folder: string, number: number): string => join(folder, `placed-${number}`);

const bare = (etag: string): string => etag.replace(/^"|"$/g, '');

interface Found {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

export function createPartFiles(directory: string): PartFiles {
  /** Places that are being written, by the path of what will say so. One process owns the folder. */
  const writing = new Set<string>();
  const isWriting = (folder: string): boolean => [...writing].some((path) => dirname(path) === folder);
  return {
    begin: async (folder, partSize) => {
      if (partSize === undefined) return;
      await writeFile(join(folder, WHOLE), '');
      await writeFile(join(folder, PART_SIZE), String(partSize));
    },
    store: async (folder, number, part) => {
      const placed = placedPath(folder, number);
      if (writing.has(placed)) return storeAlone(directory, folder, number, part);
      writing.add(placed);
      try {
        const start = (await isThere(placed)) ? undefined : await startOf(folder, number, part);
        if (start === undefined) return await storeAlone(directory, folder, number, part);
        return await storeInPlace(folder, placed, start, part);
      } finally {
        writing.delete(placed);
      }
    },
    joining: async (folder, parts) => {
      const found = await findAll(folder, parts);
      if (found === undefined) return undefined;
      return async (draft) => {
        // From here on no part finds a place: nothing that is written later reaches the file.
        await rm(join(folder, PART_SIZE), { force: true });
        if (isWhole(folder, found) && !isWriting(folder)) await linkWhole(folder, found, draft);
        else await copyAll(found, draft);
      };
    },
  };
}

const isThere = async (path: string): Promise<boolean> => (await unlessAbsent(() => stat(path))) !== undefined;

const endBefore = (found: readonly Found[], at: number): number =>
  found.slice(0, at).reduce((sum, { size }) => sum + size, 0);

const isWhole = (folder: string, found: readonly Found[]): boolean =>
  found.every(({ path, start }, at) => path === join(folder, WHOLE) && start === endBefore(found, at));

/** A link, so that whoever dies here leaves all as it was. */
async function linkWhole(folder: string, found: readonly Found[], draft: string): Promise<void> {
  await truncate(join(folder, WHOLE), endBefore(found, found.length));
  await link(join(folder, WHOLE), draft);
}

const partSizeOf = (folder: string): Promise<string | undefined> =>
  unlessAbsent(() => readFile(join(folder, PART_SIZE), 'utf8'));

/** Where a part has its place; undefined where it has none. */
async function startOf(folder: string, number: number, { size }: PartBody): Promise<number | undefined> {
  const partSize = await partSizeOf(folder);
  if (partSize === undefined || size === undefined || size > Number(partSize)) return undefined;
  return (number - 1) * Number(partSize);
}

async function storeInPlace(folder: string, placed: string, start: number, part: PartBody): Promise<string> {
  const { body, size, used } = part;
  let bytes = 0;
  await using file = await open(join(folder, WHOLE), 'r+');
  await streamIntoFile(body, file, { at: start, used, wrote: (more) => (bytes += more) });
  if (bytes !== size) throw new TypeError(`the part was to have ${size} bytes and has ${bytes}`);
  const etag = randomName();
  await writeFile(placed, JSON.stringify({ etag, start, size }));
  return etag;
}

async function storeAlone(
  directory: string,
  folder: string,
  number: number,
  { body, used }: PartBody,
): Promise<string> {
  const draft = await temporaryIn(directory);
  try {
    await write(draft, (file) => streamIntoFile(body, file, { used }));
    const etag = randomName();
    await rename(draft, ownPath(folder, number, etag));
    return etag;
  } finally {
    await rm(draft, { force: true });
  }
}

async function find(folder: string, number: number, etag: string): Promise<Found | undefined> {
  const own = ownPath(folder, number, etag);
  const alone = await unlessAbsent(() => stat(own));
  if (alone !== undefined) return { path: own, start: 0, size: alone.size };
  const placed = await unlessAbsent(() => readFile(placedPath(folder, number), 'utf8'));
  if (placed === undefined || placed === '') return undefined;
  const { etag: known, start, size } = JSON.parse(placed) as { etag: string; start: number; size: number };
  return known === etag ? { path: join(folder, WHOLE), start, size } : undefined;
}

/** Every part with the ETag that the caller was given, in ascending order. */
async function findAll(folder: string, parts: readonly UploadedPart[]): Promise<Found[] | undefined> {
  const all: Found[] = [];
  let previous = 0;
  for (const { number, etag } of parts) {
    const isNext = number > previous && /^[0-9a-f]{32}$/.test(bare(etag));
    const found = isNext ? await find(folder, number, bare(etag)) : undefined;
    if (found === undefined) return undefined;
    all.push(found);
    previous = number;
  }
  return all.length === 0 ? undefined : all;
}

const copyAll = (found: readonly Found[], draft: string): Promise<void> =>
  write(draft, async (file) => {
    for (const { path, start, size } of found) {
      await using part = await open(path);
      await copyIntoFile(part, file, { start, end: start + size });
    }
  });

async function write(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  await using file = await open(path, 'w');
  await fill(file);
}
