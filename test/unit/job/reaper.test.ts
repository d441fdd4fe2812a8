import { describe, expect, it } from 'vitest';
import { minutes } from '../../../lib/core/time.ts';
import { DUE_SHARDS, StoreUnavailable } from '../../../lib/job/ports.ts';
import { type ShardRest, sweep, type SweepOptions } from '../../../lib/job/sweep/reaper.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aBench } from './bench.ts';

/** Sweeps once, `after` ms after the row was built. */
async function swept(
  row: JobRow,
  after: number,
  prepare: (bench: ReturnType<typeof aBench>) => void = () => undefined,
) {
  const bench = aBench();
  bench.put(row);
  prepare(bench);
  await bench.waitUntil(after);
  const report = await bench.play(sweep(bench.engine));
  return { bench, report, row: bench.store.row(row), rules: bench.store.changes.map(({ write }) => write.name) };
}
const running = (given: Partial<JobRow> = {}) => aJobRow({ status: 'running', ...given });
/** Rows that all stand in shard 3, in pages of two; `asked` tells which pages were read. A page does not forget what was repaired. */
function pagedBench(count: number, rowOf: (n: number) => JobRow) {
  const bench = aBench();
  const refs = Array.from({ length: count }, (_, n) => bench.put(rowOf(n)));
  const asked: string[] = [];
  const due: typeof bench.engine.store.due = async (shard, _before, after) => {
    asked.push(`${shard} from ${after ?? 'the start'}`);
    const start = Number(after ?? 0);
    const page = shard === 3 ? refs.slice(start, start + 2) : [];
    const entries = page.map((ref) => ({ ref, dueAt: bench.at(45_000) }));
    const more = shard === 3 && start + 2 < count ? { after: String(start + 2) } : {};
    return { entries, sides: [], storeNow: bench.engine.clock.now(), ...more };
  };
  return { bench, asked, paged: { ...bench.engine, store: { ...bench.engine.store, due } } };
}
const handedOff = (given: Partial<JobRow> = {}) => running({ heldBy: 'execution', ...given });

