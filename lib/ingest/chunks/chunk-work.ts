// What is done to all chunks of a planned file: here where they are few, else by jobs of their own, for which the stage parks.
import { type FaultCode, Fault, faultCatalogue } from '../../core/fault.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { ChildEnd } from '../../job/context/types.ts';
import { TerminalError } from '../../job/run/outcome.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { attemptKey, freshFolder } from '../stages/place.ts';
import { CHUNK_KIND, type ChunkInput, type ChunkResult, chunkResult } from './chunk-input.ts';
import { keptCounts } from './count-chunk.ts';
import { leftIn } from './plain.ts';
import { partName, writeParts } from './pass-two.ts';
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

type Work = Pick<ChunkInput, 'from' | 'to' | 'count'>;

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

/** The groups of chunks that one invocation each works on. */
function groupsOf({ chunks }: TablePlan, { chunksAnInvocation: most }: ReadLimits) {
  const groups = Math.ceil(chunks.length / most);
  return Array.from({ length: groups }, (_, group) => ({
    from: group * most,
    to: Math.min(chunks.length, (group + 1) * most),
  }));
}

/** Of all chunks, a result a group, in their order. Faults: what a chunk failed with. */
export async function workOnAll(
  ctx: StageContext,
  planned: Planned,
  what: Pick<Work, 'count'> = {},
): Promise<ChunkResult[]> {
  const groups = groupsOf(planned.plan, planned.limits);
  const [only] = groups;
  if (only !== undefined && groups.length === 1) return [await workOnChunks(ctx, planned, { ...only, ...what })];
  const { dataset, table, key: plan } = planned;
  const name = what.count === undefined ? plan : `${plan} count`;
  for (const group of groups)
    await ctx.submit(CHUNK_KIND, { dataset, table, plan, ...group, ...what }, { name: `${name} ${group.from}` });
  const ends = await ctx.waitForChildren();
  return ends.slice(ends.length - groups.length).map(resultOf);
}

const isFault = (code: string): code is FaultCode => Object.hasOwn(faultCatalogue, code);

/** A child has had its own attempts, so that what it failed with is the end of the whole. */
function resultOf({ status, result, error }: ChildEnd): ChunkResult {
  if (status === 'succeeded') return chunkResult.parse(result);
  const { code = 'CANCELLED', detail = `A job that writes a part of the table ended as ${status}.` } = error ?? {};
  if (isFault(code) && !faultCatalogue[code].retriable) throw new Fault(code, detail);
  throw new TerminalError(`A job that writes a part of the table ended as ${status} (${code}): ${detail}`);
}
