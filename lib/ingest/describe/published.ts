// Descriptions of tables that are published: from their manifests, and back into new ones. What a person describes is not asked about.
import type { DatasetId, Scope } from '../../core/ids.ts';
import type { DurationMs } from '../../core/time.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { TableRecord } from '../catalog.ts';
import { type Manifest, manifestSchema } from '../manifest-schema.ts';
import { annotationsOf, type TableAnnotations } from '../annotations.ts';
import { readFrom } from '../derive/derivation.ts';
import { withLateTags } from '../derive/source-tags.ts';
import { isGone } from '../manifest.ts';
import { NONE } from '../pii/tags.ts';
import { policyOf } from '../policy.ts';
import { publishedTables } from '../published-tables.ts';
import type { Semantic } from '../semantics/types.ts';
import { type Current, replaceManifest } from '../replace-manifest.ts';
import type { DescribePassDeps, DescribePassInput } from './deps.ts';
import { describeTable, type TableDescribed } from './describe-table.ts';
import { describingIn, passAfter } from './describing.ts';
import type { Describer } from './facts.ts';
import type { NoAnswer } from './model-describer.ts';
import { toCents } from './prices.ts';
import { readSemantics, textsOfPublished } from './read-semantics.ts';
import { tableFacts } from './table-facts.ts';

interface PassResult {
  dataset: DatasetId;
  tables: number;
  described: number;
  left: number;
  why?: NoAnswer | undefined;
  costCents: number;
}

/** What came of it, and after how long a pass is to go on. */
export async function describePublished(
  ctx: StageContext,
  deps: DescribePassDeps,
  asked: DescribePassInput,
): Promise<{ result: PassResult; after: DurationMs | undefined }> {
  const { dataset } = asked;
  const describing = describingIn(ctx, deps.documents, dataset, deps.describer);
  const result: PassResult = { dataset, tables: 0, described: 0, left: 0, costCents: 0 };
  const tables = await tablesOf(ctx, deps, asked);
  for (const [index, table] of tables.entries()) {
    ctx.signal.throwIfAborted();
    const made = await describeAnew(ctx, deps, table, { asked, model: describing.of(table.id) });
    result.tables += 1;
    if (made?.replaced === true) result.described += 1;
    result.left += made?.left.length ?? 0;
    result.why ??= made?.why;
    ctx.progress(index + 1, tables.length, 'describe');
  }
  result.costCents = toCents(describing.budget?.spent ?? 0);
  const by = asked.follows === true ? 'pass due' : 'other';
  return {
    result,
    after: await passAfter(ctx, deps.documents, { family: 'describe-pass', group: dataset }, { why: result.why, by }),
  };
}

async function tablesOf(ctx: StageContext, { catalog }: DescribePassDeps, { dataset, table }: DescribePassInput) {
  const { tenant, workspace } = ctx.ref;
  const scope: Scope = { tenant, workspace };
  if (table === undefined) return publishedTables(catalog, scope, dataset);
  const one = await catalog.getTable(scope, dataset, table);
  return one?.current === undefined ? [] : [one];
}

interface Options {
  readonly asked: DescribePassInput;
  readonly model: Describer | undefined;
}

type Made = Pick<TableDescribed, 'left' | 'why'> & { readonly replaced: boolean };

/** Undefined where there is nothing to do, or the table is gone meanwhile. A newer snapshot was described by its own ingest. */
async function describeAnew(
  ctx: StageContext,
  deps: DescribePassDeps,
  table: TableRecord,
  options: Options,
): Promise<Made | undefined> {
  const { dataset, id } = table;
  let made: TableDescribed | undefined;
  let replaced = false;
  const place = { scope: { tenant: table.tenant, workspace: table.workspace }, dataset, table: id };
  const describe = async (manifest: Manifest, current: Current): Promise<Manifest | undefined> => {
    replaced = current.snapshot === table.current?.snapshot && lacks(manifest, options);
    if (!replaced) return undefined;
    const said = await annotationsOf(deps.documents, ctx.ref, dataset, id);
    const { action } = policyOf((await deps.catalog.getDataset(ctx.ref, dataset))?.policy).pii;
    const tagged = await withLateTags(deps.documents, place, manifest, action);
    made ??= await describeManifest(ctx, deps, tagged, { ...options, said });
    return withDescriptions(manifest, made);
  };
  try {
    await replaceManifest(ctx, deps, place, describe);
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
    replaced = false;
  }
  return made && { ...made, replaced };
}

/** Whether something is undescribed, or a model could say more. */
const lacks = ({ description, columns }: Manifest, { asked, model }: Options): boolean =>
  asked.again === true ||
  [description, ...columns.map((column) => column.description)].some(
    (each) => each === undefined || (model !== undefined && each.source === 'rule'),
  );

async function describeManifest(
  ctx: StageContext,
  deps: DescribePassDeps,
  manifest: Manifest,
  { asked, model, said }: Options & { readonly said: TableAnnotations },
): Promise<TableDescribed> {
  const { table: name, rowCount: rows, parts, columns } = manifest;
  const known = columns.every(({ semantic }) => semantic !== undefined);
  const semantics = known
    ? columns.map(({ semantic }) => semantic as Semantic)
    : await readSemantics(columns, rows, () => textsOfPublished(ctx, deps, { columns, parts }));
  const withTag = (column: Manifest['columns'][number]) => {
    const tag = said.columns.get(column.name)?.body.piiTag ?? column.pii?.tag ?? NONE;
    return { ...column, tagged: tag !== NONE };
  };
  const isSaid = (column: string) => said.columns.get(column)?.body.description !== undefined;
  const before = new Map(columns.map((column) => [column.name, column.description?.source]));
  return describeTable(
    tableFacts({ name, rows, source: readFrom(manifest), columns: columns.map(withTag) }, semantics),
    model,
    {
      signal: ctx.signal,
      asked: {
        table: asked.again !== true && manifest.description?.source === 'model' ? 'columns only' : 'table',
        // What a person describes costs nothing.
        columns: ({ name: column }) => !isSaid(column) && (asked.again === true || before.get(column) !== 'model'),
      },
    },
  );
}

/** What the definition says stays, and a model's words where only rules were asked now. */
function withDescriptions(manifest: Manifest, { table, columns }: TableDescribed): Manifest {
  const byName = new Map(columns.map((each) => [each.name, each]));
  const before = manifest.description?.source;
  const kept = before === 'definition' || (before === 'model' && table.by === 'rule');
  return manifestSchema.parse({
    ...manifest,
    ...(!kept && { description: { text: table.text, source: table.by }, synonyms: table.synonyms }),
    columns: manifest.columns.map((column) => {
      const found = byName.get(column.name);
      if (found === undefined || (column.description?.source === 'model' && found.by === 'rule')) return column;
      const { text, by, synonyms, semantic } = found;
      return { ...column, semantic, description: { text, source: by }, synonyms };
    }),
  });
}
