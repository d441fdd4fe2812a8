// A stretch that is read while it is fetched: whoever reads waits only for what has not arrived yet.
import { writeFile } from 'node:fs/promises';
import { type Fetching, fetchStretch, type Stretch } from './plain.ts';

export interface Arriving extends AsyncDisposable {
  /** Resolves once the local file has this many bytes, or all that it will have, and answers how many: Infinity for all. Rejects as fetching failed. */
  readonly upTo: (bytes: number) => Promise<number>;
}

/** Begins to write a stretch to a local file, and gives up where it is disposed of before. Faults: those of `fetchStretch`. */
export async function beginFetch(fetching: Fetching, stretch: Stretch, path: string): Promise<Arriving> {
  await writeFile(path, '');
  const given = new AbortController();
  const signal = AbortSignal.any([fetching.signal, given.signal]);
  let arrived = 0;
  let heard = Promise.withResolvers<undefined>();
  const done = fetchStretch({ ...fetching, signal }, stretch, path, (bytes) => {
    arrived += bytes;
    heard.resolve(undefined);
    heard = Promise.withResolvers<undefined>();
  });
  const ended = done.then(() => {
    arrived = Infinity;
  });
  ended.catch(() => undefined);
  return {
    upTo: async (bytes) => {
      while (arrived < bytes) await Promise.race([ended, heard.promise]);
      return arrived;
    },
    [Symbol.asyncDispose]: async () => {
      given.abort();
      await ended.catch(() => undefined);
    },
  };
}
