// What of a ranked entry may be shown. The index may be a moment behind: an entry whose table has moved on is made anew from what is
// published, and shown if it is still what was found.
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { Catalog } from '../catalog.ts';
import { type cachedManifests, isPublished, publishedRef } from '../manifest.ts';
import { manifestShown } from '../shown.ts';
import { entriesOf, type Entry, type TableEntries } from './entries.ts';
import { type Match, matchesIn } from './found.ts';
import { readSaid } from './said.ts';
import { entriesOfTable } from './table-entries.ts';
import type { Ranked } from './text-index.ts';
import { textOf } from './vectors/entry-text.ts';

/** By which rankings something was found. */
export const finders = ['text', 'vector'] as const;
export type Finder = (typeof finders)[number];

export interface Found {
  readonly id: string;
  readonly score: number;
  /** Of full text; none where only its vector is near. */
  readonly terms: Ranked['terms'];
  readonly near: boolean;
}

export interface SearchHit {
  readonly score: number;
  readonly foundBy: readonly Finder[];
  readonly dataset: DatasetId;
  readonly table: { readonly id: TableId; readonly name: string };
  readonly description?: string | undefined;
  readonly column?:
    | { readonly name: string; readonly type: string; readonly semanticType?: string | undefined }
    | undefined;
  readonly matches: readonly Match[];
}

export interface ViewDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly manifestAt: ReturnType<typeof cachedManifests>;
}

/** Each table is looked up once a search. */
export function createView(deps: ViewDeps, scope: Scope) {
  const known = new Map<TableId, Promise<readonly Entry[] | undefined>>();
  return async (found: Found, indexed: Entry): Promise<SearchHit | undefined> => {
    const looked = known.get(indexed.of.table) ?? current(deps, scope, indexed.of);
    known.set(indexed.of.table, looked);
    const now = await looked;
    const entry = now ? now.find(({ column }) => column?.name === indexed.column?.name) : indexed;
    if (entry === undefined) return undefined;
    const matches = matchesIn(entry, found.terms);
    const near = found.near && (entry === indexed || textOf(entry) === textOf(indexed));
    const foundBy = finders.filter((finder) => (finder === 'text' ? matches.length > 0 : near));
    return foundBy.length > 0 ? hitOf(entry, found.score, foundBy, matches) : undefined;
  };
}

/** The entries of a table as it is published; undefined where the index has them right. */
async function current(
  { catalog, documents, manifestAt }: ViewDeps,
  scope: Scope,
  { dataset, table: id, manifest, said }: TableEntries,
): Promise<readonly Entry[] | undefined> {
  const [table, told] = await Promise.all([
    catalog.getTable(scope, dataset, id),
    readSaid(documents, scope, dataset, id),
  ]);
  if (!isPublished(table)) return [];
  // What a derived table may show hangs on what is said of its sources as well, which the stamp knows nothing of.
  const isDerived = table.current.sources !== undefined;
  if (!isDerived && table.current.manifest === manifest && told.stampOf(id) === said) return undefined;
  const now = await manifestAt(publishedRef(table));
  return entriesOf(
    entriesOfTable(table, await manifestShown({ catalog, documents }, { scope, dataset, table: id }, now), told),
  );
}

function hitOf(
  { of: table, column }: Entry,
  score: number,
  foundBy: readonly Finder[],
  matches: readonly Match[],
): SearchHit {
  const { description } = column ?? table;
  return {
    score: Number(score.toPrecision(5)),
    foundBy,
    dataset: table.dataset,
    table: { id: table.table, name: table.name },
    ...(description !== undefined && { description }),
    ...(column && { column: { name: column.name, type: column.type, semanticType: column.semanticType } }),
    matches,
  };
}
