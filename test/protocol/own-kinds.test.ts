// Kinds of one's own under the faults of the simulation, as docs/simulation.md shows it.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { brokenRuns } from '../../examples/simulated.ts';
import { seconds } from '../../lib/core/time.ts';
import { thenSubmit } from '../../lib/job/waits/owed.ts';
import { defineJob, definePipeline } from '../../lib/pipeline/own-kinds.ts';
import { defineStage } from '../../lib/pipeline/stage.ts';
import { simulateKinds } from '../../lib/testing/testing.ts';

const input = z.strictObject({});
const orders = [{ kind: 'own', input: {} }] as const;

describe('a kind of one’s own', () => {
  it('that is safe to run twice breaks no law', async () => {
    expect(await brokenRuns(40)).toEqual([]);
  });

  it('is shown in the guide as it is', async () => {
    expect(await readFile('docs/simulation.md', 'utf8')).toContain(await readFile('examples/simulated.ts', 'utf8'));
  });

  it('may wait for children, keep steps, and be followed by another job', async () => {
    const own = defineJob({
      kind: 'own',
      input,
      run: async (ctx) => {
        const step = await ctx.step('drawn', () => ctx.epoch);
        await ctx.submit('child', {});
        const [child] = await ctx.waitForChildren();
        return thenSubmit({ step, child: child?.status }, { kind: 'child', input: {} });
      },
    });
    const child = defineJob({ kind: 'child', input, run: (ctx) => ctx.clock.sleep(seconds(5), ctx.signal) });
    const { broken, rules } = await simulateKinds([own, child], { orders, count: 40 });
    expect(broken).toEqual([]);
    expect(rules['park']).toBeGreaterThan(0);
    expect(rules['pay']).toBeGreaterThan(0);
  });

  it('that is a pipeline goes through its stages', async () => {
    const state = z.object({ epoch: z.number() });
    const stage = (name: string) =>
      defineStage({ name, output: state, run: async (ctx) => ({ epoch: Number(ctx.epoch) }) });
    const own = definePipeline('own', { input, version: '1' }).stage(stage('first')).stage(stage('second'));
    const { broken, rules } = await simulateKinds([own], { orders, count: 40 });
    expect(broken).toEqual([]);
    expect(rules['begin']).toBeGreaterThan(0);
  });

  it('that does its work once a run, not once a job, is caught by a law of its own', async () => {
    const done = new Map<string, number>();
    const own = defineJob({
      kind: 'own',
      input,
      run: async (ctx) => {
        done.set(ctx.ref.id, (done.get(ctx.ref.id) ?? 0) + 1);
        await ctx.clock.sleep(seconds(30), ctx.signal);
        ctx.signal.throwIfAborted();
      },
    });
    const check = (jobs: readonly { readonly id: unknown }[]) =>
      jobs.some(({ id }) => (done.get(String(id)) ?? 0) > 1) ? 'a job did its work twice' : undefined;
    const { broken } = await simulateKinds([own], { orders, count: 300, check });
    expect(broken[0]?.law).toBe('a job did its work twice');
  });
});
