// The port of the object store over a map, for tests that never touch a disk or a cloud.
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Objects } from '../../lib/core/objects.ts';
import { type Clock, type EpochMs, epochMs } from '../../lib/core/time.ts';

export interface MemoryObjects extends Objects {
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
  return {
    putOnce,
    putFileOnce: async (key, path) => putOnce(key, await readFile(path)),
    putPassingFile: async (key, path) => putOnce(key, await readFile(path)),
    presignGet: async (key, { name }) => `https://objects.invalid/${key}?name=${name}`,
    get: async (key) => bodies.get(key),
    read: async (key, start = 0, end?: number) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : Readable.from([body.subarray(start, end)]);
    },
    download: async (key, path) => {
      const body = bodies.get(key);
      if (body === undefined) return false;
      await writeFile(path, body);
      return true;
    },
    head: async (key) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : { key, size: body.length, etag: `"${body.length}"` };
    },
    list: async (prefix, after = '') => {
      const keys = [...bodies.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const objects = keys.slice(0, 1000).map((key) => ({ key, writtenAt: times.get(key) ?? epochMs(0) }));
      return { objects, ...(keys.length > 1000 && { after: keys[999] ?? '' }) };
    },
    startMultipart: multipart,
    presignParts: multipart,
    completeMultipart: multipart,
    delete: async (key) => {
      bodies.delete(key);
    },
    keys: () => [...bodies.keys()].sort(),
  };
}
