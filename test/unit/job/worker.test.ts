import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { minutes, seconds } from '../../../lib/core/time.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { cancelJob } from '../../../lib/job/run/cancel.ts';
import { cancel, continueFrom, RetryableError, snooze, TerminalError } from '../../../lib/job/run/outcome.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aBench, aKind, bellOf } from './bench.ts';

const hear = (bench: ReturnType<typeof aBench>, row = aJobRow(), stop?: AbortSignal) =>
  bench.play(createWorker(bench.engine).hear(bellOf(bench.put(row)), stop));

describe('a worker', () => {
  it('claims with one write and settles with one, and nothing else', async () => {
    const bench = aBench(aKind(async (ctx) => ({ epoch: ctx.epoch })));
    const heard = await hear(bench);
    expect(heard).toMatchObject({ kind: 'ran', report: { kind: 'settled', row: { status: 'succeeded' } } });
    expect(bench.store.changes.map(({ write }) => write.name)).toEqual(['claim', 'succeed']);
    const row = bench.store.changes.at(-1)?.after;
    expect(row?.result).toEqual({ inline: JSON.stringify({ epoch: row?.epoch }) });
    expect(bench.rings).toEqual([]);
  });

  it('rings again with what is left of a delay, in whole seconds', async () => {
    const bench = aBench(aKind(async () => null));
    const heard = await hear(bench, aJobRow({ notBefore: bench.at(90_400), dueAt: bench.at(135_400) }));
    expect(heard).toMatchObject({ kind: 'early', rung: true });
    expect(bench.rings.map(({ delay }) => delay)).toEqual([90_000]);
  });

  it('leaves what is further out than the queue can carry to the sweep', async () => {
    const bench = aBench(aKind(async () => null));
    const heard = await hear(bench, aJobRow({ notBefore: bench.at(minutes(20)), dueAt: bench.at(minutes(18)) }));
    expect(heard).toMatchObject({ kind: 'early', rung: false });
    expect(bench.rings).toEqual([]);
  });

  it('waits out the last second itself', async () => {
    const bench = aBench(aKind(async () => null));
    const heard = await hear(bench, aJobRow({ notBefore: bench.at(700), dueAt: bench.at(45_000) }));
    expect(heard).toMatchObject({ kind: 'ran', report: { row: { status: 'succeeded' } } });
    expect(bench.loop.now()).toBe(bench.at(700));
  });

  it('sends the claim again with a due time where the row was re-armed beyond its lease', async () => {
    const bench = aBench(aKind(async () => null));
    const heard = await hear(bench, aJobRow({ dueAt: bench.at(minutes(10)) }));
    expect(heard).toMatchObject({ kind: 'ran', report: { row: { status: 'succeeded' } } });
    const claimed = bench.store.changes[0]?.after;
    expect(claimed?.dueAt).toBe(claimed?.leaseUntil);
  });

  it('decides anew with the epoch of a row that is queued at a newer one', async () => {
    const bench = aBench(aKind(async () => null));
    const row = bench.put(aJobRow());
    bench.put({ ...row, epoch: (row.epoch + 5) as typeof row.epoch });
    const heard = await bench.play(createWorker(bench.engine).hear(bellOf(row)));
    expect(heard).toMatchObject({ kind: 'ran', report: { row: { epoch: row.epoch + 6 } } });
  });

  it('drops a job that could not start in time', async () => {
    const bench = aBench(aKind(async () => null));
    const heard = await hear(bench, aJobRow({ startBy: bench.at(0) }));
    expect(heard).toMatchObject({ kind: 'dropped', row: { status: 'cancelled', error: { code: 'DROPPED' } } });
  });

  it.each(['running', 'parked', 'succeeded', 'dead'] as const)('stops at a job that is %s', async (status) => {
    const bench = aBench(aKind(async () => null));
    expect(await hear(bench, aJobRow({ status }))).toMatchObject({ kind: 'stale', found: { status } });
    expect(bench.store.changes).toEqual([]);
  });

  it('parks a job of an unknown kind at no cost, and so never loses it', async () => {
    const bench = aBench();
    const heard = await hear(bench);
    expect(heard).toMatchObject({
      report: { row: { status: 'parked', parked: 'no_handler:echo', attempts: 0, crashes: 0 } },
    });
    expect(bench.rings).toEqual([]);
  });

  it('hands a pipeline to its execution before it starts it', async () => {
    const bench = aBench({ type: 'pipeline', kind: 'echo', input: z.unknown(), version: '1' });
    const heard = await hear(bench);
    expect(heard).toMatchObject({ kind: 'started', claim: { row: { status: 'running', heldBy: 'execution' } } });
    const row = bench.store.changes.at(-1)?.after;
    expect(row?.leaseUntil).toBe(bench.at(minutes(5)));
    expect(row?.dueAt).toBeLessThanOrEqual(row?.leaseUntil ?? 0);
    expect(bench.state.started).toEqual([{ ref: bellOf(aJobRow()).ref, epoch: row?.epoch }]);
  });
});

