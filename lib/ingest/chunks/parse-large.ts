// Pass two as the stage that parses a file runs it: few chunks here, many in jobs of their own, for which the stage parks.
import { type FaultCode, Fault, faultCatalogue } from '../../core/fault.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { ChildEnd } from '../../job/context/types.ts';
import { TerminalError } from '../../job/run/outcome.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { ParsedTable } from '../stages/outputs.ts';
import { writeRejects } from '../rejects/write-rejects.ts';
import { attemptKey, freshFolder, REJECTS } from '../stages/place.ts';
import { CHUNK_KIND, chunkResult } from './chunk-input.ts';
import { partName, writeParts } from './pass-two.ts';
import { readPlan, type TablePlan } from './plan.ts';
import { joinParts } from './join-parts.ts';
import { joinRejects } from './join-rejects.ts';
import type { WrittenPart } from './written-part.ts';

export interface Large {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly dataset: DatasetId;
  readonly table: TableId;
  /** The key of the plan. */
  readonly plan: string;
}

/** Writes some chunks of a plan. Faults: INPUT_UNREADABLE. */
export async function writeChunks(
  ctx: StageContext,
  { objects, limits, dataset, table, plan: key }: Large,
  { plan, from, to }: { readonly plan: TablePlan; readonly from: number; readonly to: number },
): Promise<WrittenPart[]> {
  const workDir = await freshFolder(ctx, 'parts');
  const keyOf = (place: number) => attemptKey(ctx, dataset, table, partName(place));
  const places = Array.from({ length: to - from }, (_, index) => from + index);
  const pass = { objects, limits, plan, kept: key.replace(/\.json$/, ''), keyOf, workDir, signal: ctx.signal };
  let done = 0;
  return writeParts(pass, places, () => ctx.progress(++done, places.length, 'write'));
}

/** The groups of chunks that one invocation each writes. */
function groupsOf({ chunks }: TablePlan, { chunksAnInvocation: most }: ReadLimits) {
  const groups = Math.ceil(chunks.length / most);
  return Array.from({ length: groups }, (_, group) => ({
    from: group * most,
    to: Math.min(chunks.length, (group + 1) * most),
  }));
}

/** Reads a planned file. Faults: what a chunk failed with. */
export async function parseLarge(ctx: StageContext, large: Large): Promise<ParsedTable> {
  const plan = await readPlan(large.objects, large.plan);
  const groups = groupsOf(plan, large.limits);
  const [only] = groups;
  if (only !== undefined && groups.length === 1)
    return tableOf(ctx, large, plan, await writeChunks(ctx, large, { plan, ...only }));
  const { dataset, table, plan: key } = large;
  for (const { from, to } of groups)
    await ctx.submit(CHUNK_KIND, { dataset, table, plan: key, from, to }, { name: `${key} ${from}` });
  const ends = await ctx.waitForChildren();
  return tableOf(ctx, large, plan, ends.flatMap(partsOf));
}

async function tableOf(
  ctx: StageContext,
  { objects, dataset, table: id }: Large,
  plan: TablePlan,
  parts: readonly WrittenPart[],
): Promise<ParsedTable> {
  const { table, counted } = joinParts(plan, parts);
  const found = await joinRejects(objects, parts, counted);
  const rejects = await writeRejects(objects, attemptKey(ctx, dataset, id, REJECTS), found);
  return { ...table, ...(rejects && { rejects }) };
}

const isFault = (code: string): code is FaultCode => Object.hasOwn(faultCatalogue, code);

/** A child has had its own attempts, so that what it failed with is the end of the whole. */
function partsOf({ status, result, error }: ChildEnd): WrittenPart[] {
  if (status === 'succeeded') return chunkResult.parse(result).parts;
  const { code = 'CANCELLED', detail = `A job that writes a part of the table ended as ${status}.` } = error ?? {};
  if (isFault(code) && !faultCatalogue[code].retriable) throw new Fault(code, detail);
  throw new TerminalError(`A job that writes a part of the table ended as ${status} (${code}): ${detail}`);
}
