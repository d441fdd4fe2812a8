// A planned Parquet file as the stage that parses it reads it. That no column loses anything is proven by the write; where one does, all row
// groups are asked, and written anew with it as text.
import type { StageContext } from '../../../pipeline/stage.ts';
import { workEverywhere } from '../../chunks/work-everywhere.ts';
import type { WrittenPart } from '../../chunks/written-part.ts';
import type { ParsedTable } from '../../stages/outputs.ts';
import { must } from '../../../core/check.ts';
import { lossWarning } from '../losses.ts';
import { type PlannedGroups, sumOfLosses, workOnGroups } from './group-work.ts';
import { withLosses } from './plan-groups.ts';
import { type GroupsPlan, readGroupsPlan, textsOf } from './plan.ts';

type Large = Omit<PlannedGroups, 'plan'>;

/** Reads a planned file. Faults: what a chunk failed with. */
export async function parseGroups(ctx: StageContext, large: Large): Promise<ParsedTable> {
  const planned = { ...large, plan: await readGroupsPlan(large.objects, large.key) };
  const parts = await partsOf(ctx, planned);
  if (parts !== undefined) return joined(planned.plan, parts);
  const proven = await withProof(ctx, planned);
  return joined(proven.plan, must(await partsOf(ctx, proven), 'parts of a plan that is proven'));
}

const workOnAll = (ctx: StageContext, planned: PlannedGroups, what: { readonly count?: number[] } = {}) => {
  const { dataset, table, key: plan, limits } = planned;
  const input = { dataset, table, plan, of: 'row groups' as const, ...what };
  return workEverywhere(ctx, { chunks: planned.plan.chunks.length, limits, ...input }, (work) =>
    workOnGroups(ctx, planned, work),
  );
};

/** Undefined where a column loses something. */
async function partsOf(ctx: StageContext, planned: PlannedGroups): Promise<WrittenPart[] | undefined> {
  const results = await workOnAll(ctx, planned);
  if (results.some(({ contradicted }) => contradicted !== undefined)) return undefined;
  return results.flatMap(({ parts }) => parts);
}

/** The plan by which nothing is lost. It is kept beside the first: whoever goes on finds what was written by it. */
async function withProof(ctx: StageContext, planned: PlannedGroups): Promise<PlannedGroups> {
  const { objects, limits, plan, key: first } = planned;
  const results = await workOnAll(ctx, planned, { count: [] });
  const losses = sumOfLosses(results.map((result) => result.losses ?? []));
  const proven = await withLosses(ctx, { objects, limits, file: plan.file }, plan, losses);
  const key = first.replace(/\.json$/, '-proven.json');
  await objects.putOnce(key, JSON.stringify(proven));
  return { ...planned, key, plan: await readGroupsPlan(objects, key) };
}

/** The table that the parts make. */
function joined(plan: GroupsPlan, parts: readonly WrittenPart[]): ParsedTable {
  const losses = new Map(plan.losses);
  const texts = [...textsOf(plan)]
    .sort((one, other) => one - other)
    .flatMap((place) => {
      const column = must(plan.columns[place], 'a column');
      return lossWarning({ column, hasDecimals: plan.decimals.includes(place) }, losses.get(place)) ?? [];
    });
  const { columns, rows: rowCount } = plan;
  return { columns, rowCount, parts: parts.map(({ part }) => part), warnings: [...plan.warnings, ...texts] };
}
