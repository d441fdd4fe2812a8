// SQL over what a dataset has published: finds the snapshots, brings their parts to local disk, and runs the query on them.
import { must } from '../core/check.ts';
import type { Documents } from '../core/documents.ts';
import { Fault } from '../core/fault.ts';
import type { DatasetId, Scope, TableId } from '../core/ids.ts';
import type { Objects } from '../core/objects.ts';
import type { Clock } from '../core/time.ts';
import type { PartCache } from '../query/parts.ts';
import type { AskQuery, QueryAnswers, QueryLimits, QueryRequest, QueryTable, QueryWant } from '../query/types.ts';
import type { Catalog } from './catalog.ts';
import { type AsOf, asOf, type Published, requireNamed } from './as-of.ts';
import { cachedManifests, type ManifestRef, type PublishedTable, publishedRef } from './manifest.ts';
import { createMasks } from './masks.ts';
import { publishedTables } from './published-tables.ts';
import type { TableRead } from './queries/masked-since.ts';

export interface DatasetQueryDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly parts: PartCache;
  readonly limits: QueryLimits;
  readonly clock: Clock;
  readonly ask: AskQuery;
}

/** A table with the manifest of the snapshot that is asked about. */
export interface QueriedTable {
  readonly id: TableId;
  readonly name: string;
  readonly manifest: ManifestRef;
}

export interface DatasetQueryRequest extends QueryRequest {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  /** The tables as they were; as they are when absent. */
  readonly asOf?: AsOf | undefined;
  /** The tables that there are, in place of the published ones of the dataset. */
  readonly tables?: readonly QueriedTable[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Is told the tables that the statement mentions, before it runs. */
  readonly reads?: ((tables: readonly TableRead[]) => void) | undefined;
}

/** Asks about one SELECT over the published tables of a dataset. Throws what `AskQuery` and the part cache throw. */
export type DatasetQuery = <W extends QueryWant>(want: W, request: DatasetQueryRequest) => Promise<QueryAnswers[W]>;

export function createDatasetQuery(deps: DatasetQueryDeps): DatasetQuery {
  const manifestAt = cachedManifests(deps);
  const masksIn = createMasks(deps);
  return async (want, request) => {
    const { wanted, ...known } = await tablesOf(deps.catalog, request);
    const manifests = await Promise.all(wanted.map(({ manifest }) => manifestAt(manifest)));
    const masked = await masksIn(
      request,
      manifests.map((manifest, at) => ({ id: must(wanted[at], 'the table of a manifest').id, manifest })),
    );
    request.reads?.(
      wanted.map(({ id, manifest: { snapshot, key } }, at) => {
        return { table: id, snapshot, manifest: key, masked: masked[at] ?? [] };
      }),
    );
    // What a statement would answer follows from the columns alone.
    const fetched = want === 'check' ? manifests.map((manifest) => ({ ...manifest, parts: [] })) : manifests;
    using held = await deps.parts.fetchParts(fetched.flatMap(({ parts }) => parts.map(({ key }) => key)));
    const paths = [...held.paths];
    const tables = fetched.map(
      ({ columns, parts }, at): QueryTable => ({
        name: must(wanted[at], 'the table of a manifest').name,
        columns: columns.map(({ name, type, stored }) => ({ name, type, stored })),
        parts: paths.splice(0, parts.length),
        masked: masked[at],
      }),
    );
    const { sql, params, limit, into, signal } = request;
    const world = { tables, limits: deps.limits, clock: deps.clock, signal };
    return await deps.ask(want, { sql, params, limit, into }, world).catch((thrown: unknown) => {
      throw withNames(thrown, known);
    });
  };
}

/** Names that are told to whoever asks for a table that is not there. */
const NAMES_TOLD = 20;

/** Who is asked knows only the tables that the statement mentions. */
function withNames(thrown: unknown, { names, later }: Omit<Tables, 'wanted'>): unknown {
  if (!(thrown instanceof Fault) || thrown.code !== 'SQL_INVALID' || thrown.extra['table'] === undefined) return thrown;
  const more = names.length > NAMES_TOLD ? ` and ${names.length - NAMES_TOLD} more` : '';
  const told = `${names.toSorted().slice(0, NAMES_TOLD).join(', ') || 'none'}${more}`;
  const since = later.length === 0 ? '' : ` Published later than what is asked for: ${later.join(', ')}.`;
  return new Fault('SQL_INVALID', `${thrown.detail} Tables: ${told}.${since}`, { cause: thrown, extra: thrown.extra });
}

interface Tables {
  /** Those that the statement may name. */
  readonly wanted: readonly QueriedTable[];
  /** Of all that there are, or were at the time that is asked for. */
  readonly names: readonly string[];
  /** Of those that the statement names and that were not there at that time. */
  readonly later: readonly string[];
}

async function tablesOf(
  catalog: Catalog,
  { scope, dataset, sql, asOf: when, tables }: DatasetQueryRequest,
): Promise<Tables> {
  const isMentioned = ({ name }: { readonly name: string }): boolean => mentions(sql, name);
  if (tables !== undefined)
    return { wanted: tables.filter(isMentioned), names: tables.map(({ name }) => name), later: [] };
  const published = (await publishedTables(catalog, scope, dataset)).map(asPublished);
  requireNamed(published, when);
  const then = await asOf(catalog, published.filter(isMentioned), when);
  const wanted = then.map(({ name, manifest, table: { id } }) => ({ id, name, manifest }));
  const namesOf = (some: readonly Published[]): string[] => some.map(({ name }) => name);
  const later = namesOf(published.filter(isMentioned)).filter((name) => !namesOf(then).includes(name));
  return { wanted, names: namesOf(published).filter((name) => !later.includes(name)), later };
}

const asPublished = (table: PublishedTable): Published => ({
  ...{ name: table.name, manifest: publishedRef(table), table },
});

/** Only narrows what is fetched: a statement cannot name a table without its name standing in the text. */
const mentions = (sql: string, table: string): boolean => sql.toLowerCase().includes(table.toLowerCase());
