// A pipeline with an approval in the middle: a purchase is priced, a person says yes or no, and the order is written. While it waits, for
// minutes or for days, its execution has ended and nothing runs; the signal starts the next one, which skips what is committed.
import { cancel, days, definePipeline, defineStage, TerminalError, WaitTimedOut } from 'millrace';
import * as z from 'zod';

/** Cents; up to this much needs nobody's approval. */
const FREE_UP_TO = 10_000;

const input = z.strictObject({
  item: z.string().min(1),
  pieces: z.int().min(1).max(1000),
  centsEach: z.int().min(1).max(1_000_000),
});
const priced = z.strictObject({ item: z.string(), pieces: z.int(), cents: z.int() });
const approved = priced.extend({ approvedBy: z.string() });
/** What `POST /v1/jobs/{id}/signal` tells under the name `approval`. */
const decision = z.strictObject({ approve: z.boolean(), by: z.string().min(1) });

const price = defineStage({
  name: 'price',
  output: priced,
  run: async (_ctx, { item, pieces, centsEach }: z.infer<typeof input>) => ({
    item,
    pieces,
    cents: pieces * centsEach,
  }),
});

const approve = defineStage({
  name: 'approve',
  output: approved,
  run: async (ctx, purchase: z.infer<typeof priced>) => {
    if (purchase.cents <= FREE_UP_TO) return { ...purchase, approvedBy: 'nobody' };
    try {
      const told = decision.safeParse(await ctx.waitFor('approval', { timeout: days(7) }));
      if (!told.success) throw new TerminalError(`The approval cannot be read: ${z.prettifyError(told.error)}`);
      const { approve: yes, by } = told.data;
      return yes ? { ...purchase, approvedBy: by } : cancel(`${by} said no.`);
    } catch (thrown) {
      if (thrown instanceof WaitTimedOut) return cancel('Nobody decided within a week.');
      throw thrown;
    }
  },
});

const order = defineStage({
  name: 'order',
  output: approved.extend({ order: z.string() }),
  run: async (ctx, purchase: z.infer<typeof approved>) => {
    const key = `${ctx.objectPrefix}/order.json`;
    await ctx.objects.putOnce(key, JSON.stringify({ ...purchase, reference: ctx.ref.id }));
    return { ...purchase, order: key };
  },
});

export const purchase = definePipeline('purchase', { input, version: '1' }).stage(price).stage(approve).stage(order);
