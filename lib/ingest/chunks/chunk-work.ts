// What is done to chunks of a planned text.
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { attemptKey, freshFolder } from '../stages/place.ts';
import type { ChunkResult } from './chunk-input.ts';
import { keptCounts } from './count-chunk.ts';
import { leftIn } from './plain.ts';
import { partName } from './kept-parts.ts';
import { writeParts } from './pass-two.ts';
import { type Work, workEverywhere } from './work-everywhere.ts';
import type { TablePlan } from './plan.ts';

export interface Planned {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly dataset: DatasetId;
  readonly table: TableId;
  /** Of the plan. */
  readonly key: string;
  readonly plan: TablePlan;
}

/** Writes, or counts, some chunks of a plan. Faults: INPUT_UNREADABLE. */
export async function workOnChunks(ctx: StageContext, planned: Planned, work: Work): Promise<ChunkResult> {
  const { objects, limits, plan, key, dataset, table } = planned;
  const places = Array.from({ length: work.to - work.from }, (_, index) => work.from + index);
  let done = 0;
  const each = (): void => ctx.progress(++done, places.length, work.count === undefined ? 'write' : 'count');
  const kept = key.replace(/\.json$/, '');
  const common = { objects, limits, kept, workDir: await freshFolder(ctx, 'parts'), signal: ctx.signal };
  if (work.count !== undefined) {
    return { parts: [], counts: await keptCounts(common, { plan, places, columns: work.count }, each) };
  }
  const keyOf = (place: number) => attemptKey(ctx, dataset, table, partName(place, plan));
  const left = leftIn(await ctx.folder());
  const written = await writeParts({ ...common, plan, keyOf, left }, places, each);
  return written.kind === 'written' ? { parts: [...written.parts] } : { parts: [], contradicted: written.column };
}

/** Of all chunks, a result a group, in their order. Faults: what a chunk failed with. */
export function workOnAll(ctx: StageContext, planned: Planned, what: Pick<Work, 'count'> = {}): Promise<ChunkResult[]> {
  const { dataset, table, key: plan, limits } = planned;
  const chunks = planned.plan.chunks.length;
  return workEverywhere(ctx, { chunks, limits, ...{ dataset, table, plan }, ...what }, (work) =>
    workOnChunks(ctx, planned, work),
  );
}
