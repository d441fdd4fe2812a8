// Scans of a table whose findings more than one stage needs: each is made by the first that does, and left on the disk for the others.
import type { StageContext } from '../../pipeline/stage.ts';
import type { LookRequest } from '../pii/look.ts';
import type { ValuesOf } from '../pii/scan.ts';
import { policyOf } from '../policy.ts';
import type { Overview, overviewTable } from '../profile/overview.ts';
import { received } from './outputs.ts';
import { keptJson } from './place.ts';

/** Of the table at a place of the file, in the order of its columns. */
export const tableOverview = (
  ctx: StageContext,
  table: Parameters<typeof overviewTable>[0],
  index: number,
): Promise<readonly Overview[]> =>
  keptJson(ctx, `overview-${index}.json`, async () => {
    // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
    const { overviewTable: overview } = await import('../profile/overview.ts');
    return overview(table);
  });

/** The values that tags are decided on and samples drawn from. */
export const valuesLookedAt = (ctx: StageContext, request: LookRequest, index: number): Promise<readonly ValuesOf[]> =>
  keptJson(ctx, `values-${index}.json`, async () => {
    const { lookAtValues } = await import('../pii/look.ts');
    return lookAtValues(request, await distinctOf(ctx, request, index));
  });

/** From the overview that the profile will need as well. Undefined where there is to be none, or where it fails: the profile then says so. */
async function distinctOf(ctx: StageContext, request: LookRequest, index: number) {
  const { stages } = policyOf((await ctx.outputOf(received)).policy);
  if (stages.profile === 'off' || request.parts.length === 0) return undefined;
  const parquetPaths = request.parts.map(({ path }) => path);
  const seen = await tableOverview(ctx, { ...request, parquetPaths }, index).catch(() => undefined);
  ctx.signal.throwIfAborted();
  return seen && new Map(request.columns.map(({ name }, at) => [name, seen[at]?.distinctEstimate ?? 0]));
}