describe('an outcome', () => {
  const settled = async (run: Parameters<typeof aKind>[0], row = aJobRow()) => {
    const bench = aBench(aKind(run));
    const heard = await hear(bench, row);
    return { bench, row: heard.kind === 'ran' && heard.report.kind === 'settled' ? heard.report.row : undefined };
  };

  it('of a throw is a retry with an attempt counted, until the budget is used up', async () => {
    const fails = () => Promise.reject(new Error('no'));
    const { row, bench } = await settled(fails);
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'HANDLER_FAILED', detail: 'no' } });
    expect(row?.dueAt).toBe((row?.notBefore ?? 0) + 45_000);
    expect(bench.rings).toHaveLength(1);
    expect((await settled(fails, aJobRow({ attempts: 2 }))).row).toMatchObject({ status: 'dead', attempts: 3 });
  });

  it('of a RetryableError waits as long as it asks', async () => {
    const { row, bench } = await settled(() =>
      Promise.reject(new RetryableError({ message: 'no', retryAfter: seconds(77) })),
    );
    expect(row?.notBefore).toBe(bench.at(77_000));
  });

  it('of a TerminalError, and of a fault that is not retriable, fails at once', async () => {
    expect((await settled(() => Promise.reject(new TerminalError('never')))).row).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { code: 'HANDLER_TERMINAL', detail: 'never' },
    });
    expect((await settled(() => Promise.reject(new Fault('EMPTY_FILE', 'nothing')))).row).toMatchObject({
      status: 'failed',
      error: { code: 'EMPTY_FILE' },
    });
  });

  it('of a snooze costs nothing; far out, the sweep arms it', async () => {
    const { row, bench } = await settled(async () => snooze(minutes(60)));
    expect(row).toMatchObject({ status: 'queued', attempts: 0, dueAt: bench.at(minutes(58)) });
    expect(bench.rings).toEqual([]);
  });

  it('of continueFrom keeps the cursor, and the next run gets it', async () => {
    const { row } = await settled(async (ctx) => ctx.cursor ?? continueFrom({ page: 2 }));
    expect(row).toMatchObject({ status: 'queued', cursor: '{"page":2}', cursorNo: 1 });
    const next = await settled(async (ctx) => ctx.cursor ?? 'none', aJobRow({ cursor: '{"page":2}' }));
    expect(next.row?.result).toEqual({ inline: '{"page":2}' });
  });

  it('of cancel ends as cancelled with its reason', async () => {
    const { row } = await settled(async () => cancel('not wanted'));
    expect(row).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED', detail: 'not wanted' } });
  });

  it.each([1n, Number.NaN, new Date(0), { at: new Map() }])('of %s fails, since JSON cannot hold it', async (value) => {
    expect((await settled(async () => value)).row).toMatchObject({
      status: 'failed',
      error: { code: 'RESULT_INVALID' },
    });
  });

  it('of a large result keeps it beside the row', async () => {
    const { row } = await settled(async () => 'x'.repeat(1000));
    expect(row?.result).toMatchObject({ item: expect.stringContaining('result-') });
    const { row: larger } = await settled(async () => 'x'.repeat(100_000));
    expect(larger?.result).toMatchObject({ object: expect.stringContaining('acme/main/jobs/') });
  });

  it('of a missing input is a failure that names it', async () => {
    const { row } = await settled(async () => null, aJobRow({ input: { item: 'input-gone', sha256: '0' } }));
    expect(row).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
  });
});

