// Work in steps that may take longer than one run has: the next goes on behind the last step that was kept.
import type { HandlerAnswer } from '../../job/run/outcome.ts';
import { continueFrom } from '../../job/run/outcome.ts';
import type { StageContext } from '../../pipeline/stage.ts';

export type InRuns<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'continue'; readonly answer: HandlerAnswer };

/** The cursor is how many steps are kept. A run that got nowhere is no reason to run again. */
export async function inRuns<T>(
  ctx: Pick<StageContext, 'step' | 'cursor' | 'signal'>,
  work: (step: StageContext['step']) => Promise<T>,
): Promise<InRuns<T>> {
  const before = Number(ctx.cursor ?? 0);
  let done = 0;
  const step: StageContext['step'] = async (name, each) => {
    const kept = await ctx.step(name, each);
    done++;
    return kept;
  };
  try {
    return { kind: 'done', value: await work(step) };
  } catch (thrown) {
    if (ctx.signal.aborted && done > before) return { kind: 'continue', answer: continueFrom(done) };
    throw thrown;
  }
}
