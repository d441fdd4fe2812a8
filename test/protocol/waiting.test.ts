// Handlers that keep steps, wait for signals and for children, under processes that die at each of their calls.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { earlier, hours, later, minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import { WaitTimedOut } from '../../lib/job/context/wait.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { must } from '../../lib/core/check.ts';
import { owedEffect } from '../../lib/events/effects/owed.ts';
import { thenSubmit } from '../../lib/job/waits/owed.ts';
import { createHeartbeats } from '../../lib/job/heartbeat/heartbeat.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { createRegistry, defineJob, type JobContext, type JobKind } from '../../lib/job/registry.ts';
import { refOf } from '../../lib/job/row.ts';
import { readSignal, sendSignal } from '../../lib/job/waits/signal.ts';
import { submitJob } from '../../lib/job/submit/submit.ts';
import { scope } from '../support/pipeline-world.ts';
import { createWaitingWorld, diesAt, type Fate, type WaitingWorld } from './support/waiting-world.ts';

const kind = (run: (ctx: JobContext) => Promise<unknown>, name = 'waits'): JobKind =>
  defineJob({ kind: name, input: z.unknown(), crashes: 100, run });
const deaths = ['dies before', 'dies after'] as const;

/** Plays a job once for each call that its first process makes, which is killed there, and once unharmed. */
async function atEachCall(play: (fate?: Fate) => Promise<number>): Promise<void> {
  const calls = await play();
  expect(calls).toBeGreaterThan(2);
  for (let nth = 0; nth < calls; nth++) for (const death of deaths) await play(diesAt(nth, death));
}

describe('a step', () => {
  it('is kept once wherever its process dies, and every run goes on from what was kept', async () => {
    await atEachCall(async (fate) => {
      let worked = 0;
      const seen: unknown[] = [];
      const world = createWaitingWorld([
        kind(async (ctx) => {
          seen.push(await ctx.step('draw', () => ({ number: (worked += 1) })));
          return seen.at(-1);
        }),
      ]);
      const { id } = await world.submit('waits');
      const calls = await world.hearAll(fate);
      const row = await world.carryOn(id);
      expect(row).toMatchObject({ status: 'succeeded', attempts: 0 });
      expect(new Set(seen.map((each) => JSON.stringify(each)))).toEqual(
        new Set([row.result && 'inline' in row.result ? row.result.inline : '']),
      );
      expect(worked).toBeLessThanOrEqual(2);
      return calls;
    });
  });

  it('is not worked out again by later runs, whatever its size, and answers what JSON makes of it', async () => {
    let worked = 0;
    const world = createWaitingWorld([
      kind(async (ctx) => {
        const large = await ctx.step('large', () => ((worked += 1), 'x'.repeat(100_000)));
        const none = await ctx.step('none', () => void (worked += 1));
        const gone = await ctx.step('without', () => ({ kept: 1, left: undefined }));
        await ctx.waitFor('go');
        return [large.length, typeof none, gone];
      }),
    ]);
    const row = await world.submit('waits');
    await world.hearAll();
    await sendSignal(world.engine, refOf(row), 'go', null);
    expect(await world.carryOn(row.id)).toMatchObject({ result: { inline: '[100000,"undefined",{"kept":1}]' } });
    expect(worked).toBe(2);
  });

  it.each([
    ['used twice', async (ctx: JobContext) => [await ctx.step('a', () => 1), await ctx.step('a', () => 2)]],
    ['without a name', (ctx: JobContext) => ctx.step('', () => 1)],
    ['with a name of 201 characters', (ctx: JobContext) => ctx.step('a'.repeat(201), () => 1)],
    ['that waits', (ctx: JobContext) => ctx.step('a', () => ctx.waitFor('go'))],
    ['that submits', (ctx: JobContext) => ctx.step('a', () => ctx.submit('waits', {}))],
    ['in a step', (ctx: JobContext) => ctx.step('a', () => ctx.step('b', () => 1))],
  ])('%s fails the job at once, saying why', async (_what, run) => {
    const world = createWaitingWorld([kind(run)]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ status: 'failed', error: { code: 'HANDLER_INVALID' } });
  });

  it('that answers what JSON cannot hold fails the job', async () => {
    const world = createWaitingWorld([kind((ctx) => ctx.step('a', () => 1n))]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ error: { code: 'RESULT_INVALID' } });
  });
});

const approval = () => kind(async (ctx) => ({ said: await ctx.waitFor('approve') }));
const inlineOf = (world: WaitingWorld, id: Parameters<WaitingWorld['row']>[0]) => world.row(id).result;

