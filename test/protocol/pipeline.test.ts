import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Fault } from '../../lib/core/fault.ts';
import { minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/cancel.ts';
import { continueFrom, snooze, TerminalError } from '../../lib/job/outcome.ts';
import { sweep } from '../../lib/job/reaper.ts';
import { pipeline } from '../../lib/pipeline/definition.ts';
import { defineStage, type StageContext } from '../../lib/pipeline/stage.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import type { JobStore } from '../../lib/job/ports.ts';
import { createGate, createPipelineWorld } from '../support/pipeline-world.ts';

type Hook = (ctx: StageContext) => Promise<unknown>;

/** Three stages, the first two in one step: each counts its runs, then does what the test says, and adds its letter. */
function lettersPipeline(hooks: { [Name in 'a' | 'b' | 'c']?: Hook } = {}) {
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

const once = (first: Hook): Hook => {
  let calls = 0;
  return async (ctx) => (calls++ === 0 ? first(ctx) : undefined);
};

/** What a killed invocation looks like to the row: begun, and nothing after. */
const killed = new Promise<never>(() => undefined);

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
    const prefix = `acme/main/jobs/${id}/${bell.epoch}`;
    expect(world.objects.keys()).toEqual([`${prefix}/a.json`, `${prefix}/b.json`]);
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
    expect(world.objects.keys()).toContain(`acme/main/jobs/${id}/${old.epoch}/a.json`);
    expect(await world.execute(next)).toBeUndefined();
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded', result: { inline: '">freshbc"' } });
    expect(row.stageOutput).toContain(`/${next.epoch}/`);
    expect(Buffer.from((await world.objects.get(row.stageOutput ?? '')) ?? []).toString()).not.toContain(
      `/${old.epoch}/`,
    );
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

/** The store of a claimant that cannot renew. */
function withoutHeartbeats(store: JobStore): JobStore['write'] {
  return (ref, rule, params) => (rule === 'heartbeat' ? new Promise(() => undefined) : store.write(ref, rule, params));
}
