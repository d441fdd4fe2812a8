// A small pipeline of letters for protocol tests, and the ways in which an invocation of it can go wrong.
import * as z from 'zod';
import type { JobStore } from '../../lib/job/ports.ts';
import { pipeline } from '../../lib/pipeline/definition.ts';
import { defineStage, type StageContext } from '../../lib/pipeline/stage.ts';

export type Hook = (ctx: StageContext) => Promise<unknown>;

/** Three stages, the first two in one step: each counts its runs, then does what the test says, and adds its letter. */
export function lettersPipeline(hooks: { [Name in 'a' | 'b' | 'c']?: Hook } = {}) {
  const runs = { a: 0, b: 0, c: 0 };
  const letter = (name: 'a' | 'b' | 'c') =>
    defineStage({
      name,
      output: z.string(),
      run: async (ctx, before: string) => {
        runs[name]++;
        return ((await hooks[name]?.(ctx)) ?? `${before}${name}`) as string;
      },
    });
  const definition = pipeline('letters', { input: z.string(), version: '1' })
    .stage(letter('a'))
    .stage(letter('b'), { sharesStep: true })
    .stage(letter('c'));
  return { definition, runs };
}

export const once = (first: Hook): Hook => {
  let calls = 0;
  return async (ctx) => (calls++ === 0 ? first(ctx) : undefined);
};

/** What a killed invocation looks like to the row: begun, and nothing after. */
export const killed = new Promise<never>(() => undefined);

/** The store of a claimant that cannot renew. */
export function withoutHeartbeats(store: JobStore): JobStore['write'] {
  return (ref, rule, params) => (rule === 'heartbeat' ? new Promise(() => undefined) : store.write(ref, rule, params));
}