describe('a signal', () => {
  it('parks the run at no cost, and starts its handler again with what was said', async () => {
    const world = createWaitingWorld([approval()]);
    const row = await world.submit('waits');
    await world.hearAll();
    expect(world.row(row.id)).toMatchObject({ status: 'parked', parked: 'signal:approve', attempts: 0, crashes: 0 });
    expect((await sendSignal(world.engine, refOf(row), 'approve', { by: 'ann' })).status).toBe('queued');
    await world.hearAll();
    expect(inlineOf(world, row.id)).toEqual({ inline: '{"said":{"by":"ann"}}' });
  });

  it('is heard whenever it is sent: before the run, between any two of its calls, and after it', async () => {
    await atEachCall(async (fate) => {
      const world = createWaitingWorld([approval()]);
      const row = await world.submit('waits');
      let sent: Promise<unknown> | undefined;
      const calls = await world.hearAll(async (call) => {
        // A fate that names this call sends the signal there, and lets the process live.
        if (sent === undefined && fate !== undefined && (await fate(call)) !== 'goes on')
          await (sent = sendSignal(world.engine, refOf(row), 'approve', 1));
        return 'goes on';
      });
      await (sent ?? sendSignal(world.engine, refOf(row), 'approve', 1));
      await world.hearAll();
      expect(world.row(row.id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
      return calls;
    });
  });

  it('is heard where its sender dies after any of its calls, once it said so', async () => {
    for (const death of deaths) {
      for (let nth = 0; nth < 5; nth++) {
        const world = createWaitingWorld([approval()]);
        const row = await world.submit('waits');
        await world.hearAll();
        void sendSignal(world.process(diesAt(nth, death)), refOf(row), 'approve', 1);
        await world.clock.advance(seconds(1));
        const said = await readSignal(world.engine, row, 'approve');
        expect((await world.carryOn(row.id)).status).toBe(said === undefined ? 'parked' : 'succeeded');
      }
    }
  });

  it('counts as first said: the same again changes nothing, and another is refused', async () => {
    const world = createWaitingWorld([approval()]);
    const row = await world.submit('waits');
    await sendSignal(world.engine, refOf(row), 'approve', 'yes');
    await sendSignal(world.engine, refOf(row), 'approve', 'yes');
    await expect(sendSignal(world.engine, refOf(row), 'approve', 'no')).rejects.toMatchObject({ code: 'CONFLICT' });
    await world.hearAll();
    expect(inlineOf(world, row.id)).toEqual({ inline: '{"said":"yes"}' });
    await expect(sendSignal(world.engine, refOf(row), 'other', 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(sendSignal(world.engine, { ...refOf(row), id: row.tenant as never }, 'a', 1)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is waited for beyond the latest start, which a job that has started is past', async () => {
    const world = createWaitingWorld([approval()]);
    const startBy = later(world.clock.now(), minutes(1));
    const request = { scope, kind: 'waits', input: {}, correlationId: 'test', startBy };
    const { row } = await submitJob(world.engine, request);
    await world.hearAll();
    await world.clock.advance(hours(1));
    await sweep(world.engine);
    await sendSignal(world.engine, refOf(row), 'approve', 1);
    expect(await world.carryOn(row.id)).toMatchObject({ status: 'succeeded' });
  });

  it('larger than an item is heard whole', async () => {
    const world = createWaitingWorld([kind(async (ctx) => (await ctx.waitFor<string>('go')).length)]);
    const row = await world.submit('waits');
    await world.hearAll();
    await sendSignal(world.engine, refOf(row), 'go', 'x'.repeat(70_000));
    await world.hearAll();
    expect(inlineOf(world, row.id)).toEqual({ inline: '70000' });
  });

  it('that does not come in time is thrown to the handler in every later run, and comes too late from then on', async () => {
    const runs: string[] = [];
    const world = createWaitingWorld([
      kind(async (ctx) => {
        try {
          await ctx.waitFor('approve', { timeout: hours(1) });
        } catch (thrown) {
          if (!(thrown instanceof WaitTimedOut)) throw thrown;
          runs.push(thrown.signal);
          return ctx.waitFor('escalate');
        }
        return 'approved';
      }),
    ]);
    const row = await world.submit('waits');
    await world.hearAll();
    const until = world.row(row.id).parkedUntil;
    expect(until).toBe(world.clock.now() - seconds(2) + hours(1));
    await world.clock.advance(hours(1));
    await world.carryOn(row.id);
    expect(world.row(row.id)).toMatchObject({ status: 'parked', parked: 'signal:escalate' });
    await expect(sendSignal(world.engine, refOf(row), 'approve', 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    await sendSignal(world.engine, refOf(row), 'escalate', 'up');
    expect(await world.carryOn(row.id)).toMatchObject({ status: 'succeeded', result: { inline: '"up"' } });
    expect(runs).toEqual(['approve', 'approve']);
  });

  it('is out of time for a worker whose clock is behind, once the sweep says so', async () => {
    const world = createWaitingWorld([kind((ctx) => ctx.waitFor('go', { timeout: hours(1) }))]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    await world.clock.advance(hours(1));
    await sweep(world.engine);
    const { epoch, status } = world.row(id);
    expect(status).toBe('queued');
    const late = { ...world.clock, now: () => earlier(world.clock.now(), minutes(5)) };
    const heartbeats = createHeartbeats({ store: world.store, clock: late, settings: world.engine.settings });
    await createWorker({ ...world.engine, clock: late, heartbeats }).hear({ ref: refOf(world.row(id)), epoch });
    expect(world.row(id)).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMED_OUT' } });
  });

  it('keeps its first time-out over the crash of the run that set it', async () => {
    const world = createWaitingWorld([kind((ctx) => ctx.waitFor('go', { timeout: minutes(30) }))]);
    const row = await world.submit('waits');
    const start = world.clock.now();
    const calls = await world.hearAll();
    const again = createWaitingWorld([kind((ctx) => ctx.waitFor('go', { timeout: minutes(30) }))]);
    const other = await again.submit('waits');
    await again.hearAll(diesAt(calls - 2, 'dies before'));
    await again.carryOn(other.id);
    const wait = again.row(other.id);
    expect(wait).toMatchObject({ crashes: 1, status: 'parked', parkedUntil: start + minutes(30) });
    await again.clock.advance(minutes(30));
    await again.carryOn(other.id);
    expect(world.row(row.id).parkedUntil).toBe(start + minutes(30));
    expect(again.row(other.id)).toMatchObject({ crashes: 1, error: { code: 'WAIT_TIMED_OUT' }, status: 'failed' });
  });

  it('under a name that is none fails the job', async () => {
    const world = createWaitingWorld([kind((ctx) => ctx.waitFor('not a name'))]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ status: 'failed', error: { code: 'HANDLER_INVALID' } });
  });
});

describe('a wait', () => {
  it.each([
    ['returns something', async () => 'done'],
    ['throws something else', () => Promise.reject(new Error('else'))],
    ['never comes to an end', () => new Promise<never>(() => undefined)],
  ])('cannot be swallowed by a handler that catches it and %s', async (_what, then) => {
    const world = createWaitingWorld([kind((ctx) => ctx.waitFor('go').catch(then))]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    await world.clock.advance(seconds(10));
    expect(world.row(id)).toMatchObject({ status: 'parked', parked: 'signal:go', attempts: 0 });
  });

  it('runs what the handler put in `finally`, and aborts its signal', async () => {
    const left: unknown[] = [];
    const world = createWaitingWorld([
      kind(async (ctx) => {
        try {
          await ctx.waitFor('go');
        } finally {
          left.push(ctx.signal.aborted);
        }
      }),
    ]);
    await world.submit('waits');
    await world.hearAll();
    expect(left).toEqual([true]);
  });
});

const echo = defineJob({ kind: 'echo', input: z.unknown(), run: async (_ctx, input) => input });
const fails = defineJob({ kind: 'fails', input: z.unknown(), attempts: 1, run: () => Promise.reject(new Error('no')) });
const parent = () =>
  kind(async (ctx) => {
    const ids = [
      await ctx.submit('echo', 'a'),
      await ctx.submit('fails', 'b', { name: 'second' }),
      await ctx.submit('echo', 'c'),
    ];
    const ends = await ctx.waitForChildren();
    return ends.map(({ id, status, result, error }) => [ids.indexOf(id), status, result ?? error?.code]);
  });
const ends = { inline: '[[0,"succeeded","a"],[1,"dead","HANDLER_FAILED"],[2,"succeeded","c"]]' };

describe('children', () => {
  it('are submitted once and waited for, wherever the process of their parent dies', async () => {
    await atEachCall(async (fate) => {
      const world = createWaitingWorld([parent(), echo, fails]);
      const { id } = await world.submit('waits');
      const calls = await world.hearAll(fate);
      const row = await world.carryOn(id);
      expect(row).toMatchObject({ status: 'succeeded', result: ends, attempts: 0 });
      expect([...world.all('echo'), ...world.all('fails')]).toHaveLength(3);
      expect(world.all('echo').every(({ parentId }) => parentId === id)).toBe(true);
      return calls;
    });
  });

  it('end their wait without a relay, once the sweep comes', async () => {
    const world = createWaitingWorld([parent(), echo, fails]);
    world.relay = async () => undefined;
    const { id } = await world.submit('waits');
    expect(await world.carryOn(id)).toMatchObject({ status: 'succeeded', result: ends });
  });

  it('end their wait at the relay of the last of them, and none before', async () => {
    const world = createWaitingWorld([parent(), echo, fails]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ status: 'parked', parked: 'children', awaits: 3 });
    await world.relay();
    expect(world.row(id)).toMatchObject({ status: 'queued' });
    await world.hearAll();
    expect(world.row(id).status).toBe('succeeded');
  });

  it('end their wait without a sweep, between whichever two calls of their parent they end', async () => {
    await atEachCall(async (fate) => {
      const waiting = kind((ctx) => ctx.waitFor('never'), 'later');
      const world = createWaitingWorld([
        kind(async (ctx) => [await ctx.submit('later', 1), (await ctx.waitForChildren()).length]),
        waiting,
      ]);
      const { id } = await world.submit('waits');
      const endAll = async () => {
        for (const child of world.all('later')) await cancelJob(world.engine, refOf(child), 'enough');
        await world.relay();
      };
      const calls = await world.hearAll(async (call) => {
        if (fate !== undefined && (await fate(call)) !== 'goes on') await endAll();
        return 'goes on';
      });
      await endAll();
      await world.hearAll();
      expect(world.row(id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
      return calls;
    });
  });

  it('are cancelled with their parent', async () => {
    const world = createWaitingWorld([
      kind(async (ctx) => [await ctx.submit('later', 1), await ctx.waitForChildren()]),
      kind((ctx) => ctx.waitFor('never'), 'later'),
    ]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    await cancelJob(world.engine, refOf(world.row(id)), 'not wanted');
    await world.relay();
    expect(world.all('later')).toMatchObject([{ status: 'cancelled', error: { detail: 'Its parent was cancelled.' } }]);
  });

  it('beyond the limit fail the job', async () => {
    const world = createWaitingWorld([
      kind(async (ctx) => {
        for (let n = 0; n <= 1000; n++) await ctx.submit('echo', n);
      }),
      echo,
    ]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
  });
});

describe('what follows a success', () => {
  const first = () => kind(async () => thenSubmit('done', { kind: 'echo', input: { after: true } }));

  it('is submitted once, wherever the process dies that succeeds', async () => {
    await atEachCall(async (fate) => {
      const world = createWaitingWorld([first(), echo]);
      const { id } = await world.submit('waits');
      const calls = await world.hearAll(fate);
      const row = await world.carryOn(id);
      await world.hearAll();
      expect(row).toMatchObject({ status: 'succeeded', result: { inline: '"done"' } });
      expect(row.owes).toBeUndefined();
      expect(row.dueAt).toBeUndefined();
      expect(world.all('echo')).toMatchObject([
        { status: 'succeeded', parentId: id, result: { inline: '{"after":true}' } },
      ]);
      return calls;
    });
  });

  it('is submitted by the sweep where no relay comes', async () => {
    const world = createWaitingWorld([first(), echo]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id).owes).toBeDefined();
    await world.clock.advance(minutes(1));
    expect((await sweep(world.engine)).steps).toEqual({ pay: 1 });
    await world.hearAll();
    expect(world.all('echo')).toMatchObject([{ status: 'succeeded' }]);
    expect(world.row(id).owes).toBeUndefined();
  });

  it('is not submitted again by a change that is told once more after both jobs are forgotten', async () => {
    const world = createWaitingWorld([first(), echo]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    const owing = world.row(id);
    await world.relay();
    await world.hearAll();
    expect(world.row(id).owes).toBeUndefined();
    const made = refOf(must(world.all('echo')[0], 'the job that follows'));
    const { apply } = owedEffect(world.engine);
    for (const ref of [made, refOf(owing)]) {
      world.store.forget(ref);
      await apply({ before: undefined, after: owing });
      expect(world.store.row(made)).toBeUndefined();
    }
  });

  it('of a kind that nobody knows fails the job', async () => {
    const world = createWaitingWorld([kind(async () => thenSubmit(1, { kind: 'unknown', input: 1 }))]);
    const { id } = await world.submit('waits');
    await world.hearAll();
    expect(world.row(id)).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_KIND' } });
  });
});

describe('a job whose kind is not deployed', () => {
  it('parks at no cost, stays over sweeps that do not know it, and runs when one does', async () => {
    const world = createWaitingWorld([echo, kind(async () => 'back')]);
    const { id } = await world.submit('waits');
    const without = { ...world.engine, registry: createRegistry([echo]) };
    await createWorker(without).hear({ ref: refOf(world.row(id)), epoch: world.row(id).epoch });
    expect(world.row(id)).toMatchObject({ status: 'parked', parked: 'no_handler:waits', attempts: 0, crashes: 0 });
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await world.clock.advance(minutes(11));
      expect((await sweep(without)).steps).toEqual({ 're-arm': 1 });
    }
    expect(await world.carryOn(id)).toMatchObject({ status: 'succeeded', result: { inline: '"back"' } });
  });
});
