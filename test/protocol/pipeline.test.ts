import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { minutes, seconds } from '../../lib/core/time.ts';
import { TerminalError } from '../../lib/job/run/outcome.ts';
import { pipeline } from '../../lib/pipeline/definition.ts';
import { defineStage } from '../../lib/pipeline/stage.ts';
import { type Hook, killed, lettersPipeline, once, withoutHeartbeats } from '../support/letters.ts';
import { createGate, createPipelineWorld } from '../support/pipeline-world.ts';

describe('a run of a pipeline', () => {
  it('hands each output to the next stage, commits each stage, and keeps the last output as the result', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const { id, createdAt } = await world.submit('>');
    const bell = await world.claim();
    expect(await world.execute(bell)).toBeUndefined();
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded', stage: 'c', result: { inline: '">abc"' }, pipelineVersion: '1' });
    expect(row.epoch).toBe(createdAt + 1);
    expect(runs).toEqual({ a: 1, b: 1, c: 1 });
    const kept = await Promise.all(['a', 'b', 'c'].map((name) => world.output(id, bell, name)));
    expect(kept.map((output) => output !== undefined)).toEqual([true, true, false]);
  });

  it('keeps an output that is too large for an item as an object of the run', async () => {
    const text = 'x'.repeat(65_536);
    const first = defineStage({ name: 'first', output: z.string(), run: async (_ctx, _input: unknown) => text });
    const second = defineStage({ name: 'second', output: z.int(), run: async (_ctx, all: string) => all.length });
    using world = createPipelineWorld([
      pipeline('large', { input: z.unknown(), version: '1' }).stage(first).stage(second),
    ]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    expect(await world.execute(bell)).toBeUndefined();
    expect(await world.row(id)).toMatchObject({ status: 'succeeded', result: { inline: '65536' } });
    expect(world.objects.keys()).toEqual([`acme/main/jobs/${id}/${bell.epoch}/first.json`]);
  });

  it('makes an event of every committed stage', async () => {
    using world = createPipelineWorld([lettersPipeline().definition]);
    await world.submit('>');
    await world.execute(await world.claim());
    const rows = (await world.store.changes(0, 100)).map(({ after }) => after as { rule: string; stage?: string });
    expect(rows.filter(({ rule }) => rule === 'checkpoint' || rule === 'succeed').map(({ stage }) => stage)).toEqual([
      undefined,
      'a',
      'b',
      'c',
    ]);
  });

  it('skips a step that is committed without a write', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.step(bell, 'a+b');
    const before = await world.row(id);
    expect(before).toMatchObject({ heldBy: 'execution', stage: 'b' });
    expect(await world.step(bell, 'a+b')).toBeUndefined();
    expect(await world.row(id)).toEqual(before);
    expect(runs).toEqual({ a: 1, b: 1, c: 0 });
  });

  it('lets a stage read what any earlier stage returned, also after a resume', async () => {
    const first = defineStage({ name: 'first', output: z.number(), run: async (_ctx, _input: string) => 20 });
    const second = defineStage({ name: 'second', output: z.string(), run: async (_ctx, _n: number) => 'x' });
    const sum = defineStage({
      name: 'sum',
      output: z.string(),
      run: async (ctx, text: string) => `${text}${1 + (await ctx.outputOf(first))}${await ctx.outputOf(second)}`,
    });
    const definition = pipeline('sums', { input: z.string(), version: '1' }).stage(first).stage(second).stage(sum);
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    await world.execute(await world.claim());
    expect(await world.row(id)).toMatchObject({ status: 'succeeded', result: { inline: '"x21x"' } });
  });
});

describe('a second begin', () => {
  it('under a live lease runs nothing, and its settle leaves the first alone', async () => {
    const gate = createGate();
    const { definition, runs } = lettersPipeline({ a: () => gate.passed });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    const first = world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    const cause = await world.step(bell, 'a+b');
    expect(cause).toContain('duplicate_begin');
    const before = await world.row(id);
    expect(await world.settle(bell, JSON.stringify({ errorMessage: cause }))).toMatchObject({ kind: 'left alone' });
    expect(await world.row(id)).toEqual(before);
    gate.open();
    expect(await first).toBeUndefined();
    expect(runs).toMatchObject({ a: 1, b: 1 });
  });

  it('of an execution of the past runs nothing and writes nothing', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const old = await world.claim();
    await world.settle(old, 'throttled');
    expect(await world.step(old, 'a+b')).toContain('stale_execution');
    await world.clock.advance(minutes(1));
    await world.claim();
    const before = await world.row(id);
    expect(await world.step(old, 'a+b')).toContain('stale_execution');
    expect(await world.row(id)).toEqual(before);
    expect(runs).toEqual({ a: 0, b: 0, c: 0 });
  });

  it('of two that race, exactly one runs', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    await world.submit('>');
    const bell = await world.claim();
    const causes = await Promise.all([world.step(bell, 'a+b'), world.step(bell, 'a+b')]);
    expect(runs).toMatchObject({ a: 1, b: 1 });
    expect(causes.filter((cause) => cause !== undefined)).toHaveLength(1);
  });

  it('after the lease lapsed lets the settle take the job away at once', async () => {
    const { definition } = lettersPipeline({ a: once(() => killed) });
    using world = createPipelineWorld([definition], {
      wrap: (store) => ({ ...store, write: withoutHeartbeats(store) }),
    });
    const { id } = await world.submit('>');
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(50));
    const cause = await world.step(bell, 'a+b');
    expect(cause).toContain('lease_lapsed');
    await world.settle(bell, cause);
    expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'crash' });
  });
});

describe('a zombie', () => {
  it('has its late checkpoint refused, and what it wrote is never referenced', async () => {
    const gate = createGate();
    let zombie = true;
    const hook: Hook = async () => {
      if (!zombie) return '>fresh';
      zombie = false;
      await gate.passed;
      return '>stale';
    };
    const { definition } = lettersPipeline({ a: hook });
    using world = createPipelineWorld([definition], {
      wrap: (store) => ({ ...store, write: withoutHeartbeats(store) }),
    });
    const { id } = await world.submit('>');
    const old = await world.claim();
    const late = world.step(old, 'a+b');
    await world.clock.advance(seconds(1));
    await world.settle(old, 'the platform says that it is gone');
    const next = await world.claim();
    gate.open();
    expect(await late).toContain('lease_lost');
    expect(await world.output(id, old, 'a')).toBeDefined();
    expect(await world.execute(next)).toBeUndefined();
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded', result: { inline: '">freshbc"' } });
    expect(row.stageOutput).toContain(`-${next.epoch}-`);
    expect(await world.output(id, next, 'b')).not.toContain(`-${old.epoch}-`);
  });

  it('settles nothing once its lease was taken', async () => {
    const gate = createGate();
    const { definition } = lettersPipeline({
      a: once(() => gate.passed.then(() => Promise.reject(new TerminalError('no')))),
    });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const old = await world.claim();
    const late = world.step(old, 'a+b');
    await world.clock.advance(seconds(1));
    await world.settle(old, 'gone');
    const next = await world.claim();
    gate.open();
    expect(await late).toContain('lease_lost');
    expect(await world.row(id)).toMatchObject({ status: 'running', epoch: next.epoch });
  });
});
