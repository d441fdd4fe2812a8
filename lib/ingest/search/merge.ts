// Brings the index of a workspace up to what a dataset has published: compares, and writes a version with the tables that differ. It looks
// at what is, never at what happened, so that a merge that came too late, twice or not at all is made good by the next one.
import type { Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { Log } from '../../core/log.ts';
import type { Clock } from '../../core/time.ts';
import type { Catalog } from '../catalog.ts';
import { isPublished, type PublishedTable as Published, publishedRef, readManifest } from '../manifest.ts';
import { manifestShown } from '../shown.ts';
import { unlessDamaged } from './damage.ts';
import type { TableEntries } from './entries.ts';
import { type Card, emptyIndex, type WorkspaceIndex } from './index-file.ts';
import { type Patched, patched, type Room } from './index-patch.ts';
import { readVersion } from './index-read.ts';
import { openPointer } from './pointer.ts';
import { readSaid, type Said } from './said.ts';
import { entriesOfTable } from './table-entries.ts';

export interface MergeDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly log: Log;
  readonly room: Room;
}

export interface MergeRequest {
  readonly scope: Scope;
  /** All of the workspace where left out. */
  readonly dataset?: DatasetId | undefined;
  /** The key of a version that is made anew where it is the one of now, since somebody met something in it that cannot be read. */
  readonly damaged?: string | undefined;
  /** Keys below it are this run's alone. */
  readonly prefix: string;
  readonly signal?: AbortSignal | undefined;
}

/** How often others may move the index while it is being merged. */
const TRIES = 8;

/** Answers how many tables differed. Throws the Fault CONFLICT where others move the index all the time, and what the stores throw. */
export async function mergeIndex(deps: MergeDeps, request: MergeRequest): Promise<number> {
  const pointers = openPointer(deps);
  let { damaged } = request;
  for (let tries = 1; tries <= TRIES; tries++) {
    const before = await pointers.read(request.scope);
    const known = before?.body.key === damaged ? undefined : before?.body.key;
    const read = () => nextOf(deps, request, known);
    const next = known === undefined ? await read() : await unlessDamaged(known, deps.log, read);
    if (next === undefined) {
      damaged = known;
      continue;
    }
    const { patch, current } = next;
    if (patch.changed === 0 && current) {
      await pointers.forgetOld(request.scope, before);
      return 0;
    }
    request.signal?.throwIfAborted();
    const key = `${request.prefix}/search-${tries}/index.ndjson`;
    if ((await deps.objects.putOnce(key, patch.bytes)) === 'exists') continue;
    if (await pointers.move(request.scope, before, { key, ...patch.counts })) return patch.changed;
    await deps.objects.delete(key);
  }
  throw new Fault('CONFLICT', 'The index of the workspace is moved by others all the time.');
}

interface Next {
  readonly patch: Patched;
  /** Whether the version before it is one as this release writes it. */
  readonly current: boolean;
}

/** The version that follows on the one at `key`; where there is none, it is made of all datasets. Throws a DamagedIndex, and what the stores throw. */
async function nextOf(deps: MergeDeps, request: MergeRequest, key?: string): Promise<Next> {
  const bytes = key === undefined ? undefined : await deps.objects.get(key);
  const before = bytes && readVersion(bytes);
  const index = before?.index ?? emptyIndex();
  const datasets =
    request.dataset === undefined || before === undefined ? await allDatasets(deps, request.scope) : [request.dataset];
  const changes = await changesIn(deps, request, index, datasets);
  return { patch: patched(index, changes, deps.room), current: before?.current === true };
}

async function allDatasets({ catalog }: MergeDeps, scope: Scope): Promise<DatasetId[]> {
  const found: DatasetId[] = [];
  let cursor: string | undefined;
  do {
    const page = await catalog.listDatasets(scope, { limit: 100, cursor });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

type Changes = Map<TableId, TableEntries | undefined>;

async function changesIn(
  deps: MergeDeps,
  { scope, dataset, signal }: MergeRequest,
  index: WorkspaceIndex,
  datasets: readonly DatasetId[],
): Promise<Changes> {
  const changes: Changes = new Map();
  const compared = new Set(datasets);
  const gone = new Map([...index.cards].filter(([, each]) => dataset === undefined || compared.has(each.dataset)));
  for (const id of datasets) {
    const said = await readSaid(deps.documents, scope, id);
    const published = await publishedIn(deps, scope, id);
    for (const table of published) gone.delete(table.id);
    for (const table of published.filter((each) => !isSame(index.cards.get(each.id), each, said))) {
      signal?.throwIfAborted();
      const manifest = await readManifest(deps, publishedRef(table));
      const shown = await manifestShown(deps, { scope, dataset: id, table: table.id }, manifest);
      changes.set(table.id, entriesOfTable(table, shown, said));
    }
  }
  for (const id of gone.keys()) changes.set(id, undefined);
  return changes;
}

const isSame = (indexed: Card | undefined, table: Published, said: Said): boolean =>
  indexed !== undefined &&
  indexed.without !== 'room' &&
  indexed.manifest === table.current.manifest &&
  indexed.said === said.stampOf(table.id);

async function publishedIn({ catalog }: MergeDeps, scope: Scope, dataset: DatasetId): Promise<Published[]> {
  const found: Published[] = [];
  let cursor: string | undefined;
  do {
    const page = await catalog.listTables(scope, dataset, { limit: 100, cursor });
    found.push(...page.items.filter(isPublished));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}
