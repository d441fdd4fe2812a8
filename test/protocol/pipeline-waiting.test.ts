// Stages that wait, and runs that an operator holds: what is committed is never run again.
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import type { JobStore } from '../../lib/job/ports.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { createRegistry } from '../../lib/job/registry.ts';
import { refOf } from '../../lib/job/row.ts';
import { sendSignal } from '../../lib/job/waits/signal.ts';
import { holdRun, resumeRun, stepRun } from '../../lib/pipeline/hold.ts';
import { type Hook, killed, lettersPipeline, once } from '../support/letters.ts';
import { createGate, createPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

const waits: { readonly b: Hook } = { b: (ctx) => ctx.waitFor('go') };

describe('a stage that waits', () => {
  it('ends its execution, and the next one skips what is committed', async () => {
    const { definition, runs } = lettersPipeline(waits);
    using world = createPipelineWorld([definition]);
    const row = await world.submit('>');
    const first = await world.claim();
    expect(await world.execute(first)).toContain('settled');
    expect(await world.row(row.id)).toMatchObject({
      status: 'parked',
      parked: 'signal:go',
      stage: 'a',
      attempts: 0,
      crashes: 0,
    });
    await sendSignal(world.engine, refOf(row), 'go', '!');
    const next = await world.claim();
    expect(next.epoch).toBeGreaterThan(first.epoch);
    expect(await world.execute(next)).toBeUndefined();
    expect(runs).toEqual({ a: 1, b: 2, c: 1 });
    expect(await world.row(row.id)).toMatchObject({ status: 'succeeded', result: { inline: '"!c"' } });
  });

  it('is queued again at once where the signal comes while it parks', async () => {
    const { definition } = lettersPipeline(waits);
    using world = createPipelineWorld([definition], {
      wrap: (store) => ({
        ...store,
        transact: async (writes, token) => {
          if (writes.some((write) => 'job' in write && write.rule === 'park'))
            await sendSignal(world.engine, refOf(await world.row(id)), 'go', '!');
          return store.transact(writes, token);
        },
      }),
    });
    const { id } = await world.submit('>');
    await world.execute(await world.claim());
    expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0 });
    expect(await world.execute(await world.claim())).toBeUndefined();
    expect(await world.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('keeps its steps apart from those of the other stages', async () => {
    const { definition } = lettersPipeline({
      a: (ctx) => ctx.step('same', () => 'x'),
      b: (ctx) => ctx.step('same', () => 'y'),
    });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    await world.execute(await world.claim());
    expect(await world.row(id)).toMatchObject({ result: { inline: '"yc"' } });
  });
});

const held = async (world: PipelineWorld, before?: string) => {
  const row = await world.submit('>');
  await holdRun(world.engine, refOf(row), before);
  return row;
};

describe('a run that is held', () => {
  it('parks before the stage that is named, and goes on when it is resumed', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const row = await held(world, 'c');
    expect(await world.execute(await world.claim())).toContain('settled');
    expect(await world.row(row.id)).toMatchObject({ status: 'parked', parked: 'stage', stage: 'b', hold: 'c' });
    expect(runs).toEqual({ a: 1, b: 1, c: 0 });
    expect((await resumeRun(world.engine, refOf(row))).status).toBe('queued');
    expect(await world.execute(await world.claim())).toBeUndefined();
    expect(runs).toEqual({ a: 1, b: 1, c: 1 });
    expect((await world.row(row.id)).hold).toBeUndefined();
  });

  it('runs a stage at a time when it is stepped', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const row = await held(world);
    await world.execute(await world.claim());
    expect(runs).toEqual({ a: 0, b: 0, c: 0 });
    for (const [stage, hold] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      await stepRun(world.engine, refOf(row));
      await world.execute(await world.claim());
      expect(await world.row(row.id)).toMatchObject({ status: 'parked', parked: 'stage', stage, hold });
    }
    await stepRun(world.engine, refOf(row));
    expect(await world.execute(await world.claim())).toBeUndefined();
    expect(runs).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('while a stage runs, finishes and commits that stage first', async () => {
    const gate = createGate();
    const { definition, runs } = lettersPipeline({ a: () => gate.passed });
    using world = createPipelineWorld([definition]);
    const row = await world.submit('>');
    const running = world.execute(await world.claim());
    await world.clock.advance(seconds(1));
    await holdRun(world.engine, refOf(row));
    gate.open();
    expect(await running).toContain('settled');
    expect(await world.row(row.id)).toMatchObject({ status: 'parked', parked: 'stage', stage: 'a' });
    expect(runs).toEqual({ a: 1, b: 0, c: 0 });
  });

  it('and resumed while it parks is queued again at once', async () => {
    const { definition } = lettersPipeline();
    using world = createPipelineWorld([definition], {
      wrap: (store) => ({
        ...store,
        write: async (ref, rule, params) => {
          if (rule === 'park') await resumeRun(world.engine, ref);
          return store.write(ref, rule, params);
        },
      }),
    });
    const row = await held(world, 'b');
    await world.execute(await world.claim());
    expect(await world.row(row.id)).toMatchObject({ status: 'queued', rule: 'unpark' });
  });

  it('whose resume died half way goes on with the sweep', async () => {
    const { definition } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const row = await held(world, 'b');
    await world.execute(await world.claim());
    const store: JobStore = {
      ...world.store,
      write: (ref, rule, params) => (rule === 'unpark' ? killed : world.store.write(ref, rule, params)),
    };
    const dying = { ...world.engine, store };
    void resumeRun(dying, refOf(row));
    await world.clock.advance(minutes(1));
    expect((await sweep(world.engine)).steps).toEqual({ unpark: 1 });
    expect(await world.row(row.id)).toMatchObject({ status: 'queued' });
  });

  it('stays over every sweep, and can be cancelled', async () => {
    using world = createPipelineWorld([lettersPipeline().definition]);
    const row = await held(world);
    await world.execute(await world.claim());
    for (let sweeps = 0; sweeps < 5; sweeps++) {
      await world.clock.advance(minutes(11));
      expect((await sweep(world.engine)).steps).toEqual({ 're-arm': 1 });
    }
    expect((await cancelJob(world.engine, refOf(row), 'no')).status).toBe('cancelled');
  });

  it('is refused where there is no such stage, it is committed, the job has ended, or is no pipeline', async () => {
    const { definition } = lettersPipeline({ b: once(() => killed) });
    using world = createPipelineWorld([definition]);
    const row = await world.submit('>');
    const engine = world.engine;
    await expect(holdRun(engine, refOf(row), 'z')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(stepRun(engine, refOf(row))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(holdRun({ ...engine, registry: createRegistry([]) }, refOf(row))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    await expect(holdRun(engine, refOf(row), 'a')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await world.settle(bell, 'killed');
    await world.execute(await world.claim());
    await expect(holdRun(engine, refOf(row))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
