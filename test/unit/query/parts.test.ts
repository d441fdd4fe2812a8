import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPartCache } from '../../../lib/query/parts.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-parts-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Objects whose key says their size, `name/100`; downloads are counted and wait for `gate`. */
function theStore(gate: Promise<unknown> = Promise.resolve()) {
  const downloads: string[] = [];
  const broken = new Set<string>();
  const sizeOf = (key: string) => Number(key.split('/')[1]);
  return {
    downloads,
    broken,
    head: async (key: string) => (key.startsWith('gone') ? undefined : { key, size: sizeOf(key), etag: 'e' }),
    download: async (key: string, path: string) => {
      downloads.push(key);
      await writeFile(path, key.repeat(3).slice(0, 3));
      await gate;
      if (broken.has(key)) throw new Error('cut off');
      await writeFile(path, key.padEnd(sizeOf(key), '.'));
      return true;
    },
  };
}

const cacheOf = (objects: ReturnType<typeof theStore>, maxBytes = 300) =>
  createPartCache({ directory: join(directory, 'parts'), maxBytes, objects });
const files = () => readdir(join(directory, 'parts'));
const rejected = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fulfilled',
    (error: unknown) => error,
  );

describe('parts are fetched once and kept', () => {
  it('paths come in the order of the keys and hold the whole object', async () => {
    const cache = cacheOf(theStore());
    using held = await cache.fetchParts(['b/100', 'a/50', 'b/100']);
    expect(held.paths[0]).toBe(held.paths[2]);
    expect(await readFile(held.paths[1] ?? '', 'utf8')).toBe('a/50'.padEnd(50, '.'));
    expect(cache.usedBytes).toBe(150);
  });

  it('a second fetch downloads nothing', async () => {
    const store = theStore();
    const cache = cacheOf(store);
    (await cache.fetchParts(['a/100']))[Symbol.dispose]();
    using again = await cache.fetchParts(['a/100']);
    expect([store.downloads, again.paths.length]).toEqual([['a/100'], 1]);
  });

  it('fetches of one key at the same time share a download', async () => {
    const gate = Promise.withResolvers<undefined>();
    const store = theStore(gate.promise);
    const cache = cacheOf(store);
    const both = Promise.all([cache.fetchParts(['a/100']), cache.fetchParts(['a/100', 'b/100'])]);
    gate.resolve(undefined);
    const [one, two] = await both;
    expect(one.paths[0]).toBe(two.paths[0]);
    expect(store.downloads.toSorted()).toEqual(['a/100', 'b/100']);
  });

  it('what a dead process left is removed before the first fetch', async () => {
    await mkdir(join(directory, 'parts'));
    await writeFile(join(directory, 'parts', 'left.parquet'), 'x');
    using held = await cacheOf(theStore()).fetchParts(['a/10']);
    expect([held.paths.length, (await files()).length]).toEqual([1, 1]);
  });
});

describe('the bytes on disk stay within bounds', () => {
  it('the least recently used part goes first', async () => {
    const store = theStore();
    const cache = cacheOf(store);
    for (const key of ['a/100', 'b/100', 'c/100', 'a/100', 'd/100']) (await cache.fetchParts([key]))[Symbol.dispose]();
    expect([cache.usedBytes, (await files()).length]).toEqual([300, 3]);
    for (const key of ['a/100', 'c/100', 'd/100', 'b/100']) (await cache.fetchParts([key]))[Symbol.dispose]();
    expect(store.downloads).toEqual(['a/100', 'b/100', 'c/100', 'd/100', 'b/100']);
  });

  it('a part in use is not removed: the next fetch waits until it is let go', async () => {
    const store = theStore();
    const cache = cacheOf(store);
    const held = await cache.fetchParts(['a/200']);
    const other = cache.fetchParts(['b/200']);
    const first = await Promise.race([
      other.then(() => 'b'),
      cache.fetchParts(['a/200', 'c/100']).then((more) => (more[Symbol.dispose](), 'c')),
    ]);
    expect([first, await readFile(held.paths[0] ?? '', 'utf8')]).toEqual(['c', 'a/200'.padEnd(200, '.')]);
    held[Symbol.dispose]();
    held[Symbol.dispose]();
    using b = await other;
    expect([b.paths.length, cache.usedBytes, (await files()).length]).toEqual([1, 300, 2]);
  });

  it('two fetches that each need most of the room both end', async () => {
    const cache = cacheOf(theStore());
    const use = async (keys: string[]) => {
      using held = await cache.fetchParts(keys);
      return (await Promise.all(held.paths.map((path) => readFile(path, 'utf8'))))
        .map((text) => text.slice(0, 1))
        .join('');
    };
    expect(await Promise.all([use(['a/150', 'b/150']), use(['b/150', 'c/150']), use(['c/150', 'a/150'])])).toEqual([
      'ab',
      'bc',
      'ca',
    ]);
    expect(cache.usedBytes).toBeLessThanOrEqual(300);
  });

  it('more than the bound is refused with its own code, and nothing is downloaded', async () => {
    const store = theStore();
    expect(await rejected(cacheOf(store).fetchParts(['a/200', 'b/101']))).toMatchObject({ code: 'QUERY_DISK' });
    expect(store.downloads).toEqual([]);
  });
});

describe('a part that is not whole is never seen', () => {
  it('a download that fails leaves nothing, frees its room and is tried again', async () => {
    const store = theStore();
    const cache = cacheOf(store);
    store.broken.add('a/100');
    expect(await rejected(cache.fetchParts(['a/100', 'b/100']))).toMatchObject({ message: 'cut off' });
    expect([cache.usedBytes, (await files()).length]).toEqual([100, 1]);
    store.broken.clear();
    using held = await cache.fetchParts(['a/100', 'c/200']);
    expect(await readFile(held.paths[0] ?? '', 'utf8')).toBe('a/100'.padEnd(100, '.'));
  });

  it('under way it has another name', async () => {
    const gate = Promise.withResolvers<undefined>();
    const cache = cacheOf(theStore(gate.promise));
    const fetching = cache.fetchParts(['a/100']);
    while ((await files().catch(() => [])).length === 0) await new Promise(setImmediate);
    expect((await files()).filter((name) => name.endsWith('.parquet'))).toEqual([]);
    gate.resolve(undefined);
    using held = await fetching;
    expect([held.paths.length, (await files()).every((name) => name.endsWith('.parquet'))]).toEqual([1, true]);
  });

  it('an object that is gone says so', async () => {
    expect(await rejected(cacheOf(theStore()).fetchParts(['gone/1']))).toMatchObject({ code: 'GONE' });
  });
});
