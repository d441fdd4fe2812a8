// A kind under the faults of the simulation: processes die, messages are lost or doubled, answers never come. What it does to the outside
// has to survive being run twice, and the simulation shows whether it does.
import { defineJob, seconds } from 'millrace';
import { simulateKinds } from 'millrace/testing';
import * as z from 'zod';

/** Stands for a service that knows an idempotency key, as those of payments do. */
const charged = new Map<string, number>();

export const charge = defineJob({
  kind: 'charge',
  input: z.strictObject({ cents: z.int() }),
  run: async (ctx, { cents }) => {
    await ctx.clock.sleep(seconds(ctx.attempt === 1 ? 20 : 1), ctx.signal);
    ctx.signal.throwIfAborted();
    // The job's id is the same in every run of it, so a second run charges nothing.
    charged.set(ctx.ref.id, cents);
    return { cents };
  },
});

/** The runs that broke a law, of this file or of the protocol. */
export async function brokenRuns(seeds: number) {
  const { broken } = await simulateKinds([charge], {
    orders: [{ kind: 'charge', input: { cents: 500 } }],
    count: seeds,
    check: (jobs) => {
      const unpaid = jobs.filter((job) => job.status === 'succeeded' && charged.get(job.id) !== 500);
      return unpaid.length === 0 ? undefined : 'a job succeeded that charged nothing';
    },
  });
  return broken;
}
