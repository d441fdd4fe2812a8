// Looks for personal data in the published snapshot of a table once more, and draws its samples anew: after a detector was made, a tag was
// taken back, or the policy was changed.
import * as z from 'zod';
import { thenSubmit } from '../job/waits/owed.ts';
import { type Pipeline, pipeline } from '../pipeline/definition.ts';
import { defineStage, type StageContext } from '../pipeline/stage.ts';
import { annotationsOf } from './annotations.ts';
import type { Manifest } from './manifest-schema.ts';
import { inheritedTag } from './derive/source-tags.ts';
import { clearedColumns, hiddenColumns, hiddenManifest, tagOf } from './overlay.ts';
import { NONE, type PiiPolicy } from './pii/tags.ts';
import { policyOf } from './policy.ts';
import { replaceManifest } from './replace-manifest.ts';
import { defaultReadLimits } from './reading/types.ts';
import type { IngestDeps } from './pipeline.ts';
import { afterIngest } from './search/after-ingest.ts';
import type { TablePlace } from './shown.ts';
import { idOf } from './id-of.ts';
import { judgeRequest, type LookDeps, piiFound } from './stages/pii.ts';
import { rowsOfLook, withPartsLookedAt } from './stages/scans.ts';
import { withLook } from './warnings.ts';

export const REFRESH_KIND = 'refresh-samples';

const inputSchema = z.lazy(() => z.strictObject({ dataset: idOf('ds'), table: idOf('tbl') }));
const outputSchema = z.lazy(() =>
  z.strictObject({
    /** Columns with samples. */
    sampled: z.int(),
    /** Columns that hold personal data. */
    tagged: z.int(),
  }),
);

export function createRefreshSamples({
  limits = defaultReadLimits,
  ...deps
}: IngestDeps): Pipeline<z.output<typeof outputSchema>> {
  const refresh = defineStage({
    name: 'refresh',
    output: outputSchema,
    run: async (ctx, { dataset, table }: z.output<typeof inputSchema>) => {
      const { tenant, workspace } = ctx.ref;
      const place = { scope: { tenant, workspace }, dataset, table };
      const { pii } = policyOf((await deps.catalog.getDataset(place.scope, dataset))?.policy);
      const refreshed = await replaceManifest(ctx, deps, place, (manifest) =>
        lookAgain(ctx, { ...deps, limits }, place, pii, manifest),
      );
      const tags = refreshed.columns.filter(({ pii: tag }) => tag !== undefined);
      const sampled = refreshed.columns.filter(({ samples }) => samples !== undefined).length;
      return thenSubmit({ sampled, tagged: tags.length }, afterIngest(dataset));
    },
  });
  return pipeline(REFRESH_KIND, { input: inputSchema, version: '1' }).stage(refresh);
}

async function lookAgain(
  ctx: StageContext,
  deps: LookDeps,
  { scope, dataset, table }: TablePlace,
  policy: PiiPolicy,
  manifest: Manifest,
): Promise<Manifest> {
  const annotations = await annotationsOf(deps.documents, scope, dataset, table);
  const columns = manifest.columns.map(({ name, type }) => ({ name, type }));
  const request = await judgeRequest(ctx, deps, policy, { table: manifest.table, columns });
  // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
  const { lookAtTable } = await import('./look/look-at-table.ts');
  const { lookForSamples, lookForTags } = await import('./pii/look.ts');
  const looked = await withPartsLookedAt(ctx, deps, manifest.parts, (rows) =>
    lookAtTable({ ...request, ...rows, seed: ctx.ref.id, wanted: new Set(['values', 'rows']) }),
  );
  const { tags } = await lookForTags(request, looked.values);
  const found = manifest.columns.map(({ pii: _before, samples: _samples, ...column }) => {
    const tag = tags.get(column.name) ?? (manifest.derivation && inheritedTag(manifest.derivation, column.name));
    return { ...column, ...(tag && { pii: tag }) };
  });
  if (policy.action === 'reject') {
    const held = found.flatMap((column) => {
      const tag = tagOf(column, annotations);
      return tag === undefined || tag.tag === NONE ? [] : [{ name: column.name, ...tag }];
    });
    if (held.length > 0) throw piiFound(held);
  }
  const hidden = hiddenColumns(found, annotations, policy.action);
  const { values, rows } = await lookForSamples({ ...request, hidden, cleared: clearedColumns(annotations) }, looked);
  ctx.signal.throwIfAborted();
  const sampled = found.map((column) => {
    const some = values.get(column.name);
    return { ...column, ...(some && { samples: [...some] }) };
  });
  const warnings = withLook(manifest.warnings, rowsOfLook(ctx, deps.limits, manifest));
  const refreshed = { ...manifest, columns: sampled, sampleRows: rows, warnings };
  return hiddenManifest(refreshed, annotations, policy.action, manifest);
}
