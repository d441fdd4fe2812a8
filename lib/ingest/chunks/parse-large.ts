// Pass two as the stage that parses a file runs it. The plan is proven by the write; where a value contradicts it, all values of the columns
// that may be affected are counted, and the parts are written again by the plan that follows from that.
import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ParsedTable } from '../stages/outputs.ts';
import { writeRejects } from '../rejects/write-rejects.ts';
import { attemptKey, REJECTS } from '../stages/place.ts';
import { openColumns } from '../typing/plan-table.ts';
import { type Planned, workOnAll } from './chunk-work.ts';
import { sumOf } from './count-chunk.ts';
import { joinParts } from './join-parts.ts';
import { joinRejects } from './join-rejects.ts';
import { provenBy, readPlan, type TablePlan, typingOf } from './plan.ts';
import type { WrittenPart } from './written-part.ts';

type Large = Omit<Planned, 'plan'>;

/** Reads a planned file. Faults: what a chunk failed with. */
export async function parseLarge(ctx: StageContext, large: Large): Promise<ParsedTable> {
  const { objects, dataset, table: id } = large;
  const { plan, parts } = await writeLarge(ctx, large);
  const { table, counted } = joinParts(plan, parts);
  const found = await joinRejects(objects, { parts, files: plan.files }, counted);
  const rejects = await writeRejects(objects, attemptKey(ctx, dataset, id, REJECTS), found);
  return { ...table, ...(rejects && { rejects }) };
}

interface WrittenTable {
  /** The one that all values agree with. */
  readonly plan: TablePlan;
  /** Of every chunk, in order. */
  readonly parts: readonly WrittenPart[];
}

/** Writes all parts of a planned file. Faults: what a chunk failed with. */
export async function writeLarge(ctx: StageContext, large: Large): Promise<WrittenTable> {
  const planned = { ...large, plan: await readPlan(large.objects, large.key) };
  const parts = await partsOf(ctx, planned);
  if (parts !== undefined) return { plan: planned.plan, parts };
  const proven = await withProof(ctx, planned);
  return { plan: proven.plan, parts: must(await partsOf(ctx, proven), 'parts of a plan that is proven') };
}

/** Undefined where a value contradicts the plan. */
async function partsOf(ctx: StageContext, planned: Planned): Promise<WrittenPart[] | undefined> {
  const results = await workOnAll(ctx, planned);
  if (results.some(({ contradicted }) => contradicted !== undefined)) return undefined;
  return results.flatMap(({ parts }) => parts);
}

/** The plan that all values agree with. It is kept beside the first: whoever goes on finds what was written by it. */
async function withProof(ctx: StageContext, planned: Planned): Promise<Planned> {
  const { objects, plan, key: first } = planned;
  const columns = openColumns(typingOf(plan)).filter((index) => plan.columns[index]?.family !== 'json');
  const results = await workOnAll(ctx, planned, { count: columns });
  const proven = await provenBy(plan, sumOf(results.map(({ counts = [] }) => counts)));
  const key = first.replace(/\.json$/, '-proven.json');
  await objects.putOnce(key, JSON.stringify(proven));
  return { ...planned, key, plan: await readPlan(objects, key) };
}
