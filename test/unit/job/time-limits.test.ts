import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../lib/core/time.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { ShuttingDown } from '../../../lib/job/run/hurry.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { continueFrom, RetryableError, snooze, TerminalError } from '../../../lib/job/run/outcome.ts';
import type { AnyKind, JobContext } from '../../../lib/job/registry.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aBench, aKind, bellOf } from './bench.ts';

type Bench = ReturnType<typeof aBench>;

async function settled(bench: Bench, row = aJobRow(), stop?: AbortSignal) {
  const heard = await bench.play(createWorker(bench.engine).hear(bellOf(bench.put(row)), stop));
  if (heard.kind !== 'ran' || heard.report.kind !== 'settled') throw new Error(`it came to ${heard.kind}`);
  return heard.report.row;
}

/** Aborts as the process' end would, after so long. */
function stopsAfter(bench: Bench, after: number, reason: Error = new Error('time is up')): AbortSignal {
  const stop = new AbortController();
  void bench.engine.clock.sleep(seconds(after)).then(() => stop.abort(reason));
  return stop.signal;
}

/** Works page by page, a minute each, and throws when it is told to stop. */
const pages = (checkpoint: boolean, upTo = 100, more: Partial<AnyKind> = {}) =>
  aKind(async (ctx: JobContext) => {
    for (let page = (ctx.cursor as number | undefined) ?? 0; page < upTo; page++) {
      await ctx.clock.sleep(minutes(1), ctx.signal);
      ctx.signal.throwIfAborted();
      if (checkpoint) await ctx.checkpoint(page + 1);
    }
    return 'done';
  }, more);

describe('a job that is longer than its process', () => {
  it('goes on from its last checkpoint, at no cost, until it is done', async () => {
    const bench = aBench(pages(true, 25));
    let row = aJobRow({ maxRetries: 0 });
    const epochs: number[] = [];
    for (let runs = 0; runs < 3; runs++) {
      row = await settled(bench, row, stopsAfter(bench, 630));
      epochs.push(row.epoch);
    }
    expect(row).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0, cursor: '25', cursorNo: 25 });
    expect(new Set(epochs).size).toBe(3);
  });

  it('is rung again at once', async () => {
    const bench = aBench(pages(true));
    const row = await settled(bench, aJobRow(), stopsAfter(bench, 90));
    expect(row).toMatchObject({ status: 'queued', attempts: 0, cursor: '1', rule: 'snooze' });
    expect(bench.rings.map(({ delay }) => delay)).toEqual([0]);
  });

  it('costs an attempt where it got nowhere, so that it cannot loop for ever', async () => {
    const bench = aBench(pages(false));
    const row = await settled(bench, aJobRow(), stopsAfter(bench, 90));
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } });
    // What is committed again as it was is no progress.
    const same = aBench(aKind(async (ctx) => ctx.checkpoint(ctx.cursor).then(() => new Promise(() => undefined))));
    const stood = await settled(same, aJobRow({ cursor: '4', maxRetries: 0 }), stopsAfter(same, 90));
    expect(stood).toMatchObject({ status: 'dead', attempts: 1, error: { code: 'TIMED_OUT' } });
  });

  it("costs an attempt where it was the kind's own time limit that stopped it", async () => {
    const bench = aBench(pages(true, 100, { timeout: seconds(90) }));
    const row = await settled(bench);
    expect(row).toMatchObject({ status: 'queued', attempts: 1, cursor: '1', error: { code: 'TIMED_OUT' } });
  });

  it('costs nothing where the process is shut down', async () => {
    const bench = aBench(pages(false));
    const row = await settled(bench, aJobRow({ maxRetries: 0 }), stopsAfter(bench, 90, new ShuttingDown('deploy')));
    expect(row).toMatchObject({ status: 'queued', attempts: 0 });
    expect(row).not.toHaveProperty('error');
  });

  it('may say itself where to go on, and may still fail for good', async () => {
    const says = aBench(
      aKind(async (ctx) => {
        await ctx.clock.sleep(hours(1), ctx.signal);
        return continueFrom('here');
      }),
    );
    expect(await settled(says, aJobRow(), stopsAfter(says, 90))).toMatchObject({ attempts: 0, cursor: '"here"' });
    const fails = aBench(
      aKind(async (ctx) => {
        await ctx.clock.sleep(hours(1), ctx.signal);
        throw new TerminalError('never');
      }),
    );
    expect(await settled(fails, aJobRow(), stopsAfter(fails, 90))).toMatchObject({ status: 'failed' });
  });
});

