// Kinds that every deployment has: an operator sees with them whether work is taken, retried, cancelled and revived, and benchmarks
// measure the bare protocol with `diagnostic.echo`.
import * as z from 'zod';
import { seconds } from '../core/time.ts';
import { RetryableError, TerminalError } from './run/outcome.ts';
import { defineJob } from './registry.ts';

/** Answers its input. */
const echo = defineJob({
  kind: 'diagnostic.echo',
  input: z.unknown(),
  run: (_ctx, input) => Promise.resolve(input),
});

/** Sleeps for a number of seconds, a step of at most a second at a time, and says how far it is; stops when it is aborted. */
const sleep = defineJob({
  kind: 'diagnostic.sleep',
  input: z.lazy(() => z.strictObject({ seconds: z.number().min(0).max(600) })),
  run: async (ctx, input) => {
    for (let slept = 0; slept < input.seconds; slept++) {
      ctx.signal.throwIfAborted();
      ctx.progress(slept, Math.ceil(input.seconds), 'sleeping');
      await ctx.clock.sleep(seconds(Math.min(1, input.seconds - slept)), ctx.signal);
    }
    ctx.signal.throwIfAborted();
    return { slept: input.seconds, attempt: ctx.attempt };
  },
});

/** Fails `times` attempts, then succeeds; `terminal` fails for good at once. */
const fail = defineJob({
  kind: 'diagnostic.fail',
  input: z.lazy(() =>
    z.strictObject({
      times: z.int().min(1).max(100).default(1),
      terminal: z.boolean().default(false),
      retryAfterSeconds: z.number().min(0).max(3600).optional(),
    }),
  ),
  run: (ctx, input) => {
    if (input.terminal) throw new TerminalError('asked to fail for good');
    if (ctx.attempt > input.times) return Promise.resolve({ attempt: ctx.attempt });
    const message = `asked to fail attempt ${ctx.attempt}`;
    if (input.retryAfterSeconds === undefined) throw new Error(message);
    throw new RetryableError({ message, retryAfter: seconds(input.retryAfterSeconds) });
  },
});

/** Submits so many children that echo, and answers what came of them; parks meanwhile. */
const fanOut = defineJob({
  kind: 'diagnostic.fan-out',
  input: z.lazy(() => z.strictObject({ children: z.int().min(1).max(100) })),
  run: async (ctx, { children }) => {
    for (let number = 1; number <= children; number++) await ctx.submit('diagnostic.echo', { number });
    const ends = await ctx.waitForChildren();
    return ends.map(({ id, status, result }) => ({ id, status, result }));
  },
});

export const diagnosticKinds = [echo, sleep, fail, fanOut];