describe('a handler', () => {
  const waits = aKind(async (ctx) => {
    await ctx.clock.sleep(seconds(590), ctx.signal);
    ctx.signal.throwIfAborted();
    return 'done';
  });

  it('keeps its lease over a long run', async () => {
    const bench = aBench(waits);
    expect(await hear(bench)).toMatchObject({ report: { row: { status: 'succeeded', crashes: 0 } } });
    expect(bench.store.changes.filter(({ write }) => write.name === 'heartbeat').length).toBe(39);
  });

  it('hears of a cancel with the next beat', async () => {
    const bench = aBench(waits);
    const row = bench.put(aJobRow());
    const hearing = createWorker(bench.engine).hear(bellOf(row));
    await bench.waitUntil(20_000);
    await cancelJob(bench.engine, bellOf(row).ref, 'asked');
    expect(await bench.play(hearing)).toMatchObject({ report: { row: { status: 'cancelled' } } });
    expect(bench.loop.now()).toBe(bench.at(30_000));
  });

  it('settles nothing once its lease is lost', async () => {
    const bench = aBench(waits);
    const row = bench.put(aJobRow());
    const sent: string[] = [];
    const write: typeof bench.engine.store.write = (ref, rule, params) => {
      sent.push(rule);
      return bench.store.write(ref, rule, params);
    };
    const engine = { ...bench.engine, store: { ...bench.engine.store, write } };
    const hearing = createWorker(engine).hear(bellOf(row));
    await bench.waitUntil(20_000);
    const held = bench.store.row(row);
    bench.put({ ...aJobRow(), ...held, leaseOwner: 'own_other' as never });
    expect(await bench.play(hearing)).toMatchObject({ kind: 'ran', report: { kind: 'lost' } });
    expect(bench.store.row(row)).toMatchObject({ status: 'running', leaseOwner: 'own_other' });
    expect(sent).toEqual(['claim']);
  });

  it('that ignores its time limit is left behind, and tried again', async () => {
    const deaf = aKind(() => new Promise(() => undefined), { timeout: seconds(30) });
    const bench = aBench(deaf);
    const heard = await hear(bench);
    expect(heard).toMatchObject({ report: { row: { status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } } } });
    expect(bench.loop.now()).toBe(bench.at(35_000));
  });

  it('that is stopped goes on from the cursor that it returns, and is tried again otherwise', async () => {
    const stop = AbortSignal.abort();
    const goesOn = aBench(aKind(async (ctx) => (ctx.signal.aborted ? continueFrom(7) : null)));
    expect(await hear(goesOn, aJobRow(), stop)).toMatchObject({ report: { row: { cursor: '7', attempts: 0 } } });
    const half = aBench(aKind(async () => 'half done'));
    expect(await hear(half, aJobRow(), stop)).toMatchObject({
      report: { row: { status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } } },
    });
  });
});

describe('a store that does not answer', () => {
  it('is asked again for a settle while the lease lasts', async () => {
    const bench = aBench(aKind(async () => 1));
    let refusals = 5;
    const write: typeof bench.engine.store.write = (ref, rule, params) => {
      if (rule === 'succeed' && refusals-- > 0) throw new StoreUnavailable('down');
      return bench.store.write(ref, rule, params);
    };
    const engine = { ...bench.engine, store: { ...bench.engine.store, write } };
    const heard = await bench.play(createWorker(engine).hear(bellOf(bench.put(aJobRow()))));
    expect(heard).toMatchObject({ report: { kind: 'settled', row: { status: 'succeeded' } } });
  });

  it('makes a claim throw, so that the message is delivered again', async () => {
    const bench = aBench(aKind(async () => 1));
    const write = () => Promise.reject(new StoreUnavailable('down'));
    const engine = { ...bench.engine, store: { ...bench.engine.store, write } };
    const hearing = createWorker(engine).hear(bellOf(bench.put(aJobRow())));
    await expect(bench.play(hearing)).rejects.toThrow(StoreUnavailable);
  });
});