describe('a checkpoint', () => {
  it('is one fenced write that renews the lease, and those asked for at once come one after another', async () => {
    const bench = aBench(
      aKind(async (ctx) => {
        ctx.progress(3, 9, 'pages');
        await Promise.all([ctx.checkpoint(1), ctx.checkpoint(2), ctx.checkpoint(3)]);
        throw new Error('after it');
      }),
    );
    const row = await settled(bench);
    expect(row).toMatchObject({ status: 'queued', attempts: 1, cursor: '3', cursorNo: 3, progress: { done: 3 } });
    expect(bench.store.changes.map(({ write }) => write.name)).toEqual([
      ...['claim', 'checkpoint', 'checkpoint', 'checkpoint', 'retry'],
    ]);
  });

  it('throws once the lease is gone, and commits nothing', async () => {
    let failure: unknown;
    const bench = aBench(
      aKind(async (ctx) => {
        bench.put({ ...bench.store.row(ctx.ref)!, leaseOwner: 'own_other' as never });
        failure = await ctx.checkpoint(1).catch((thrown: unknown) => thrown);
        throw failure;
      }),
    );
    await bench.play(createWorker(bench.engine).hear(bellOf(bench.put(aJobRow()))));
    expect(failure).toMatchObject({ code: 'CRASHED' });
    expect(bench.store.row(aJobRow())).toMatchObject({ status: 'running', cursorNo: 0, leaseOwner: 'own_other' });
  });

  it('that succeeds afterwards leaves the cursor number where it stands, and a continue moves it on', async () => {
    const bench = aBench(aKind(async (ctx) => ctx.checkpoint('a').then(() => continueFrom('b'))));
    expect(await settled(bench)).toMatchObject({ status: 'queued', cursor: '"b"', cursorNo: 2 });
  });
});

describe('a deadline', () => {
  const past = { status: 'failed', attempts: 0, error: { code: 'DEADLINE_EXCEEDED', retriable: false } };
  const never = (more: Partial<AnyKind> = {}) => aKind(() => new Promise(() => undefined), more);

  it('counts from the submit, or from when the job may start', async () => {
    const bench = aBench(never({ deadline: minutes(5) }));
    const request = { kind: 'echo', input: 1, correlationId: 'c', scope: bellOf(aJobRow()).ref };
    const { row } = await bench.play(submitJob(bench.engine, request));
    expect(row.deadline).toBe(bench.at(minutes(5)));
    const later = await bench.play(submitJob(bench.engine, { ...request, notBefore: bench.at(minutes(60)) }));
    expect(later.row.deadline).toBe(bench.at(minutes(65)));
  });

  it('aborts the run, and the job fails', async () => {
    const bench = aBench(never());
    const row = await settled(bench, aJobRow({ deadline: bench.at(30_000) }));
    expect(row).toMatchObject(past);
    expect(bench.loop.now()).toBe(bench.at(35_000));
  });

  it('that has passed fails a claimed job without running it', async () => {
    let runs = 0;
    const bench = aBench(aKind(async () => (runs += 1)));
    expect(await settled(bench, aJobRow({ deadline: bench.at(0) }))).toMatchObject(past);
    expect(runs).toBe(0);
  });

  it('does not count what was returned late, nor what would go on', async () => {
    for (const late of ['done', continueFrom(1), snooze(seconds(1))]) {
      const bench = aBench(aKind((ctx) => ctx.clock.sleep(minutes(1), ctx.signal).then(() => late)));
      expect(await settled(bench, aJobRow({ deadline: bench.at(30_000) }))).toMatchObject(past);
    }
  });

  it('brings a job that waits to its end: no later start is asked for', async () => {
    const retryAfter = minutes(10);
    const bench = aBench(aKind(() => Promise.reject(new RetryableError({ message: 'later', retryAfter }))));
    const row = await settled(bench, aJobRow({ deadline: bench.at(minutes(2)) }));
    expect(row).toMatchObject({ status: 'queued', attempts: 1, notBefore: bench.at(minutes(2)) });
    await bench.waitUntil(minutes(2));
    expect(await settled(bench, row)).toMatchObject({ ...past, attempts: 1 });
  });

  it('ends a job that waits for what only itself would say', async () => {
    const bench = aBench(aKind((ctx) => ctx.waitFor('myself')));
    const waits = bench.put(aJobRow({ deadline: bench.at(minutes(30)) }));
    await bench.play(createWorker(bench.engine).hear(bellOf(waits)));
    expect(bench.store.row(waits)).toMatchObject({ status: 'parked', parked: 'signal:myself', attempts: 0 });
    let sweeps = 0;
    for (; bench.store.row(waits)?.status === 'parked'; sweeps++) {
      await bench.waitUntil(minutes(sweeps + 1));
      await bench.play(sweep(bench.engine));
    }
    expect([sweeps, bench.store.row(waits)?.status]).toEqual([30, 'queued']);
    expect(await settled(bench, bench.store.row(waits))).toMatchObject({ ...past, rule: 'fail' });
  });
});
