// The index of a workspace as it is now, from memory where this instance has read that version.
import type { Scope } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Objects } from '../../core/objects.ts';
import { unlessDamaged } from './damage.ts';
import type { WorkspaceIndex } from './index-file.ts';
import { readIndex } from './index-read.ts';
import { createObjectCache } from './object-cache.ts';
import type { openPointer, Pointer } from './pointer.ts';

export interface IndexCacheOptions {
  readonly objects: Pick<Objects, 'get'>;
  readonly pointers: Pick<ReturnType<typeof openPointer>, 'read'>;
  /** Of the objects, which stay in memory. What is made of them takes half as much, and three times as much of columns without a word but their names. */
  readonly bytes: number;
  readonly log?: Log | undefined;
}

export interface OpenIndex {
  readonly pointer: Pointer;
  /** Undefined where its object is lost or damaged, which is told. */
  readonly index: WorkspaceIndex | undefined;
}

const TRIES = 3;

/** Undefined where the workspace has none. */
export function createIndexCache({ objects, pointers, bytes, log }: IndexCacheOptions) {
  const at = createObjectCache({ objects, read: readIndex, bytes });
  const indexAt = (key: string) =>
    unlessDamaged<WorkspaceIndex | 'lost'>(key, log, async () => (await at(key)) ?? 'lost');
  return async (scope: Scope): Promise<OpenIndex | undefined> => {
    let pointer = (await pointers.read(scope))?.body;
    // The object may be removed between the two reads, some time after another version is named.
    for (let tries = 1; pointer !== undefined; tries++) {
      const index = await indexAt(pointer.key);
      if (index !== 'lost') return { pointer, index };
      if (tries === TRIES) return { pointer, index: undefined };
      pointer = (await pointers.read(scope))?.body;
    }
    return undefined;
  };
}
