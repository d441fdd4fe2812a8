// The first plan of a table from what pass one found of its text, or of several: the one that the text read at once would have, before the write
// proves or contradicts it.
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import type { Warning } from '../../core/warning.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { badRecords } from '../csv/choose.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import { requireFew } from '../rejects/left-out.ts';
import { firstPlan, looksBy, type PlannedTable } from '../typing/plan-table.ts';
import type { Rows } from '../typing/relation.ts';
import type { Chunk, TablePlan } from './plan.ts';
import { countChunks, countSample } from './plan-counters.ts';
import { withSigns } from './signs.ts';

interface Pass {
  readonly ctx: Pick<StageContext, 'step'>;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly workDir: string;
  readonly options: ReadOptions;
  readonly signal: AbortSignal;
}

/** What pass one found. */
export interface ToPlan {
  readonly table: PlannedTable;
  /** How the text, or each of several, is read. */
  readonly texts: Pick<TablePlan, 'plain' | 'csv' | 'json' | 'files' | 'namesFile'>;
  readonly chunks: Chunk[];
  readonly rows: number;
  readonly sample: Rows;
  /** Records that are left out. */
  readonly bad: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
  readonly lastWarnings?: readonly Warning[];
}

/** Throws the Fault TOO_MANY_REJECTS. */
export async function planSurveyed({ options, ...of }: Pass, surveyed: ToPlan): Promise<TablePlan> {
  const { table, texts, chunks, rows, sample, bad, warnings, lastWarnings } = surveyed;
  const onBadRecord = badRecords(options);
  const leftOut = Object.values(bad).reduce((sum, count) => sum + count, 0);
  // How many others are left out is known when they are written.
  if (options.onMisfit !== 'reject') requireFew({ count: leftOut, records: rows + leftOut }, options);
  const { emptyIsNull, dateOrder, sampleIsAll } = table;
  const pass = { ...of, plain: texts.plain };
  const read = { ...texts, columns: [...table.columns], emptyIsNull, dateOrder, onBadRecord };
  const columns = await withSigns(pass, read, { sample, sampleIsAll, chunks });
  const known = { ...read, columns };
  const counters = { sample: countSample(pass, sample, known), all: countChunks(pass, known, chunks) };
  const { facts, rungs } = await firstPlan(table, looksBy(table, counters));
  return {
    ...{ v: 1, ...texts, columns, rows },
    types: rungs.map(({ type }) => type),
    facts: rungs.map((_, index) => must(facts.get(index), 'facts')),
    promised: [],
    emptyIsNull,
    ...(dateOrder !== undefined && { dateOrder }),
    most: { maxRejects: options.maxRejects, maxRejectShare: options.maxRejectShare },
    ...(options.report !== undefined && { report: options.report }),
    ...(leftOut > 0 && { bad }),
    ...(onBadRecord && { onBadRecord }),
    chunks,
    warnings: [...warnings],
    ...(lastWarnings && { lastWarnings: [...lastWarnings] }),
  };
}