describe('the sweep', () => {
  it('reaps a lapsed claim and rings', async () => {
    const { row, report, bench } = await swept(running(), 50_000);
    expect(row).toMatchObject({ status: 'queued', crashes: 1, dueAt: bench.at(95_000) });
    expect(row?.leaseOwner).toBeUndefined();
    expect(bench.rings).toHaveLength(1);
    expect(report).toMatchObject({ rows: 1, steps: { reap: 1 }, failed: 0, unfinished: [], oldestDue: 5000 });
  });

  it('leaves a lapsed claim to the next sweep where the last reap has its own time', async () => {
    const at = aBench().at(50_000);
    const early = await swept(running({ reapedAt: at }), 50_000);
    expect(early.report).toMatchObject({ rows: 1, steps: { moved: 1 }, failed: 0, unfinished: [] });
    expect([early.row?.status, early.rules]).toEqual(['running', []]);
    const next = await swept(running({ reapedAt: at }), 51_000);
    expect(next.row).toMatchObject({ status: 'queued', crashes: 1, reapedAt: next.bench.at(51_000) });
  });

  it('looks again when a live lease ends, and makes no event of it', async () => {
    const bench = aBench();
    const { row } = await swept(running({ leaseUntil: bench.at(80_000) }), 50_000);
    expect(row).toMatchObject({ status: 'running', dueAt: bench.at(80_000), version: running().version });
  });

  it('buries a job that has no crashes left, and says so', async () => {
    const { row, bench } = await swept(running({ crashes: 2 }), 50_000);
    expect(row).toMatchObject({ status: 'dead', crashes: 3, error: { code: 'CRASHED' } });
    expect(row?.dueAt).toBeUndefined();
    expect(bench.rings).toEqual([]);
  });

  it('ends a lapsed job as cancelled where that was asked', async () => {
    const { row } = await swept(running({ cancelRequested: 'asked', crashes: 2 }), 50_000);
    expect(row).toMatchObject({ status: 'cancelled', crashes: 2, error: { detail: 'asked' } });
  });

  it('re-arms and rings a queued row whose lane is idle', async () => {
    const { row, bench, report } = await swept(aJobRow(), 50_000);
    expect(row).toMatchObject({ status: 'queued', rearms: 1, dueAt: bench.at(110_000) });
    expect(bench.rings).toMatchObject([{ lane: 'default' }]);
    expect(report.steps).toEqual({ ring: 1 });
  });

  it('doubles the pause with each re-arm, up to ten minutes', async () => {
    const { row, bench } = await swept(aJobRow({ rearms: 3 }), 50_000);
    expect(row?.dueAt).toBe(bench.at(50_000 + 480_000));
    const later = await swept(aJobRow({ rearms: 30 }), 50_000);
    expect(later.row?.dueAt).toBe(bench.at(650_000));
  });

  it('does not ring behind a backlog until the row has waited ten minutes', async () => {
    const busy = (bench: ReturnType<typeof aBench>) => {
      bench.state.idle = false;
    };
    const early = await swept(aJobRow({ rearms: 3 }), 470_000, busy);
    expect(early.bench.rings).toEqual([]);
    expect(early.row?.dueAt).toBe(early.bench.at(600_000));
    const late = await swept(aJobRow({ rearms: 3 }), 600_000, busy);
    expect(late.bench.rings).toHaveLength(1);
  });

  it('arms delayed work shortly before its time, in the lane of what it promotes', async () => {
    const bench = aBench();
    const row = aJobRow({ notBefore: bench.at(minutes(20)), dueAt: bench.at(minutes(18)) });
    const armed = await swept(row, minutes(18));
    expect(armed.bench.rings).toMatchObject([{ lane: 'due', delay: 120_000 }]);
    expect(armed.row?.dueAt).toBe(bench.at(minutes(20) + 45_000));
  });

  it('drops what could not start in time', async () => {
    const bench = aBench();
    const { row } = await swept(aJobRow({ startBy: bench.at(40_000) }), 50_000);
    expect(row).toMatchObject({ status: 'cancelled', error: { code: 'DROPPED' } });
  });

  it('leaves a parked row for later without a ring', async () => {
    const { row, bench } = await swept(aJobRow({ status: 'parked' }), 70_000);
    expect(row).toMatchObject({ status: 'parked', rearms: 1, dueAt: bench.at(130_000) });
    expect(bench.rings).toEqual([]);
  });

  it.each([
    [
      'running',
      { status: 'running', heldBy: 'execution', leaseUntil: aBench().at(50_000 + minutes(5)) },
      ['re-arm-execution'],
    ],
    ['gone', { status: 'queued', crashes: 1 }, ['reap-execution']],
    ['unknown', { status: 'running', heldBy: 'execution', crashes: 0 }, []],
  ] as const)('asks for the execution of a lapsed hand-off: %s', async (answer, expected, rules) => {
    const result = await swept(handedOff(), 50_000, (bench) => {
      bench.state.probe = answer;
    });
    expect(result.row).toMatchObject(expected);
    expect(result.rules).toEqual(rules);
    expect(result.bench.rings).toHaveLength(answer === 'gone' ? 1 : 0);
  });

  it('ends the job of an execution that is gone as cancelled, or dead, where it may not run again', async () => {
    const gone = (bench: ReturnType<typeof aBench>) => {
      bench.state.probe = 'gone';
    };
    expect((await swept(handedOff({ cancelRequested: 'asked' }), 50_000, gone)).row?.status).toBe('cancelled');
    expect((await swept(handedOff({ crashes: 2 }), 50_000, gone)).row?.status).toBe('dead');
  });

  it('asks for at most ten executions a second', async () => {
    const bench = aBench();
    for (let n = 0; n < 21; n++) bench.put(handedOff({ id: `job_${n}` as never }));
    bench.state.probe = 'running';
    await bench.waitUntil(50_000);
    const report = await bench.play(sweep(bench.engine));
    expect(report.steps).toEqual({ 're-arm-execution': 21 });
    expect(bench.loop.now() - bench.at(50_000)).toBeGreaterThanOrEqual(2000);
  });

  it('leaves half of the probes to the sweeps that it hands rests to, and those share it evenly', async () => {
    const elapsed = async (options: SweepOptions) => {
      const { bench, paged } = pagedBench(4, (n) => handedOff({ id: `job_${n}` as never }));
      await bench.waitUntil(50_000);
      await bench.play(sweep(paged, options));
      return bench.loop.now() - bench.at(50_000);
    };
    // Of two rows; the pause after the second holds up nobody.
    const handed = await elapsed({ shards: [3], handOn: async () => undefined });
    expect(handed).toBeGreaterThanOrEqual(200);
    expect(handed).toBeLessThan(400);
    expect(await elapsed({ rest: { shard: 3, after: '2' } })).toBeGreaterThanOrEqual(3200);
  });

  it('goes on after a row that fails, and says what it left', async () => {
    const bench = aBench();
    bench.put(running({ id: 'job_bad' as never }));
    bench.put(running({ id: 'job_good' as never }));
    const write: typeof bench.engine.store.write = (ref, rule, params) =>
      ref.id === ('job_bad' as never) ? Promise.reject(new TypeError('bad row')) : bench.store.write(ref, rule, params);
    const due: typeof bench.engine.store.due = (shard, before, after) =>
      shard === 5 ? Promise.reject(new StoreUnavailable('down')) : bench.store.due(shard, before, after);
    await bench.waitUntil(50_000);
    const report = await bench.play(sweep({ ...bench.engine, store: { ...bench.engine.store, write, due } }));
    expect(report).toMatchObject({ failed: 1, steps: { reap: 1 }, unfinished: [5] });
  });

  it('begins nothing after its deadline, and names the shards that it did not finish', async () => {
    const bench = aBench();
    bench.put(running());
    await bench.waitUntil(50_000);
    const report = await bench.play(sweep(bench.engine, { shards: [1, 2], deadline: bench.at(50_000) }));
    expect(report).toMatchObject({ rows: 0, unfinished: [1, 2] });
  });

  it('does the first page of a shard, and hands what follows to a sweep of its own', async () => {
    const { bench, paged, asked } = pagedBench(5, (n) => running({ id: `job_${n}` as never }));
    await bench.waitUntil(50_000);
    const rests: ShardRest[] = [];
    const report = await bench.play(sweep(paged, { handOn: async (rest) => void rests.push(rest) }));
    expect(report).toMatchObject({ rows: 2, steps: { reap: 2 }, unfinished: [], handedOn: [3] });
    expect(rests).toEqual([{ shard: 3, after: '2' }]);
    expect(asked).toHaveLength(DUE_SHARDS);
    asked.length = 0;
    const rest = await bench.play(sweep(paged, { rest: rests[0], handOn: undefined }));
    expect(rest).toMatchObject({ rows: 3, steps: { reap: 3 }, unfinished: [], handedOn: [] });
    expect(asked).toEqual(['3 from 2', '3 from 4']);
  });

  it('hands nothing on where every shard is a page at most', async () => {
    const { bench, paged } = pagedBench(2, (n) => running({ id: `job_${n}` as never }));
    await bench.waitUntil(50_000);
    const handOn = () => Promise.reject(new TypeError('nothing to hand on'));
    const report = await bench.play(sweep(paged, { handOn }));
    expect(report).toMatchObject({ rows: 2, steps: { reap: 2 }, handedOn: [] });
  });

  it('goes on by itself where nobody takes what follows', async () => {
    const { bench, paged } = pagedBench(5, (n) => running({ id: `job_${n}` as never }));
    await bench.waitUntil(50_000);
    const handOn = () => Promise.reject(new StoreUnavailable('the bus is down'));
    for (const options of [{ handOn }, {}]) {
      const report = await bench.play(sweep(paged, options));
      expect(report).toMatchObject({ rows: 5, failed: 0, unfinished: [], handedOn: [] });
    }
  });

  it('still queues the row where the queue is down', async () => {
    const { row } = await swept(running(), 50_000, (bench) => {
      bench.state.ringFails = true;
    });
    expect(row?.status).toBe('queued');
  });
});
