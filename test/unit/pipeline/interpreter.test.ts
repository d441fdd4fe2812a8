import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { seconds } from '../../../lib/core/time.ts';
import { pipeline } from '../../../lib/pipeline/definition.ts';
import { createInterpreter } from '../../../lib/pipeline/interpreter.ts';
import { defineStage, type StageContext } from '../../../lib/pipeline/stage.ts';
import { createGate, createPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

/** One stage that does what the test says with its input. */
const oneStage = (run: (ctx: StageContext, input: string) => Promise<string>) =>
  pipeline('one', { input: z.string(), version: '1' }).stage(defineStage({ name: 'only', output: z.string(), run }));

const interpreterOf = (world: PipelineWorld, definition: ReturnType<typeof oneStage>, concurrency = 2) =>
  createInterpreter({ pipelines: [definition], engine: () => world.engine, concurrency });

async function claims(world: PipelineWorld, inputs: readonly string[]) {
  const jobs = [];
  for (const input of inputs) jobs.push({ id: (await world.submit(input)).id, bell: await world.claim() });
  return jobs;
}

describe('the interpreter', () => {
  it('runs executions to their end, and a second start of one runs nothing', async () => {
    const runs: string[] = [];
    const definition = oneStage(async (_ctx, input) => {
      runs.push(input);
      return input;
    });
    using world = createPipelineWorld([definition]);
    const interpreter = interpreterOf(world, definition);
    const jobs = await claims(world, ['x', 'y']);
    for (const { bell } of [...jobs, ...jobs]) await interpreter.start(bell, 'one');
    await interpreter.idle();
    expect(runs.sort()).toEqual(['x', 'y']);
    for (const { id } of jobs) expect(await world.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('runs no more side by side than it may, and answers probes for those that wait too', async () => {
    const gate = createGate();
    let running = 0;
    let most = 0;
    const definition = oneStage(async (_ctx, input) => {
      most = Math.max(most, ++running);
      await gate.passed;
      running--;
      return input;
    });
    using world = createPipelineWorld([definition]);
    const interpreter = interpreterOf(world, definition, 2);
    const jobs = await claims(world, ['1', '2', '3', '4', '5']);
    for (const { bell } of jobs) await interpreter.start(bell, 'one');
    for (const { bell } of jobs) expect(await interpreter.probe(bell, 'one')).toBe('running');
    while (running < 2) await new Promise((resolve) => setImmediate(resolve));
    gate.open();
    await interpreter.idle();
    expect(most).toBe(2);
    for (const { id, bell } of jobs) {
      expect(await world.row(id)).toMatchObject({ status: 'succeeded' });
      expect(await interpreter.probe(bell, 'one')).toBe('gone');
    }
  });

  it('brings what a step throws to the settle, which reads the row', async () => {
    const definition = oneStage(() => Promise.reject(new Error('boom')));
    using world = createPipelineWorld([definition]);
    const interpreter = interpreterOf(world, definition);
    const [job] = await claims(world, ['x']);
    if (job === undefined) throw new Error('no job');
    await interpreter.start(job.bell, 'one');
    await interpreter.idle();
    expect(await world.row(job.id)).toMatchObject({ status: 'queued', rule: 'retry', attempts: 1 });
  });

  it('stops: what runs is queued again at no cost, what waits never begins, and nothing new is taken', async () => {
    const begun: string[] = [];
    const definition = oneStage(async (ctx, input) => {
      begun.push(input);
      await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('aborted'))));
      return input;
    });
    using world = createPipelineWorld([definition]);
    const interpreter = interpreterOf(world, definition, 1);
    const [first, second] = await claims(world, ['first', 'second']);
    if (first === undefined || second === undefined) throw new Error('no jobs');
    await interpreter.start(first.bell, 'one');
    await interpreter.start(second.bell, 'one');
    while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await interpreter.stop();
    expect(await world.row(first.id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0, crashes: 0 });
    expect(await world.row(second.id)).toMatchObject({ status: 'running', heldBy: 'execution' });
    expect(begun).toEqual(['first']);
    await expect(interpreter.start(second.bell, 'one')).rejects.toThrow(/stopping/);
  });

  it('leaves a stage behind that hears no abort', async () => {
    const definition = oneStage(() => new Promise(() => undefined));
    using world = createPipelineWorld([definition]);
    const interpreter = interpreterOf(world, definition, 1);
    const [job] = await claims(world, ['x']);
    if (job === undefined) throw new Error('no job');
    await interpreter.start(job.bell, 'one');
    while ((await world.row(job.id)).heldBy !== 'worker') await new Promise((resolve) => setImmediate(resolve));
    const stopped = interpreter.stop();
    await world.clock.advance(world.engine.settings.leaseMargin);
    await stopped;
    expect(await world.row(job.id)).toMatchObject({ status: 'queued', rule: 'snooze' });
  });

  it('has each stage named in the progress two seconds after it began, and what was said last', async () => {
    const seen: (string | undefined)[] = [];
    const slow = (name: string, says: (ctx: StageContext) => void) =>
      defineStage({
        name,
        output: z.string(),
        run: async (ctx, input: string) => {
          says(ctx);
          for (let second = 1; second <= 4; second++) {
            await world.clock.advance(seconds(1));
            const { progress } = await world.row(ctx.ref.id);
            seen.push(progress && `${progress.note} ${progress.done}`);
          }
          return input;
        },
      });
    const definition = pipeline('two', { input: z.string(), version: '1' })
      .stage(slow('first', () => undefined))
      .stage(
        slow('second', (ctx) => ctx.progress(3, 4)),
        { sharesStep: true },
      );
    using world = createPipelineWorld([definition]);
    await world.submit('x');
    await world.execute(await world.claim());
    const second = ['first 0', 'second 3', 'second 3', 'second 3'];
    expect(seen).toEqual([undefined, 'first 0', 'first 0', 'first 0', ...second]);
  });
});
