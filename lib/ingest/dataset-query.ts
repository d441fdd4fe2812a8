// SQL over what a dataset has published: finds the snapshots, brings their parts to local disk, and runs the query on them.
import { must } from '../core/check.ts';
import type { Documents } from '../core/documents.ts';
import type { DatasetId, Scope } from '../core/ids.ts';
import type { Objects } from '../core/objects.ts';
import type { Clock } from '../core/time.ts';
import type { PartCache } from '../query/parts.ts';
import type { AskQuery, QueryAnswers, QueryLimits, QueryRequest, QueryTable, QueryWant } from '../query/types.ts';
import type { Catalog, TableRecord } from './catalog.ts';
import { type AsOf, asOf, type Published, requireNamed } from './as-of.ts';
import { cachedManifests } from './manifest.ts';
import { createMasks } from './masks.ts';

export interface DatasetQueryDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly parts: PartCache;
  readonly limits: QueryLimits;
  readonly clock: Clock;
  readonly ask: AskQuery;
}

export interface DatasetQueryRequest extends QueryRequest {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  /** The tables as they were; as they are when absent. */
  readonly asOf?: AsOf | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks about one SELECT over the published tables of a dataset. Throws what `AskQuery` and the part cache throw. */
export type DatasetQuery = <W extends QueryWant>(want: W, request: DatasetQueryRequest) => Promise<QueryAnswers[W]>;

export function createDatasetQuery(deps: DatasetQueryDeps): DatasetQuery {
  const manifestAt = cachedManifests(deps.objects);
  const masksIn = createMasks(deps);
  return async (want, request) => {
    const published = await publishedTables(deps.catalog, request);
    requireNamed(published, request.asOf);
    const mentioned = published.filter(({ name }) => mentions(request.sql, name));
    const wanted = await asOf(deps.catalog, mentioned, request.asOf);
    const manifests = await Promise.all(wanted.map(({ manifest }) => manifestAt(manifest)));
    const masked = await masksIn(
      request,
      manifests.map((manifest, at) => ({ id: must(wanted[at], 'the table of a manifest').table.id, manifest })),
    );
    using held = await deps.parts.fetchParts(manifests.flatMap(({ parts }) => parts.map(({ key }) => key)));
    const paths = [...held.paths];
    const tables = manifests.map(
      ({ columns, parts }, at): QueryTable => ({
        name: must(wanted[at], 'the table of a manifest').name,
        columns: columns.map(({ name, type }) => ({ name, type })),
        parts: paths.splice(0, parts.length),
        masked: masked[at],
      }),
    );
    const { sql, params, limit, into, signal } = request;
    const world = { tables, limits: deps.limits, clock: deps.clock, signal };
    return await deps.ask(want, { sql, params, limit, into }, world);
  };
}

/** Only narrows what is fetched: a statement cannot name a table without its name standing in the text. */
const mentions = (sql: string, table: string): boolean => sql.toLowerCase().includes(table.toLowerCase());

async function publishedTables(catalog: Catalog, { scope, dataset }: DatasetQueryRequest) {
  const found: Published[] = [];
  let cursor: string | undefined;
  do {
    const page = await catalog.listTables(scope, dataset, { limit: 100, cursor });
    found.push(...page.items.flatMap(published));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

const published = (table: TableRecord): Published[] =>
  table.current ? [{ name: table.name, manifest: table.current.manifest, table }] : [];
