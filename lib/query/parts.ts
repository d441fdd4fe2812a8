// Parquet parts on local disk, kept by object key between queries. Keys are immutable, so a file that is here is right.
// A part that a query holds is never removed; of the others the least recently used go first.
import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';
import { eachOf } from '../core/each-of.ts';
import { createShelf, type Part } from './shelf.ts';

export interface PartCacheOptions {
  /** A folder of this process alone; it is emptied before the first fetch, since nobody knows what a dead process left. */
  readonly directory: string;
  readonly maxBytes: number;
  readonly objects: Pick<Objects, 'head' | 'download'>;
}

/** Local copies that stay until disposed of. */
export interface HeldParts extends Disposable {
  /** Absolute paths in the order of the keys asked for. */
  readonly paths: readonly string[];
}

export interface PartCache {
  /**
   * Holds local copies of all keys, waiting while other queries hold the room that is needed.
   * Throws QUERY_DISK when they cannot fit at all, GONE when one is.
   */
  fetchParts(keys: readonly string[]): Promise<HeldParts>;
  /** Bytes on disk or promised to a download. */
  readonly usedBytes: number;
}

const downloadsAtOnce = 8;

export function createPartCache({ directory, maxBytes, objects }: PartCacheOptions): PartCache {
  const shelf = createShelf(maxBytes);
  const fetcher = createFetcher(directory, objects);
  let prepared: Promise<unknown> | undefined;
  let released = Promise.withResolvers<undefined>();

  const letGo = (held: readonly Part[]): void => {
    for (const part of held) part.holders -= 1;
    released.resolve(undefined);
    released = Promise.withResolvers();
  };

  /** Holds all keys or none, in one go, so that two queries never wait for each other's halves. */
  const take = (keys: ReadonlySet<string>, sizes: ReadonlyMap<string, number>): Part[] | undefined => {
    const missing = [...keys].filter((key) => shelf.get(key) === undefined);
    const sizeOf = (key: string): number => must(sizes.get(key), key);
    const evicted = shelf.makeRoom(
      missing.reduce((sum, key) => sum + sizeOf(key), 0),
      keys,
    );
    if (evicted === undefined) return undefined;
    const removed = Promise.all(evicted.map((part) => rm(part.path, { force: true })));
    for (const key of missing) {
      const part = fetcher(key, sizeOf(key), removed);
      shelf.add(part);
      part.ready.catch(() => shelf.forget(part));
    }
    return [...keys].map((key) => shelf.hold(must(shelf.get(key), key)));
  };

  const fetchParts = async (keys: readonly string[]): Promise<HeldParts> => {
    await (prepared ??= emptied(directory));
    const wanted = new Set(keys);
    const sizes = await sizesOf(objects, [...wanted], (key) => shelf.get(key)?.size);
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (total > maxBytes) throw new Fault('QUERY_DISK', `The tables take ${total} bytes; ${maxBytes} are the limit.`);
    let held = take(wanted, sizes);
    while (held === undefined) {
      await released.promise;
      held = take(wanted, sizes);
    }
    return await whenReady(keys, held, letGo);
  };

  return {
    get usedBytes() {
      return shelf.used;
    },
    fetchParts,
  };
}

async function emptied(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
}

/** Starts the download of a part once `evicted` is off the disk. */
function createFetcher(directory: string, objects: Pick<Objects, 'download'>) {
  const turns = eachOf(downloadsAtOnce);
  let made = 0;
  return (key: string, size: number, evicted: Promise<unknown>): Part => {
    made += 1;
    // Never the same path twice: the removal of an evicted copy must not hit its successor.
    const path = join(directory, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}-${made}.parquet`);
    const ready = evicted.then(() => turns(() => download(objects, key, path)));
    return { key, path, size, ready, holders: 0 };
  };
}

async function whenReady(
  keys: readonly string[],
  held: readonly Part[],
  letGo: (held: readonly Part[]) => void,
): Promise<HeldParts> {
  let kept = true;
  const dispose = (): void => {
    if (kept) letGo(held);
    kept = false;
  };
  const settled = await Promise.allSettled(held.map((part) => part.ready));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    dispose();
    throw failed.reason;
  }
  const paths = new Map(held.map((part) => [part.key, part.path]));
  return { paths: keys.map((key) => must(paths.get(key), key)), [Symbol.dispose]: dispose };
}

async function sizesOf(
  objects: Pick<Objects, 'head'>,
  keys: readonly string[],
  known: (key: string) => number | undefined,
): Promise<Map<string, number>> {
  const turns = eachOf(downloadsAtOnce);
  const sizeOf = async (key: string): Promise<[string, number]> => {
    const size = known(key) ?? (await turns(() => objects.head(key)))?.size;
    if (size === undefined) throw gone();
    return [key, size];
  };
  return new Map(await Promise.all(keys.map(sizeOf)));
}

/** Under another name until it is whole, so that a part cut short is never read. */
async function download(objects: Pick<Objects, 'download'>, key: string, path: string): Promise<void> {
  const partial = `${path}.partial`;
  try {
    if (!(await objects.download(key, partial))) throw gone();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const gone = (): Fault => new Fault('GONE', 'A part of the table is no longer stored.');
