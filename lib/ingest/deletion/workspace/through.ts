// Going through passes one after another, from wherever an earlier run of the job stopped: each page is checkpointed.
import * as z from 'zod';
import type { JobContext } from '../../../job/registry.ts';
import { continueFrom } from '../../../job/run/outcome.ts';
import type { Pass, WorkspaceRun } from './passes.ts';

const cursorSchema = z.lazy(() =>
  z.object({
    /** The how many-th of the passes. */
    pass: z.int(),
    place: z.string().optional(),
    removed: z.int(),
    counts: z.object({
      ...{ datasets: z.int(), tables: z.int(), files: z.int(), jobs: z.int(), keys: z.int() },
      ...{ objects: z.int(), bytes: z.int() },
    }),
  }),
);
type Cursor = z.output<typeof cursorSchema>;

const start: Cursor = {
  ...{ pass: 0, removed: 0 },
  counts: { datasets: 0, tables: 0, files: 0, jobs: 0, keys: 0, objects: 0, bytes: 0 },
};

/** What was counted and removed; else the handler's answer that goes on later. */
export async function goThrough(
  ctx: Pick<JobContext, 'cursor' | 'signal' | 'checkpoint' | 'progress'>,
  run: Omit<WorkspaceRun, 'fence'>,
  passes: readonly Pass[],
): Promise<{ readonly done: Cursor } | { readonly later: ReturnType<typeof continueFrom> }> {
  let cursor = ctx.cursor === undefined ? start : cursorSchema.parse(ctx.cursor);
  for (let pass = passes[cursor.pass]; pass !== undefined; pass = passes[cursor.pass]) {
    if (ctx.signal.aborted) return { later: continueFrom(cursor) };
    const at = cursor;
    const fence = async () => {
      ctx.signal.throwIfAborted();
      await ctx.checkpoint(at);
    };
    const { counts, removed, place } = await pass({ ...run, fence }, at);
    const next = place === undefined ? { pass: at.pass + 1 } : { pass: at.pass, place };
    cursor = { ...next, counts, removed };
    ctx.progress(cursor.removed, 0);
    await ctx.checkpoint(cursor);
  }
  return { done: cursor };
}
