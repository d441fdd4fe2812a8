// Kinds whose handlers misbehave in ways that only a real process shows: it is ended, blocked, or filled up. Each takes `first`: whether
// only the first run does it, told by the epoch, since a run whose process dies leaves nothing behind.
import { spawnSync } from 'node:child_process';
import * as z from 'zod';
import { seconds } from '../../lib/core/time.ts';
import { defineJob, type OwnKind } from '../../lib/pipeline/own-kinds.ts';
import type { JobContext } from '../../lib/job/registry.ts';

const inputSchema = z.strictObject({ seconds: z.number().optional() });
const first = ({ epoch, ref, attempt }: JobContext, of: Map<string, number>): boolean => {
  const seen = of.get(ref.id) ?? epoch;
  of.set(ref.id, seen);
  return seen === epoch && attempt === 1;
};

const bad = (name: string, misbehave: (ctx: JobContext, input: z.infer<typeof inputSchema>) => unknown): OwnKind => {
  const seen = new Map<string, number>();
  return defineJob({
    kind: `bad.${name}`,
    input: inputSchema,
    attempts: 2,
    crashes: 1,
    run: async (ctx, given) => (first(ctx, seen) ? misbehave(ctx, given) : 'well behaved'),
  });
};

const late = (ctx: JobContext) => ctx.clock.sleep(seconds(30), ctx.signal);

export const badKinds: readonly OwnKind[] = [
  bad('exits', () => process.exit(3)),
  bad('rejects-behind', async (ctx) => {
    void Promise.reject(new Error('nobody awaits this'));
    await late(ctx);
  }),
  bad('throws-behind', async (ctx) => {
    setTimeout(() => {
      throw new Error('from a timer');
    }, 10);
    await late(ctx);
  }),
  // Nothing of this process runs meanwhile, timers and pings included.
  bad('blocks', (_ctx, { seconds: long = 0 }) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, long * 1000);
    return 'unblocked';
  }),
  bad('breaks-the-date', async (ctx) => {
    const whole = globalThis.Date;
    globalThis.Date = class extends whole {
      static override now = () => 0;
    } as DateConstructor;
    await ctx.clock.sleep(seconds(2));
    globalThis.Date = whole;
    return 'restored';
  }),
  bad('aborts', () => process.abort()),
  bad('is-killed', () => spawnSync('kill', ['-9', String(process.pid)])),
  bad('leaks', () => {
    const held: unknown[] = [];
    for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  }),
];
