import { describe, expect, it } from 'vitest';
import { Fault } from '../../lib/core/fault.ts';
import { minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import { returnThrown } from '../../lib/job/run/contain.ts';
import { continueFrom, snooze } from '../../lib/job/run/outcome.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import { type Hook, lettersPipeline, once } from '../support/letters.ts';
import { createPipelineWorld } from '../support/pipeline-world.ts';

describe('a cancel', () => {
  it('between two stages is heard by the next one before it runs', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.step(bell, 'a+b');
    await cancelJob(world.engine, bell.ref, 'changed my mind');
    expect(await world.step(bell, 'c')).toContain('settled');
    expect(await world.row(id)).toMatchObject({ status: 'cancelled', error: { detail: 'changed my mind' } });
    expect(runs.c).toBe(0);
  });

  it('during a stage of a shared step stops the stage that follows', async () => {
    const { definition, runs } = lettersPipeline({
      a: async (ctx) => {
        await cancelJob(world.engine, ctx.ref, 'enough');
      },
    });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    expect(await world.execute(await world.claim())).toContain('settled');
    expect(await world.row(id)).toMatchObject({ status: 'cancelled', error: { detail: 'enough' } });
    expect(runs).toEqual({ a: 1, b: 0, c: 0 });
  });

  it('reaches a running stage as an abort on the next beat', async () => {
    const hook: Hook = (ctx) =>
      new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)));
    using world = createPipelineWorld([lettersPipeline({ a: hook }).definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    const running = world.step(bell, 'a+b');
    await world.clock.advance(seconds(1));
    await cancelJob(world.engine, bell.ref, 'stop');
    await world.clock.advance(seconds(16));
    expect(await running).toContain('settled');
    expect(await world.row(id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('what a stage comes to', () => {
  const outcomes: readonly [string, Hook, object][] = [
    [
      'a throw is a failed attempt',
      () => Promise.reject(new Error('boom')),
      { status: 'queued', attempts: 1, error: { code: 'HANDLER_FAILED', stage: 'a' } },
    ],
    [
      'a fault keeps its code and fails the job',
      () => Promise.reject(new Fault('EMPTY_FILE', 'nothing')),
      { status: 'failed', error: { code: 'EMPTY_FILE', stage: 'a' } },
    ],
    ['a snooze costs nothing', async () => snooze(seconds(9)), { status: 'queued', attempts: 0, rule: 'snooze' }],
    ['continue keeps its cursor', async () => continueFrom({ at: 3 }), { status: 'queued', cursor: '{"at":3}' }],
    [
      'an output that its schema refuses fails the job',
      async () => 42,
      { status: 'failed', error: { code: 'OUTPUT_INVALID' } },
    ],
  ];
  it.each(outcomes)('%s, and the stages after it do not run', async (_name, hook, expected) => {
    const { definition, runs } = lettersPipeline({ a: hook });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    expect(await world.execute(await world.claim())).toContain('settled');
    expect(await world.row(id)).toMatchObject(expected);
    expect(runs).toEqual({ a: 1, b: 0, c: 0 });
  });

  it('the third failed attempt is the last', async () => {
    const { definition, runs } = lettersPipeline({ b: () => Promise.reject(new Error('boom')) });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await world.execute(await world.claim());
      await world.clock.advance(minutes(6));
    }
    expect(await world.row(id)).toMatchObject({ status: 'dead', attempts: 3, error: { stage: 'b' } });
    expect(runs).toEqual({ a: 1, b: 3, c: 0 });
  });

  it('a stage that the deployed definition lacks fails the job and says so', async () => {
    const { definition } = lettersPipeline();
    const [first, ...others] = definition.stages;
    const renamed = { ...definition, stages: others, steps: definition.steps.slice(1) };
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.step(bell, 'a+b');
    await expect(runStep(world.engine, { ...renamed, stages: others.slice(1) }, { bell, step: 'c' })).rejects.toThrow(
      /settled/,
    );
    expect(await world.row(id)).toMatchObject({ status: 'failed', error: { code: 'STAGE_UNKNOWN' } });
    expect(first?.name).toBe('a');
  });

  it('running out of time is a failed attempt that says so', async () => {
    const stop = new AbortController();
    const hook: Hook = async (ctx) => {
      stop.abort();
      ctx.signal.throwIfAborted();
    };
    const { definition } = lettersPipeline({ a: hook });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await expect(runStep(world.engine, definition, { bell, step: 'a+b', signal: stop.signal })).rejects.toThrow(
      /settled/,
    );
    expect(await world.row(id)).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } });
  });

  it('running out of time costs nothing once a stage or a cursor of it was committed', async () => {
    for (const commit of [undefined, 7]) {
      const stop = new AbortController();
      const late: Hook = async (ctx) => {
        if (ctx.cursor !== undefined) return undefined;
        if (commit !== undefined) await ctx.checkpoint(commit);
        stop.abort();
        throw ctx.signal.reason;
      };
      // Committed: the stage before it of the same step, or a cursor inside the first one.
      const { definition, runs } = lettersPipeline(commit === undefined ? { b: once(late) } : { a: late });
      using world = createPipelineWorld([{ ...definition, attempts: 1 }]);
      const { id } = await world.submit('>');
      const bell = await world.claim();
      const call = { bell, step: 'a+b', signal: stop.signal };
      await expect(runStep(world.engine, definition, call)).rejects.toThrow(/settled/);
      expect(await world.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0 });
      expect(await world.execute(await world.claim())).toBeUndefined();
      expect(runs).toEqual(commit === undefined ? { a: 1, b: 2, c: 1 } : { a: 2, b: 1, c: 1 });
    }
  });

  it('that leaves an error behind in the background fails its attempt, whatever it returned', async () => {
    const { definition } = lettersPipeline({ a: once(async () => void returnThrown(new Error('left behind'))) });
    using world = createPipelineWorld([definition]);
    const { id } = await world.submit('>');
    expect(await world.step(await world.claim(), 'a+b')).toContain('settled');
    const error = { code: 'HANDLER_ESCAPED', stage: 'a', detail: expect.stringContaining('left behind') as string };
    expect(await world.row(id)).toMatchObject({ status: 'queued', attempts: 1, error });
  });
});

describe('a deadline', () => {
  it('is heard by the stage that runs, and by the next one before it runs', async () => {
    for (const waits of ['a', 'b'] as const) {
      const long: Hook = (ctx) => ctx.clock.sleep(minutes(20));
      const { definition, runs } = lettersPipeline({ [waits]: long });
      using world = createPipelineWorld([{ ...definition, deadline: minutes(10) }]);
      const { id } = await world.submit('>');
      const step = world.step(await world.claim(), 'a+b');
      await world.clock.advance(minutes(11));
      expect(await step).toContain('settled');
      const error = { code: 'DEADLINE_EXCEEDED', retriable: false, stage: waits };
      expect(await world.row(id)).toMatchObject({ status: 'failed', attempts: 0, error });
      expect(runs.b).toBe(waits === 'a' ? 0 : 1);
    }
  });

  it('that passes between two steps ends the run when the next one begins', async () => {
    const { definition, runs } = lettersPipeline();
    using world = createPipelineWorld([{ ...definition, deadline: minutes(2) }]);
    const { id } = await world.submit('>');
    const bell = await world.claim();
    await world.step(bell, 'a+b');
    await world.clock.advance(minutes(3));
    expect(await world.step(bell, 'c')).toContain('settled');
    expect(await world.row(id)).toMatchObject({ status: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(runs.c).toBe(0);
  });
});
