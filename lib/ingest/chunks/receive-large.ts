// Pass one as the stage that receives a file runs it: the plan is kept as an object, and where the time runs out, the next run goes on.
import { Fault } from '../../core/fault.ts';
import type { DatasetId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { HandlerAnswer } from '../../job/run/outcome.ts';
import { continueFrom } from '../../job/run/outcome.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { ReceivedTable } from '../stages/outputs.ts';
import { attemptKey, freshFolder } from '../stages/place.ts';
import type { LargeText } from './large.ts';
import { leftIn } from './plain.ts';
import { planText } from './pass-one.ts';

interface Reading {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly dataset: DatasetId;
  readonly table: ReceivedTable;
  readonly options: ReadOptions;
}

export type LargeReceived =
  | { readonly kind: 'planned'; readonly plan: string; readonly sha256: string }
  | { readonly kind: 'continue'; readonly answer: HandlerAnswer }
  /** It is no UTF-8 after all: its encoding has to be found. */
  | { readonly kind: 'other encoding' };

/** Faults: those of `planText`. */
export async function receiveLarge(
  ctx: StageContext,
  large: Omit<LargeText, 'tableName'>,
  { objects, limits, dataset, table, options }: Reading,
): Promise<LargeReceived> {
  const { verbatim } = table;
  const workDir = await freshFolder(ctx, 'survey');
  // What fits into one invocation is written by the stage that follows in this one.
  const leave =
    large.plain.size <= limits.chunksAnInvocation * limits.chunkBytes ? leftIn(await ctx.folder()) : undefined;
  let surveyed = 0;
  const step: StageContext['step'] = async (name, work) => {
    const kept = await ctx.step(name, work);
    surveyed++;
    return kept;
  };
  const progress: StageContext['progress'] = (done, total, note) => ctx.progress(done, total, note);
  const pass = {
    objects,
    plain: large.plain,
    signal: ctx.signal,
    ctx: { step, progress },
    limits,
    workDir,
    options,
    verbatim,
    leave,
  };
  const before = Number(ctx.cursor ?? 0);
  try {
    const { plan, sha256 } = await planText(pass, large.format);
    const key = attemptKey(ctx, dataset, table.table, 'plan.json');
    await writeOnce(objects, key, JSON.stringify(plan));
    return { kind: 'planned', plan: key, sha256 };
  } catch (thrown) {
    // A run that got nowhere is no reason to run again.
    if (ctx.signal.aborted && surveyed > before) return { kind: 'continue', answer: continueFrom(surveyed) };
    const found = options.encoding === undefined && large.plain.start === 0;
    if (found && thrown instanceof Fault && thrown.code === 'ENCODING_INVALID') return { kind: 'other encoding' };
    throw thrown;
  }
}
