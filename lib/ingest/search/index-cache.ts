// The indexes that were asked last, read once a version: in memory up to a number of bytes of their objects.
import type { Scope } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { readIndex, type WorkspaceIndex } from './index-file.ts';
import type { PointerStore, Pointer } from './pointer.ts';

export interface IndexCacheOptions {
  readonly objects: Pick<Objects, 'get'>;
  readonly pointers: Pick<PointerStore, 'read'>;
  /** Of the objects; what is made of them in memory takes four times as much. */
  readonly bytes: number;
}

export interface OpenIndex {
  readonly pointer: Pointer;
  readonly index: WorkspaceIndex;
}

interface Kept {
  readonly index: Promise<WorkspaceIndex | undefined>;
  bytes: number;
}

/** Answers the index of a workspace as it is now; undefined where it has none. */
export function createIndexCache({ objects, pointers, bytes }: IndexCacheOptions) {
  const kept = new Map<string, Kept>();

  const load = async (key: string, entry: { bytes: number }): Promise<WorkspaceIndex | undefined> => {
    const body = await objects.get(key);
    if (body === undefined) return undefined;
    entry.bytes = body.length;
    return readIndex(body);
  };

  const makeRoom = (): void => {
    let total = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, each] of kept) {
      if (total <= bytes || kept.size === 1) return;
      kept.delete(key);
      total -= each.bytes;
    }
  };

  const at = async (key: string): Promise<WorkspaceIndex | undefined> => {
    const entry: Kept = kept.get(key) ?? opened(key, load);
    kept.delete(key);
    kept.set(key, entry);
    try {
      const index = await entry.index;
      if (index === undefined) kept.delete(key);
      makeRoom();
      return index;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };

  return async (scope: Scope): Promise<OpenIndex | undefined> => {
    // The object may be removed between the two reads, some time after another version is named.
    for (let tries = 0; tries < 3; tries++) {
      const pointer = (await pointers.read(scope))?.body;
      const index = pointer && (await at(pointer.key));
      if (pointer === undefined) return undefined;
      if (index !== undefined) return { pointer, index };
    }
    return undefined;
  };
}

function opened(key: string, load: (key: string, entry: { bytes: number }) => Kept['index']): Kept {
  const entry = { bytes: 0 };
  return Object.assign(entry, { index: load(key, entry) });
}
