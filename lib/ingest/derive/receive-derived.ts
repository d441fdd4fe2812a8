import { createHash } from 'node:crypto';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, Scope } from '../../core/ids.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { QueryCheck } from '../../query/types.ts';
import { annotationsOf } from '../annotations.ts';
import type { QueriedTable } from '../dataset-query.ts';
import { type PublishedTable, publishedRef, readManifest } from '../manifest.ts';
import { createMasks } from '../masks.ts';
import type { IngestDeps } from '../pipeline.ts';
import { publishedTables } from '../published-tables.ts';
import { requireRoom } from '../quota.ts';
import { type Received, received } from '../stages/outputs.ts';
import { freshFolder, tableIdOf } from '../stages/place.ts';
import { type Derivation, readTheSame } from './derivation.ts';
import type { DeriveInput } from './input.ts';
import { requireDefinable, requireDerived, sourcesOf } from './rules.ts';
import { originsOf, seenOf } from './source-tags.ts';

type Deps = Pick<IngestDeps, 'catalog' | 'documents' | 'objects' | 'longQueries' | 'workspaceBytes'>;
type Definition = Pick<Derivation, 'sql' | 'params' | 'description'>;

/**
 * In place of a file: which definition is to be run, and over which snapshots. From here on the run reads those, whatever is published
 * meanwhile. Faults: NOT_FOUND, CONFLICT, TABLE_UPLOADED, DERIVATION_CYCLE, LIMIT_EXCEEDED, STORAGE_QUOTA_EXCEEDED, and those of SQL that cannot run.
 */
export const createReceiveDerived = (deps: Deps) =>
  defineStage({
    ...received,
    run: async (ctx, input: DeriveInput): Promise<Received> => {
      const { tenant, workspace } = ctx.ref;
      const [scope, { dataset }] = [{ tenant, workspace }, input];
      const owner = await deps.catalog.getDataset(scope, dataset);
      if (owner === undefined) throw new Fault('NOT_FOUND', `There is no dataset ${dataset} in this workspace.`);
      const tables = await publishedTables(deps.catalog, scope, dataset);
      const id = tableIdOf(scope, dataset, input.table);
      const own = tables.find((table) => table.id === id);
      const { before, base, ...definition } = await definitionOf(deps, input, own);
      const checked = await check(ctx, deps, { scope, dataset, tables: queriedOf(tables) }, definition);
      const sources = sourcesOf(tables, id, checked);
      const made = { ...definition, ...(await readNow(deps, { scope, dataset }, sources, checked)) };
      const tableName = own?.name ?? input.table;
      const isAsBefore = before !== undefined && input.force !== true && made.repeatable && readTheSame(before, made);
      if (!isAsBefore) await requireRoom(deps.catalog, scope, { bytes: 0, most: deps.workspaceBytes });
      const drawn = () => deps.catalog.drawSequence(scope, dataset, id, tableName, ctx.clock.now());
      return {
        dataset,
        source: sourceOf(tableName, definition.sql),
        tables: isAsBefore ? [] : [{ table: id, tableName, sequence: await drawn() }],
        derivation: { made, manifests: sources.map(({ current }) => current.manifest), ...(base && { base }) },
        datasetCreatedAt: owner.createdAt,
        ...(owner.policy && { policy: owner.policy }),
        warnings: [],
      };
    },
  });

interface Found extends Definition {
  /** Of a refresh: how the published rows were made. */
  readonly before?: Derivation;
  readonly base?: NonNullable<Received['derivation']>['base'];
}

async function definitionOf(
  { catalog, objects }: Deps,
  { table, sql, params, description, mode = 'create' }: DeriveInput,
  own: PublishedTable | undefined,
): Promise<Found> {
  if (sql === undefined) {
    if (own === undefined) throw new Fault('NOT_FOUND', `There is no table ${table} in this dataset.`);
    requireDerived(own);
    const { derivation } = await readManifest({ catalog, objects }, publishedRef(own));
    const before = must(derivation, 'the definition of a derived table');
    const { sql: text, params: values, description: words } = before;
    const definition = {
      sql: text,
      ...(values && { params: values }),
      ...(words !== undefined && { description: words }),
    };
    return { ...definition, before, base: { snapshot: own.current.snapshot } };
  }
  requireDefinable(own, mode);
  const definition = { sql, ...(params && { params }), ...(description !== undefined && { description }) };
  return { ...definition, ...(mode === 'create' && { base: {} }) };
}

interface Within {
  readonly scope: Scope;
  readonly dataset: DatasetId;
}

const queriedOf = (tables: readonly PublishedTable[]): QueriedTable[] =>
  tables.map((table) => ({ id: table.id, name: table.name, manifest: publishedRef(table) }));

async function check(
  ctx: StageContext,
  { longQueries }: Deps,
  within: Within & { readonly tables: readonly QueriedTable[] },
  { sql, params = {} }: Definition,
): Promise<QueryCheck> {
  const directory = await freshFolder(ctx, 'check');
  const queries = must(longQueries, 'what runs long queries');
  return queries.check({ ...within, sql, params, directory, signal: ctx.signal });
}

async function readNow(
  deps: Deps,
  within: Within,
  tables: readonly PublishedTable[],
  { repeatable }: QueryCheck,
): Promise<Pick<Derivation, 'repeatable' | 'sources' | 'origins'>> {
  const manifests = await Promise.all(tables.map((table) => readManifest(deps, publishedRef(table))));
  const masks = await createMasks(deps)(
    within,
    tables.map(({ id }, at) => ({ id, manifest: must(manifests[at], 'a manifest') })),
  );
  const sources = tables.map(async ({ id: table, name, current: { snapshot, sequence } }, at) => {
    const said = await annotationsOf(deps.documents, within.scope, within.dataset, table);
    const seen = seenOf(must(manifests[at], 'a manifest'), said, masks[at] ?? []);
    return { table, name, snapshot, sequence, ...seen };
  });
  const origins = originsOf(manifests);
  return { repeatable, sources: await Promise.all(sources), ...(origins.length > 0 && { origins }) };
}

/** The text of the definition, told as that of a file is. */
const sourceOf = (table: string, sql: string): Received['source'] => ({
  name: `${table}.sql`,
  format: 'sql',
  compression: 'none',
  bytes: Buffer.byteLength(sql),
  sha256: createHash('sha256').update(sql).digest('hex'),
});
