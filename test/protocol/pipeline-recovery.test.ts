import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { type Hook, killed, lettersPipeline, once } from '../support/letters.ts';
import { createPipelineWorld } from '../support/pipeline-world.ts';

describe('a crash', () => {
  it('in the middle of a stage is settled by the catch, and the next run resumes at the first uncommitted stage', async () => {
    const { definition, runs } = lettersPipeline({ b: once(() => killed) });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    expect(await world.row(id)).toMatchObject({ status: 'running', heldBy: 'worker', stage: 'a' });
    await world.settle(bell, '{"errorType":"Runtime.ExitError"}');
    expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'crash', crashes: 1, attempts: 0 });
    const next = await world.claim();
    expect(next.epoch).toBeGreaterThan(bell.epoch);
    expect(await world.execute(next)).toBeUndefined();
    expect(runs).toEqual({ a: 1, b: 2, c: 1 });
    expect(await world.row(id)).toMatchObject({ status: 'succeeded', result: { inline: '">abc"' } });
  });

  it.each([
    ['{"errorMessage":"Task timed out after 900.00 seconds"}', 'TIMED_OUT'],
    ['{"errorType":"Runtime.OutOfMemory"}', 'OUT_OF_MEMORY'],
    ['RequestId: 1 Error: Runtime exited with error: signal: killed', 'OUT_OF_MEMORY'],
    ['RequestId: 1 Error: Runtime exited with error: signal: aborted (core dumped)', 'OUT_OF_MEMORY'],
    ['RequestId: 1 Error: Runtime exited with error: exit status 1', 'CRASHED'],
  ])('of which the platform says %s is told in the row', async (cause, code) => {
    using world = createPipelineWorld([lettersPipeline({ a: () => killed }).definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    await world.settle(bell, cause);
    const error = { code, detail: expect.stringContaining(cause) as string };
    expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'crash', crashes: 1, error });
  });

  it('that takes the last life buries the job with what the platform said', async () => {
    using world = createPipelineWorld([lettersPipeline({ a: () => killed }).definition]);
    const { id } = await world.submit('>');
    for (let crash = 1; crash <= 3; crash++) {
      const bell = await world.claim();
      void world.step(bell, 'a+b');
      await world.clock.advance(seconds(1));
      await world.settle(bell, '{"errorMessage":"Task timed out after 900.00 seconds"}');
    }
    expect(await world.row(id)).toMatchObject({ status: 'dead', crashes: 3, error: { code: 'TIMED_OUT' } });
  });

  it('of a stage whose cancel was asked ends it as cancelled', async () => {
    using world = createPipelineWorld([lettersPipeline({ a: () => killed }).definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    await cancelJob(world.engine, bell.ref, 'not wanted');
    await world.settle(bell, 'killed');
    expect(await world.row(id)).toMatchObject({ status: 'cancelled', error: { detail: 'not wanted' } });
  });

  it('after a checkpoint inside a stage goes on at its cursor', async () => {
    const seen: unknown[] = [];
    const hook: Hook = async (ctx) => {
      seen.push(ctx.cursor);
      if (ctx.cursor !== undefined) return undefined;
      await ctx.checkpoint({ row: 70 });
      return killed;
    };
    const { definition } = lettersPipeline({ b: hook });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    void world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    await world.settle(bell, 'killed');
    await world.execute(await world.claim());
    expect(seen).toEqual([undefined, { row: 70 }]);
    expect(await world.row(id)).toMatchObject({ status: 'succeeded' });
    expect((await world.row(id)).cursor).toBeUndefined();
  });
});

describe('the settle of an execution', () => {
  it('snoozes a job that no stage ever began, at no cost', async () => {
    using world = createPipelineWorld([lettersPipeline().definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.settle(bell, 'Lambda.TooManyRequestsException');
    expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0, crashes: 0 });
    expect(world.bells).toHaveLength(2);
  });

  it('writes nothing for a job that is finished, queued again, or of another epoch', async () => {
    using world = createPipelineWorld([lettersPipeline().definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.settle(bell, 'throttled');
    const queued = await world.row(id);
    expect(await world.settle(bell, 'late')).toMatchObject({ kind: 'left alone' });
    expect(await world.row(id)).toEqual(queued);
    await world.clock.advance(minutes(1));
    const next = await world.claim();
    const running = await world.row(id);
    expect(await world.settle(bell, 'later')).toMatchObject({ kind: 'left alone' });
    expect(await world.row(id)).toEqual(running);
    await world.execute(next);
    const finished = await world.row(id);
    expect(await world.settle(next, 'much later')).toMatchObject({ kind: 'left alone' });
    expect(await world.row(id)).toEqual(finished);
  });
});

describe('a hand-off that lapsed', () => {
  it('is left to an execution that still runs, at no cost', async () => {
    using world = createPipelineWorld([lettersPipeline().definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.clock.advance(minutes(6));
    world.probeAnswer = 'running';
    expect((await sweep(world.engine)).steps).toEqual({ watch: undefined, 're-arm-execution': 1 });
    expect(await world.row(id)).toMatchObject({ status: 'running', heldBy: 'execution', crashes: 0 });
    expect(await world.execute(bell)).toBeUndefined();
    expect(await world.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('is reaped when the execution is gone, and the next one goes on', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    await world.step(await world.claim(), 'a+b');
    await world.clock.advance(minutes(6));
    expect((await sweep(world.engine)).steps).toMatchObject({ 'reap-execution': 1 });
    expect(await world.row(id)).toMatchObject({ status: 'queued', crashes: 1, stage: 'b' });
    expect(await world.execute(await world.claim())).toBeUndefined();
    expect(runs).toEqual({ a: 1, b: 1, c: 1 });
  });
});
