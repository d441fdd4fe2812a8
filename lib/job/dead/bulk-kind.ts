// The job that does the same to more jobs than a request has time for. It goes on from its cursor, a page at a time.
import * as z from 'zod';
import { epochMs } from '../../core/time.ts';
import { type BulkOrder, bulkActions, bulkApply, bulkFilterSchema, bulkPage } from './bulk.ts';
import { continueFrom } from '../run/outcome.ts';
import type { JobStore } from '../ports.ts';
import type { RedriveEngine } from './redrive.ts';
import { defineJob, type JobContext, type JobKind } from '../registry.ts';

export const BULK_KIND = 'system.bulk';

const inputSchema = z.lazy(() =>
  z.strictObject({
    action: z.enum(bulkActions),
    filter: bulkFilterSchema,
    limit: z.int().optional(),
    ratePerSecond: z.number().optional(),
    startAt: z.number(),
    reason: z.string().optional(),
  }),
);
export type BulkInput = z.output<typeof inputSchema>;

const cursorSchema = z.lazy(() => z.object({ place: z.string().optional(), done: z.int(), skipped: z.int() }));
type Cursor = z.output<typeof cursorSchema>;

const PAGE = 100;

type BulkEngine = RedriveEngine & { readonly store: JobStore };

/** `engine` is asked for when a job runs, since an engine has a registry that has this kind. */
export const bulkKind = (engine: () => BulkEngine): JobKind<BulkInput> =>
  defineJob({
    kind: BULK_KIND,
    input: inputSchema,
    internal: true,
    run: (ctx, input) => work(engine(), ctx, input),
  });

async function work(engine: BulkEngine, ctx: JobContext, { limit = Infinity, ...input }: BulkInput): Promise<unknown> {
  const { tenant, workspace } = ctx.ref;
  const order: BulkOrder = { ...input, scope: { tenant, workspace }, startAt: epochMs(input.startAt) };
  let cursor: Cursor = ctx.cursor === undefined ? { done: 0, skipped: 0 } : cursorSchema.parse(ctx.cursor);
  do {
    if (ctx.signal.aborted) return continueFrom(cursor);
    const { items, cursor: place } = await bulkPage(engine.store, order, { limit: PAGE, cursor: cursor.place });
    const ends = await bulkApply(engine, order, items.slice(0, limit - cursor.done), cursor.done);
    const done = cursor.done + ends.filter(({ kind }) => kind === 'done').length;
    cursor = { place, done, skipped: cursor.skipped + ends.length + cursor.done - done };
    ctx.progress(done, Number.isFinite(limit) ? limit : 0, `${input.action}: ${done} done, ${cursor.skipped} skipped`);
    if (place !== undefined) await ctx.checkpoint(cursor);
  } while (cursor.place !== undefined && cursor.done < limit);
  return { action: input.action, done: cursor.done, skipped: cursor.skipped };
}
