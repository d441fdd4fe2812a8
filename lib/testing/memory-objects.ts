// The small half of the object store in memory: what jobs and stages of a test need. The rest throws.
import { Readable } from 'node:stream';
import type { Objects } from '../core/objects.ts';

const notHere = (): never => {
  throw new TypeError('objects in memory have no files, uploads or parts');
};

export function createMemoryObjects(): Objects & { readonly keys: () => readonly string[] } {
  const bodies = new Map<string, Uint8Array>();
  return {
    keys: () => [...bodies.keys()],
    putOnce: async (key, body) => {
      if (bodies.has(key)) return 'exists';
      bodies.set(key, typeof body === 'string' ? Buffer.from(body) : body);
      return 'written';
    },
    get: async (key) => bodies.get(key),
    read: async (key, start = 0) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : Readable.from([body.subarray(start)]);
    },
    head: async (key) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : { key, size: body.length, etag: `${body.length}` };
    },
    copyOnce: async () => notHere(),
    list: async () => notHere(),
    delete: async (key) => void bodies.delete(key),
    listVersions: async () => notHere(),
    deleteVersions: async () => notHere(),
    moveFileOnce: async () => notHere(),
    movePassingFile: async () => notHere(),
    presignGet: async () => notHere(),
    readInto: async () => notHere(),
    download: async () => notHere(),
    startMultipart: async () => notHere(),
    presignParts: async () => notHere(),
    completeMultipart: async () => notHere(),
  };
}
