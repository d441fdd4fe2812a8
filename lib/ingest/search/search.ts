// Answers a search: ranks the entries of the workspace's index by full text, and by vectors too where a deployment has an embedding model,
// and shows of them only what is published now.
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Objects } from '../../core/objects.ts';
import { type Clock, type EpochMs, epochMs } from '../../core/time.ts';
import type { Catalog } from '../catalog.ts';
import { cachedManifests } from '../manifest.ts';
import { unlessDamaged } from './damage.ts';
import { createIndexCache } from './index-cache.ts';
import { type EntryPlace, entryReader, placeIn, type WorkspaceIndex } from './index-file.ts';
import { openPointer } from './pointer.ts';
import { createView, type Found, type SearchHit } from './shown.ts';
import type { Degraded } from './vectors/degraded.ts';
import type { EmbedderSettings } from './vectors/embeddings.ts';
import { fuse } from './vectors/fuse.ts';
import { createVectorSearch, type PreparedVectors } from './vectors/vector-search.ts';

export interface SearchRequest {
  readonly scope: Scope;
  readonly query: string;
  readonly dataset?: DatasetId | undefined;
  readonly table?: TableId | undefined;
  /** Only tables, or only columns. */
  readonly kind?: 'table' | 'column' | undefined;
  /** A type of columns without its arguments, e.g. `DECIMAL`; whatever its case. */
  readonly type?: string | undefined;
  readonly semanticType?: string | undefined;
  readonly limit: number;
  /** How many of the best are passed over. */
  readonly offset: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** `fused`: full text and vectors together. */
  readonly ranking: 'text' | 'fused';
  /** Why vectors do not count, or not for all; undefined too where no model is configured. */
  readonly degraded?: Degraded | undefined;
  /** The offset of the next page. */
  readonly next?: number | undefined;
  /** When the index was last changed; undefined where the workspace has none. */
  readonly indexedAt?: EpochMs | undefined;
  /** Tables that found no room in the index. */
  readonly leftOut: number;
}

/** The key of an index that is lost or damaged; it has to be made anew. */
export interface UnreadableIndex {
  readonly unreadable: string;
}

export type Search = (request: SearchRequest) => Promise<SearchPage | UnreadableIndex>;

export interface SearchDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  /** Of the objects of the indexes that are kept in memory. */
  readonly cacheBytes: number;
  /** Of the objects with vectors that are. */
  readonly vectorBytes: number;
  /** Full text alone where left out. */
  readonly embedder?: EmbedderSettings | undefined;
  readonly log?: Log | undefined;
}

/** No page begins behind so many: nobody reads them, and what is asked for there is better asked otherwise. */
export const MOST_OFFSET = 1000;

export function createSearch({ embedder, ...deps }: SearchDeps): Search {
  const pointers = openPointer(deps);
  const { objects, cacheBytes: bytes, log } = deps;
  const indexOf = createIndexCache({ objects, pointers, bytes, log });
  const manifestAt = cachedManifests(deps);
  const vectorsOf = embedder && createVectorSearch({ ...deps, embedder });
  const answer = async (index: WorkspaceIndex, request: SearchRequest, vectors: PreparedVectors | undefined) => {
    const { found, ...how } = rank(index, request, vectors);
    return { ...how, ...(await pageOf(index, createView({ ...deps, manifestAt }, request.scope), found, request)) };
  };
  return async (request) => {
    const { scope, query } = request;
    const [open, vectors] = await Promise.all([indexOf(scope), vectorsOf?.(scope, query)]);
    if (open === undefined) return { hits: [], ranking: 'text', leftOut: 0 };
    const { pointer, index } = open;
    const page = index && (await unlessDamaged(pointer.key, log, () => answer(index, request, vectors)));
    if (page === undefined) return { unreadable: pointer.key };
    return { ...page, indexedAt: epochMs(pointer.at), leftOut: pointer.leftOut };
  };
}

type Shown = ReturnType<typeof createView>;

/** The hits of a page. Throws a DamagedIndex. */
async function pageOf(
  index: WorkspaceIndex,
  shown: Shown,
  found: readonly Found[],
  { limit, offset }: SearchRequest,
): Promise<Pick<SearchPage, 'hits' | 'next'>> {
  const entryOf = entryReader(index);
  const hits: SearchHit[] = [];
  let at = offset;
  while (hits.length < limit && at < found.length) {
    const some = found.slice(at, at + limit - hits.length);
    at += some.length;
    const seen = await Promise.all(some.map((each) => shown(each, entryOf(each.id))));
    hits.push(...seen.filter((hit) => hit !== undefined));
  }
  return { hits, ...(at < found.length && at <= MOST_OFFSET && { next: at }) };
}

function rank(
  index: WorkspaceIndex,
  request: SearchRequest,
  vectors: PreparedVectors | undefined,
): Pick<SearchPage, 'ranking' | 'degraded'> & { readonly found: readonly Found[] } {
  const passes = (id: string): boolean => {
    const place = placeIn(index, id);
    return place !== undefined && fits(place, request);
  };
  const texts = index.text.search(request.query, passes);
  const { ids, degraded } = vectors?.ranking(index, passes) ?? {};
  if (ids === undefined) return { ranking: 'text', degraded, found: texts.map((each) => ({ ...each, near: false })) };
  const termsOf = new Map(texts.map(({ id, terms }) => [id, terms]));
  const near = new Set(ids);
  const found = fuse([[...termsOf.keys()], ids]).map(({ id, score }) => ({
    ...{ id, score, terms: termsOf.get(id) ?? {} },
    near: near.has(id),
  }));
  return { ranking: 'fused', degraded, found };
}

function fits({ card, column }: EntryPlace, asked: SearchRequest): boolean {
  if (asked.dataset !== undefined && card.dataset !== asked.dataset) return false;
  if (asked.table !== undefined && card.table !== asked.table) return false;
  if (asked.kind !== undefined && asked.kind !== (column === undefined ? 'table' : 'column')) return false;
  const told = (of: readonly (string | null)[]) => (column === undefined ? undefined : (of[column] ?? undefined));
  if (asked.type !== undefined && bareType(told(card.types)) !== bareType(asked.type)) return false;
  return asked.semanticType === undefined || told(card.semanticTypes) === asked.semanticType;
}

const bareType = (type: string | undefined): string | undefined =>
  type
    ?.replace(/\(.*\)/, '')
    .trim()
    .toUpperCase();
