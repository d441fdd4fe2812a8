// A row for each kind of handler that misbehaves; docs/failure-modes.md says the same to its author.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { millis, minutes, seconds } from '../../../lib/core/time.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { cancel, continueFrom, RetryableError, snooze, TerminalError } from '../../../lib/job/run/outcome.ts';
import type { JobContext } from '../../../lib/job/registry.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aBench, aKind, bellOf } from './bench.ts';

async function settled(run: (ctx: JobContext) => unknown, row = aJobRow()) {
  const bench = aBench(aKind(async (ctx) => run(ctx), { timeout: minutes(2) }));
  const heard = await bench.play(createWorker(bench.engine).hear(bellOf(bench.put(row))));
  if (heard.kind !== 'ran' || heard.report.kind !== 'settled') throw new Error(`it came to ${heard.kind}`);
  return { bench, row: heard.report.row };
}

const cycle = (): unknown => {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
};
const deep = (): unknown => {
  let value: unknown = 1;
  for (let depth = 0; depth < 200_000; depth++) value = [value];
  return value;
};
const hostile = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error('get');
      },
      has: () => {
        throw new Error('has');
      },
      getPrototypeOf: () => {
        throw new Error('getPrototypeOf');
      },
    },
  );

describe('a handler that returns', () => {
  it('nothing succeeds without a result', async () => {
    const { row } = await settled(() => undefined);
    expect(row.status).toBe('succeeded');
    expect(row).not.toHaveProperty('result');
  });

  it('10 MB succeeds, with its result beside the row; more than 16 MiB fails', async () => {
    const { row, bench } = await settled(() => 'x'.repeat(10_000_000));
    expect(row).toMatchObject({ status: 'succeeded', result: { object: expect.any(String) } });
    expect(JSON.stringify(row).length).toBeLessThan(1500);
    const key = row.result !== undefined && 'object' in row.result ? row.result.object : '';
    expect((await bench.engine.objects.head(key))?.size).toBe(10_000_002);
    const { row: larger } = await settled(() => 'x'.repeat(17 * 1024 * 1024));
    expect(larger).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
  });

  it.each([
    ['a BigInt', () => 10n],
    ['a cycle', cycle],
    ['an array that is nested too deep', deep],
    ['a function', () => () => 1],
    ['an object whose toJSON throws', () => ({ toJSON: () => Reflect.get(hostile(), 0) })],
  ])('%s fails, since JSON cannot hold it', async (_what, value) => {
    expect((await settled(() => value())).row).toMatchObject({ status: 'failed', error: { code: 'RESULT_INVALID' } });
  });

  it('a proxy that throws is tried again', async () => {
    expect((await settled(() => ({ at: hostile() }))).row).toMatchObject({ error: { code: 'RESULT_INVALID' } });
    expect((await settled(hostile)).row).toMatchObject({
      ...{ status: 'queued', attempts: 1 },
      error: { code: 'HANDLER_FAILED' },
    });
  });

  it('a promise that never settles is left behind at its time-out, and tried again', async () => {
    const { row, bench } = await settled(() => new Promise(() => undefined));
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } });
    expect(bench.loop.now()).toBe(bench.at(125_000));
  });

  it.each([Number.NaN, -5, Number.NEGATIVE_INFINITY])('a delay of %s starts again at once', async (delay) => {
    const { row, bench } = await settled(() => snooze(millis(delay)));
    expect(row).toMatchObject({ status: 'queued', attempts: 0, notBefore: bench.at(0) });
  });

  it('an endless delay waits a year', async () => {
    const { row, bench } = await settled(() => snooze(millis(Number.POSITIVE_INFINITY)));
    expect(row.notBefore).toBe(bench.at(365 * 24 * 3_600_000));
    const throws = () => Promise.reject(new RetryableError({ message: 'no', retryAfter: millis(Number.NaN) }));
    expect((await settled(throws)).row.notBefore).toBe(bench.at(0));
  });

  it('a cursor that JSON cannot hold, or that is too large, fails', async () => {
    const tooLarge = { status: 'failed', error: { code: 'LIMIT_EXCEEDED' } };
    expect((await settled(() => continueFrom('x'.repeat(20_000)))).row).toMatchObject(tooLarge);
    expect((await settled((ctx) => ctx.checkpoint('x'.repeat(20_000)))).row).toMatchObject(tooLarge);
    const unfit = { status: 'failed', error: { code: 'RESULT_INVALID' } };
    expect((await settled(() => continueFrom(cycle()))).row).toMatchObject(unfit);
    expect((await settled((ctx) => ctx.checkpoint(1n))).row).toMatchObject(unfit);
  });

  it('a reason of a million characters keeps the first 500', async () => {
    expect((await settled(() => cancel('x'.repeat(1_000_000)))).row.error?.detail).toBe('x'.repeat(500));
  });
});

