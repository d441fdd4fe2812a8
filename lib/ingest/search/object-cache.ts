// What was made of the objects that were asked last, each read once: in memory up to a number of bytes of the objects.
import type { Objects } from '../../core/objects.ts';

export interface ObjectCacheOptions<Read> {
  readonly objects: Pick<Objects, 'get'>;
  readonly read: (bytes: Uint8Array) => Read;
  /** Of the objects; what is made of them may take more. */
  readonly bytes: number;
}

interface Kept<Read> {
  readonly made: Promise<Read | undefined>;
  bytes: number;
}

/** Answers what is made of an object that never changes; undefined where there is none. */
export function createObjectCache<Read>({ objects, read, bytes }: ObjectCacheOptions<Read>) {
  const kept = new Map<string, Kept<Read>>();

  const load = async (key: string, entry: { bytes: number }): Promise<Read | undefined> => {
    const body = await objects.get(key);
    if (body === undefined) return undefined;
    entry.bytes = body.length;
    return read(body);
  };

  const opened = (key: string): Kept<Read> => {
    const entry = { bytes: 0 };
    return Object.assign(entry, { made: load(key, entry) });
  };

  const makeRoom = (): void => {
    let total = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, each] of kept) {
      if (total <= bytes || kept.size === 1) return;
      kept.delete(key);
      total -= each.bytes;
    }
  };

  return async (key: string): Promise<Read | undefined> => {
    const entry = kept.get(key) ?? opened(key);
    kept.delete(key);
    kept.set(key, entry);
    try {
      const made = await entry.made;
      if (made === undefined) kept.delete(key);
      makeRoom();
      return made;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };
}
