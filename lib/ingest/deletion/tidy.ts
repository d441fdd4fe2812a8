// Looks a dataset through for what dead jobs and requests left, and for versions of the search index that nobody reads any more.
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, Scope } from '../../core/ids.ts';
import { objectKey } from '../../core/objects.ts';
import type { JobContext } from '../../job/registry.ts';
import { indexRoom } from '../search/after-ingest.ts';
import { mergeIndex } from '../search/merge.ts';
import { rowsOf } from './rows.ts';
import { sweepFiles } from './sweep-files.ts';
import { type SweepDeps, sweepTable } from './sweep.ts';

/** A look that is killed is taken again from its beginning: what is gone is not met twice. */
export async function tidyDataset(
  ctx: JobContext,
  deps: SweepDeps & { readonly documents: Documents },
  scope: Scope,
  dataset: DatasetId,
): Promise<{ partial: number; objects: number; waits: boolean }> {
  const total = { partial: 0, objects: 0, waits: false };
  const rules = { retention: undefined, dryRun: false, now: ctx.clock.now() };
  for await (const row of rowsOf((page) => deps.catalog.listTableRows(scope, dataset, page))) {
    ctx.signal.throwIfAborted();
    const { partial, objects, waits } = await sweepTable(deps, scope, dataset, row, rules);
    total.partial += partial;
    total.objects += objects;
    total.waits ||= waits;
  }
  total.objects += await sweepFiles(deps, scope, dataset, rules);
  const { clock, log, signal } = ctx;
  const prefix = objectKey(scope.tenant, scope.workspace, 'search', ctx.ref.id, ctx.epoch);
  await mergeIndex({ ...deps, clock, log, room: indexRoom }, { scope, dataset, prefix, signal });
  return total;
}
