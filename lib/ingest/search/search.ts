// Answers a search: ranks the entries of the workspace's index, and shows of them only what is published now. The index may be a moment
// behind; an entry whose table has moved on is made anew from what is published, and shown if it still has the words.
import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { type Clock, type EpochMs, epochMs } from '../../core/time.ts';
import type { Catalog } from '../catalog.ts';
import { cachedManifests } from '../manifest.ts';
import { entriesOf, type Entry, type TableEntries } from './entries.ts';
import { type Match, matchesIn } from './found.ts';
import { createIndexCache, type OpenIndex } from './index-cache.ts';
import { openPointer } from './pointer.ts';
import { readSaid } from './said.ts';
import { entriesOfTable } from './table-entries.ts';
import type { Ranked } from './text-index.ts';

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

export interface SearchHit {
  readonly score: number;
  readonly dataset: DatasetId;
  readonly table: { readonly id: TableId; readonly name: string };
  readonly description?: string | undefined;
  readonly column?:
    | { readonly name: string; readonly type: string; readonly semanticType?: string | undefined }
    | undefined;
  readonly matches: readonly Match[];
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** The offset of the next page. */
  readonly next?: number | undefined;
  /** When the index was last changed; undefined where the workspace has none. */
  readonly indexedAt?: EpochMs | undefined;
  /** Tables that found no room in the index. */
  readonly leftOut: number;
}

export type Search = (request: SearchRequest) => Promise<SearchPage>;

export interface SearchDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  /** Of the objects of the indexes that are kept in memory. */
  readonly cacheBytes: number;
}

/** No page begins behind so many: nobody reads them, and what is asked for there is better asked otherwise. */
export const MOST_OFFSET = 1000;

export function createSearch(deps: SearchDeps): Search {
  const pointers = openPointer(deps);
  const indexOf = createIndexCache({ objects: deps.objects, pointers, bytes: deps.cacheBytes });
  const manifestAt = cachedManifests(deps.objects);
  return async (request) => {
    const open = await indexOf(request.scope);
    if (open === undefined) return { hits: [], leftOut: 0 };
    const ranked = rank(open, request);
    const shown = createView(deps, manifestAt, request.scope);
    const hits: SearchHit[] = [];
    let at = request.offset;
    while (hits.length < request.limit && at < ranked.length) {
      const some = ranked.slice(at, at + request.limit - hits.length);
      at += some.length;
      const seen = await Promise.all(
        some.map((each) => shown(each, must(open.index.entries.get(each.id), 'a ranked entry'))),
      );
      hits.push(...seen.filter((hit) => hit !== undefined));
    }
    const { at: changed, leftOut } = open.pointer;
    const next = at < ranked.length && at <= MOST_OFFSET ? { next: at } : {};
    return { hits, ...next, indexedAt: epochMs(changed), leftOut };
  };
}

function rank({ index }: OpenIndex, request: SearchRequest): Ranked[] {
  const passes = (id: string): boolean => {
    const entry = index.entries.get(id);
    return entry !== undefined && fits(entry, request);
  };
  return index.text.search(request.query, passes);
}

function fits({ of: table, column }: Entry, asked: SearchRequest): boolean {
  if (asked.dataset !== undefined && table.dataset !== asked.dataset) return false;
  if (asked.table !== undefined && table.table !== asked.table) return false;
  if (asked.kind !== undefined && asked.kind !== (column ? 'column' : 'table')) return false;
  if (asked.type !== undefined && bareType(column?.type) !== bareType(asked.type)) return false;
  return asked.semanticType === undefined || column?.semanticType === asked.semanticType;
}

const bareType = (type: string | undefined): string | undefined =>
  type
    ?.replace(/\(.*\)/, '')
    .trim()
    .toUpperCase();

/** What of an entry may be shown, each table looked up once a search. */
function createView(deps: SearchDeps, manifestAt: ReturnType<typeof cachedManifests>, scope: Scope) {
  const known = new Map<TableId, Promise<readonly Entry[] | undefined>>();
  /** The entries of a table as it is published; undefined where the index has them right. */
  const current = async ({
    dataset,
    table: id,
    manifest,
    said,
  }: TableEntries): Promise<readonly Entry[] | undefined> => {
    const [table, told] = await Promise.all([
      deps.catalog.getTable(scope, dataset, id),
      readSaid(deps.documents, scope, dataset, id),
    ]);
    if (table?.current === undefined) return [];
    if (table.current.manifest === manifest && told.stampOf(id) === said) return undefined;
    const now = await manifestAt(table.current.manifest);
    return entriesOf(entriesOfTable({ ...table, current: table.current }, now, told));
  };
  return async ({ score, terms }: Ranked, indexed: Entry): Promise<SearchHit | undefined> => {
    const looked = known.get(indexed.of.table) ?? current(indexed.of);
    known.set(indexed.of.table, looked);
    const now = await looked;
    const entry = now ? now.find(({ column }) => column?.name === indexed.column?.name) : indexed;
    const matches = entry ? matchesIn(entry, terms) : [];
    return entry && matches.length > 0 ? hitOf(entry, score, matches) : undefined;
  };
}

function hitOf({ of: table, column }: Entry, score: number, matches: readonly Match[]): SearchHit {
  const { description } = column ?? table;
  return {
    score: Math.round(score * 1000) / 1000,
    dataset: table.dataset,
    table: { id: table.table, name: table.name },
    ...(description !== undefined && { description }),
    ...(column && { column: { name: column.name, type: column.type, semanticType: column.semanticType } }),
    matches,
  };
}
