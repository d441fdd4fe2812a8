// Takes the values of columns that a person has tagged out of the store: reading hides them from the moment of the tag, and this writes the
// manifest without them.
import * as z from 'zod';
import type { Documents } from '../core/documents.ts';
import { defineJob, type JobKind } from '../job/registry.ts';
import { thenSubmit } from '../job/waits/owed.ts';
import { annotationsOf } from './annotations.ts';
import { hiddenColumns, hiddenManifest } from './overlay.ts';
import { policyOf } from './policy.ts';
import { type ReplaceDeps, replaceManifest } from './replace-manifest.ts';
import { removeReport } from './rejects/report-file.ts';
import { shownReport } from './rejects/shown-report.ts';
import { afterIngest } from './search/after-ingest.ts';
import { idOf } from './id-of.ts';
import { attemptKey } from './stages/place.ts';

export const SCRUB_KIND = 'scrub-values';

const input = z.lazy(() => z.strictObject({ dataset: idOf('ds'), table: idOf('tbl') }));

export const createScrub = (deps: ReplaceDeps & { readonly documents: Documents }): JobKind<z.output<typeof input>> =>
  defineJob({
    kind: SCRUB_KIND,
    input,
    run: async (ctx, { dataset, table }) => {
      const { tenant, workspace } = ctx.ref;
      const scope = { tenant, workspace };
      const { action } = policyOf((await deps.catalog.getDataset(scope, dataset))?.policy).pii;
      const annotations = await annotationsOf(deps.documents, scope, dataset, table);
      let scrubbed = false;
      let report: string | undefined;
      await replaceManifest(ctx, deps, { scope, dataset, table }, async (manifest, { snapshot }) => {
        const hidden = hiddenColumns(manifest.columns, annotations, action);
        const key = attemptKey(ctx, dataset, table, `rejects-${snapshot}.ndjson`);
        const rejects = manifest.rejects && (await shownReport(deps.objects, manifest.rejects, key, { hidden }));
        const bare = hiddenManifest({ ...manifest, rejects }, annotations, action);
        scrubbed = JSON.stringify(bare) !== JSON.stringify(manifest);
        report = rejects?.key === manifest.rejects?.key ? undefined : manifest.rejects?.key;
        return scrubbed ? bare : undefined;
      });
      if (report !== undefined) await removeReport(deps.objects, report);
      // The index has samples of its own.
      return thenSubmit({ scrubbed }, afterIngest(dataset));
    },
  });
