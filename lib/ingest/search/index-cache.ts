// The index of a workspace as it is now, from memory where this instance has read that version.
import type { Scope } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { WorkspaceIndex } from './index-file.ts';
import { readIndex } from './index-read.ts';
import { createObjectCache } from './object-cache.ts';
import type { openPointer, Pointer } from './pointer.ts';

export interface IndexCacheOptions {
  readonly objects: Pick<Objects, 'get'>;
  readonly pointers: Pick<ReturnType<typeof openPointer>, 'read'>;
  /** Of the objects, which stay in memory. What is made of them takes half as much, and three times as much of columns without a word but their names. */
  readonly bytes: number;
}

export interface OpenIndex {
  readonly pointer: Pointer;
  readonly index: WorkspaceIndex;
}

/** Undefined where the workspace has none. */
export function createIndexCache({ objects, pointers, bytes }: IndexCacheOptions) {
  const at = createObjectCache({ objects, read: readIndex, bytes });
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
