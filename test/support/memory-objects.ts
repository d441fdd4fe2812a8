// The port of the object store over a map, for tests that never touch a disk or a cloud.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { isSameEtag, type Objects } from '../../lib/core/objects.ts';
import { type Clock, type EpochMs, epochMs } from '../../lib/core/time.ts';
import { streamIntoFile } from '../../lib/store/into-file.ts';

const etagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;

export interface MemoryObjects extends Objects {
  /** What is there, by key. */
  readonly bodies: Map<string, Buffer>;
  /** Every key, sorted. */
  keys(): readonly string[];
}

export function createMemoryObjects(clock: Pick<Clock, 'now'> = { now: () => epochMs(0) }): MemoryObjects {
  const bodies = new Map<string, Buffer>();
  const times = new Map<string, EpochMs>();
  const putOnce = async (key: string, body: Uint8Array | string) => {
    if (bodies.has(key)) return 'exists';
    bodies.set(key, Buffer.from(body));
    times.set(key, clock.now());
    return 'written';
  };
  const multipart = () => Promise.reject(new Error('multipart uploads are not part of this test'));
  const objects: MemoryObjects = {
    bodies,
    putOnce,
    moveFileOnce: async (key, path) => putOnce(key, await readFile(path)),
    movePassingFile: async (key, path) => putOnce(key, await readFile(path)),
    presignGet: async (key, { name }) => `https://objects.invalid/${key}?name=${name}`,
    get: async (key) => bodies.get(key),
    read: async (key, start = 0, end?: number) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : Readable.from([body.subarray(start, end)]);
    },
    readInto: async (key, file, { start, end, wrote }) => {
      const stream = await objects.read(key, start, end);
      if (stream !== undefined) await streamIntoFile(stream, file, { wrote });
      return stream !== undefined;
    },
    download: async (key, path) => {
      const body = bodies.get(key);
      if (body === undefined) return false;
      await writeFile(path, body);
      return true;
    },
    head: async (key) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : { key, size: body.length, etag: etagOf(body) };
    },
    copyOnce: async ({ key, etag }, to) => {
      if (bodies.has(to)) return 'exists';
      const body = bodies.get(key);
      if (body === undefined) return 'missing';
      return isSameEtag(etagOf(body), etag) ? putOnce(to, body) : 'changed';
    },
    list: async (prefix, after = '') => {
      requireFolder(prefix);
      const keys = [...bodies.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const objects = keys.slice(0, 1000).map((key) => {
        const body = bodies.get(key) ?? Buffer.alloc(0);
        return { key, size: body.length, etag: etagOf(body), writtenAt: times.get(key) ?? epochMs(0) };
      });
      return { objects, ...(keys.length > 1000 && { after: keys[999] ?? '' }) };
    },
    startMultipart: multipart,
    presignParts: multipart,
    completeMultipart: multipart,
    delete: async (key) => {
      bodies.delete(key);
    },
    listVersions: async (prefix, after = '') => {
      requireFolder(prefix);
      const keys = [...bodies.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const versions = keys.slice(0, 1000).map((key) => ({ key, size: bodies.get(key)?.length ?? 0 }));
      return { versions, ...(keys.length > 1000 && { after: keys[999] ?? '' }) };
    },
    deleteVersions: async (versions) => {
      for (const { key } of versions) bodies.delete(key);
    },
    keys: () => [...bodies.keys()].sort(),
  };
  return objects;
}

/** A store of files has folders only. */
function requireFolder(prefix: string): void {
  if (!prefix.endsWith('/')) throw new TypeError(`not a prefix that ends with a slash: ${prefix}`);
}
