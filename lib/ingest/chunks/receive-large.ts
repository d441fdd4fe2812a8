// Pass one as the stage that receives a file runs it: the plan is kept as an object for the stage that follows.
import type { DatasetId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { ReceivedTable } from '../stages/outputs.ts';
import { attemptKey } from '../stages/place.ts';
import type { TextFormat } from './large.ts';
import type { Plain } from './plain.ts';
import { planText } from './pass-one.ts';
import type { SurveyThreads } from './survey-threads.ts';
import { fitsInvocation } from './text-hash.ts';

interface Reading {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly threads?: SurveyThreads | undefined;
  readonly dataset: DatasetId;
  readonly table: ReceivedTable;
  readonly options: ReadOptions;
  readonly format: TextFormat;
  /** An empty folder, or one where pass one has worked on other stretches of the text: `leftIn`. */
  readonly workDir: string;
  readonly step: StageContext['step'];
}

/** The key of the plan of one table, and the hash of the text, unless it is a stretch. Faults: those of `planText`. */
export async function receiveLarge(
  ctx: StageContext,
  plain: Plain,
  { objects, limits, threads, dataset, table, options, format, workDir, step }: Reading,
): Promise<{ readonly plan: string; readonly sha256: string }> {
  const { verbatim } = table;
  // What fits into one invocation is written by the stage that follows in this one.
  const leave = fitsInvocation(plain.size, limits) ? workDir : undefined;
  const progress: StageContext['progress'] = (done, total, note) => ctx.progress(done, total, note);
  const { signal } = ctx;
  const reading = { objects, plain, signal, limits, threads, options, verbatim };
  const pass = { ...reading, ctx: { step, progress }, workDir, leave };
  const { plan, sha256 } = await planText(pass, format);
  const key = attemptKey(ctx, dataset, table.table, 'plan.json');
  await writeOnce(objects, key, JSON.stringify(plan));
  return { plan: key, sha256 };
}