describe('a handler that throws', () => {
  const unreadable = 'What was thrown could not be read.';
  it.each([
    ['null', () => null, 'null was thrown.'],
    ['undefined', () => undefined, 'undefined was thrown.'],
    ['a string', () => 'just text', 'just text'],
    ['a symbol', () => Symbol('sign'), 'Symbol(sign)'],
    ['an object without a prototype', () => Object.create(null) as unknown, unreadable],
    ['a proxy that throws', hostile, unreadable],
    ['an error without a message', () => new RangeError(), 'RangeError'],
    ['an error with a message that is no text', () => Object.assign(new Error(), { message: 5n }), '5'],
    [
      'an error whose message getter throws',
      () =>
        Object.defineProperty(new Error(), 'message', {
          get: () => {
            throw new Error('getter');
          },
        }),
      unreadable,
    ],
    ['a fault of no known code', () => new Fault('NONSENSE' as never, 'x'), unreadable],
  ])('%s fails an attempt, and says what it can', async (_what, thrown, detail) => {
    const { row } = await settled(() => {
      throw thrown();
    });
    const error = { code: 'HANDLER_FAILED', detail, retriable: true };
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error });
  });

  it('a text of a million characters keeps the first 500, well formed', async () => {
    const { row } = await settled(() => Promise.reject(new TerminalError('😀'.repeat(500_000).slice(1))));
    expect(row.error?.detail).toHaveLength(500);
    expect(row.error?.detail.isWellFormed()).toBe(true);
  });
});

describe('a handler that says how far it is', () => {
  it('a million times at once costs one beat', async () => {
    const { bench } = await settled(async (ctx) => {
      for (let done = 1; done <= 1_000_000; done++) ctx.progress(done, 1_000_000);
      await ctx.clock.sleep(seconds(16));
    });
    const beats = bench.store.changes.filter(({ write }) => write.name === 'heartbeat');
    expect(beats.map(({ after }) => after.progress)).toEqual([{ done: 1_000_000, total: 1_000_000, note: '' }]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '7', null])('as %s says 0', async (count) => {
    const { bench } = await settled(async (ctx) => {
      ctx.progress(count as number, count as number, 'x'.repeat(100_000));
      await ctx.clock.sleep(seconds(20));
    });
    const beat = bench.store.changes.find(({ write }) => write.name === 'heartbeat');
    expect(beat?.after.progress).toEqual({ done: 0, total: 0, note: 'x'.repeat(200) });
  });
});

describe('a handler that heeds nothing', () => {
  it('is left behind a while after the abort, and its late writes count for nothing', async () => {
    let zombie: Promise<unknown> = Promise.resolve();
    const { row, bench } = await settled((ctx) => {
      zombie = ctx.clock.sleep(minutes(10)).then(() => ctx.checkpoint('late'));
      ctx.progress(1, 2);
      return zombie;
    });
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error: { code: 'TIMED_OUT' } });
    await expect(bench.play(zombie)).rejects.toMatchObject({ code: 'CRASHED' });
    expect(bench.store.row(row)).toEqual(row);
  });

  it('replaces Date and the timers moves no time of the engine', async () => {
    const { systemClock } = await import('../../../lib/core/time.ts');
    const whole = { Date: globalThis.Date, setTimeout: globalThis.setTimeout, now: performance.now };
    try {
      globalThis.Date = Object as never;
      whole.Date.now = () => 0;
      performance.now = () => 0;
      globalThis.setTimeout = (() => undefined) as never;
      expect(systemClock.now()).toBeGreaterThan(1_700_000_000_000);
      expect(systemClock.monotonic()).toBeGreaterThan(0);
      await systemClock.sleep(millis(1));
    } finally {
      Object.assign(globalThis, { Date: whole.Date, setTimeout: whole.setTimeout });
      performance.now = whole.now;
      Reflect.deleteProperty(whole.Date, 'now');
    }
  });
});
