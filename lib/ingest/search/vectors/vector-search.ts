// What a search asks of vectors: the workspace's, and the query's, side by side with what full text needs; then which entries lie nearest.
import type { Documents } from '../../../core/documents.ts';
import type { Scope } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { Objects } from '../../../core/objects.ts';
import type { Clock } from '../../../core/time.ts';
import type { WorkspaceIndex } from '../index-file.ts';
import { createObjectCache } from '../object-cache.ts';
import { openVectorPointer } from '../pointer.ts';
import type { Degraded } from './degraded.ts';
import type { EmbedderSettings } from './embeddings.ts';
import { type Aligned, align, nearest } from './nearest.ts';
import { createQueryVector } from './query-vector.ts';
import { isOf, readVectors, type VectorSet } from './vector-file.ts';

export interface VectorSearchDeps {
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly embedder: EmbedderSettings;
  /** Of the objects with vectors that are kept in memory, where they take as much. */
  readonly vectorBytes: number;
  readonly log?: Log | undefined;
}

export interface VectorRanking {
  /** Ids, nearest first; undefined where vectors say nothing. */
  readonly ids?: readonly string[] | undefined;
  readonly degraded?: Degraded | undefined;
}

/** What is there for a query, before the index is: `ranking` says which of its entries lie near. */
export interface PreparedVectors {
  ranking(index: WorkspaceIndex, passes: (id: string) => boolean): VectorRanking;
}

const without: PreparedVectors = {
  ranking: ({ size }) => (size === 0 ? {} : { degraded: 'incomplete' }),
};

/** Never throws for the model, nor for vectors that cannot be read. */
export function createVectorSearch(deps: VectorSearchDeps) {
  const { objects, embedder, vectorBytes, log } = deps;
  const pointers = openVectorPointer(deps);
  const setAt = createObjectCache({ objects, read: readVectors, bytes: vectorBytes });
  const vectorOf = createQueryVector(deps);
  const aligned = new WeakMap<VectorSet, WeakMap<WorkspaceIndex, Aligned>>();

  const readSet = (key: string): Promise<VectorSet | undefined> =>
    setAt(key).catch((thrown: unknown) => {
      log?.warn('search.vectors_unreadable', { key, failure: String(thrown) });
      return undefined;
    });

  const alignedWith = (set: VectorSet, index: WorkspaceIndex): Aligned => {
    const known = aligned.get(set) ?? new WeakMap<WorkspaceIndex, Aligned>();
    const made = known.get(index) ?? align(index, set);
    aligned.set(set, known.set(index, made));
    return made;
  };

  return async (scope: Scope, query: string): Promise<PreparedVectors> => {
    const pointer = (await pointers.read(scope))?.body;
    if (pointer === undefined || pointer.count === 0 || !isOf(pointer, embedder.embeddings)) return without;
    const [set, vector] = await Promise.all([readSet(pointer.key), vectorOf(scope, query)]);
    if (set === undefined) return without;
    if (typeof vector === 'string') return { ranking: () => ({ degraded: vector }) };
    return {
      ranking: (index, passes) => {
        const all = alignedWith(set, index);
        const ids = nearest(all, set, vector, passes);
        return all.complete ? { ids } : { ids, degraded: 'incomplete' };
      },
    };
  };
}
