// One look at the relations of a dataset, for the stage of an ingest and for the pass over a whole dataset: reads what is known, measures,
import { removeFolder } from '../../core/remove-folder.ts';
// and writes what was found beside what people decided.
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Catalog } from '../catalog.ts';
import type { ReadLimits } from '../reading/types.ts';
import { freshFolder, localCopy } from '../stages/place.ts';
import type { Finding, RelatedTable } from './find.ts';
import { publishedTables } from '../published-tables.ts';
import { MOST_TABLES, relatedTables, snapshotsOf } from './published.ts';
import { recordFindings, relationFamily, relationGroup, relationId } from './relation.ts';

export interface RelationDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

export interface Looked {
  readonly findings: readonly Finding[];
  /** Relations that are proposed for the first time. */
  readonly fresh: number;
  /** Pairs that were not compared, beyond the bounds of one run. */
  readonly left: number;
}

/** `own`: tables of this run, in the place of what is published of them; without them, all published tables are looked at. */
export async function lookForRelations(
  ctx: StageContext,
  { catalog, documents, objects, limits }: RelationDeps,
  dataset: DatasetId,
  own?: readonly RelatedTable[],
): Promise<Looked> {
  const { tenant, workspace } = ctx.ref;
  const scope = { tenant, workspace };
  const records = await publishedTables(catalog, scope, dataset, MOST_TABLES);
  const ids = new Set<TableId>(own?.map(({ id }) => id));
  const others = await relatedTables(
    { catalog, objects },
    records.filter(({ id }) => !ids.has(id)),
  );
  const known = await relationFamily(documents).all(relationGroup(scope, dataset));
  const rejected = new Set(known.filter(({ body }) => body.status === 'rejected').map(({ name }) => name));
  const tables = [...(own ?? []), ...others];
  const workDir = await freshFolder(ctx, 'relations');
  // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
  const { findRelations } = await import('./find.ts');
  const { findings, left } = await findRelations({
    tables,
    wanted: own === undefined ? new Set(tables.map(({ id }) => id)) : ids,
    known: known.filter(({ body }) => body.status !== 'rejected').map(({ body }) => body),
    refused: (pair) => rejected.has(relationId(scope, dataset, pair)),
    fetch: (table) => partsOf(ctx, objects, table),
    workDir,
    limits,
    signal: ctx.signal,
    progress: (done, total) => ctx.progress(done, total, 'relations'),
  }).finally(() => removeFolder(workDir));
  const published = snapshotsOf(records);
  const fresh = await recordFindings({ documents, scope, dataset, now: ctx.clock.now(), published }, findings);
  return { findings, fresh, left };
}

async function partsOf(ctx: StageContext, objects: Objects, { id, parts }: RelatedTable): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, { key }] of parts.entries())
    paths.push(await localCopy(ctx, objects, key, `relations/${id}-${index}.parquet`));
  return paths;
}
