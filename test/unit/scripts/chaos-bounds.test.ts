import { describe, expect, it } from 'vitest';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { epochMs, systemClock } from '../../../lib/core/time.ts';
import type { JobEvent, JobStore } from '../../../lib/job/ports.ts';
import { type Disturbance, recoveries, type Recovery, reportBounds, timeUp } from '../../../scripts/chaos/bounds.ts';
import { watchDue } from '../../../scripts/chaos/watch-due.ts';

const base = 1_000_000;
const told = (rule: string, appliedAt: number, lapsedAt?: number): JobEvent => ({
  ...{ tenant: 't' as TenantId, workspace: 'w' as WorkspaceId, jobId: 'job_1' as JobId, createdAt: epochMs(base) },
  ...{ version: 1, rule, status: 'queued', epoch: 1 as Epoch },
  // The relay hears of it a minute later, which is nobody's repair time.
  at: epochMs(base + appliedAt + 60_000),
  appliedAt: epochMs(base + appliedAt),
  ...(lapsedAt === undefined ? {} : { lapsedAt: epochMs(base + lapsedAt) }),
});
const calm: Disturbance = { outages: [], stageKills: [] };
const span = (from: number, until: number) => ({ from: base + from, until: base + until });

const found = (timelines: readonly (readonly JobEvent[])[], disturbance: Partial<Disturbance> = {}) =>
  recoveries(timelines, { ...calm, ...disturbance });
const only = (all: readonly Recovery[]) =>
  all.filter(({ cases }) => cases > 0).map(({ name, cases, longest }) => [name.split(':')[0], cases, longest]);

describe('the time of a repair', () => {
  it('runs from the lapse to when the rule was applied, and the longest counts', () => {
    const lapses = [
      told('claim', 0),
      told('reap', 75_000, 45_000),
      told('claim', 80_000),
      told('bury', 190_000, 125_000),
    ];
    expect(only(found([lapses, [told('claim', 0), told('reap', 46_000, 45_000)]]))).toEqual([
      ['a worker died', 3, 65_000],
    ]);
  });

  it('tells the lease of a stage and the hand-off of an execution from that of a worker', () => {
    const stage = [told('claim', 0), told('begin', 1000), told('reap', 50_000, 46_000)];
    const handOff = [told('claim', 0), told('checkpoint', 1000), told('reap-execution', 303_000, 301_000)];
    expect(only(found([stage, handOff]))).toEqual([
      ['a stage died, and its machine did not say so', 1, 4000],
      ['an execution is gone', 1, 2000],
    ]);
  });

  it('is none where the lease was let go in time, however late the relay read it', () => {
    expect(only(found([[told('claim', 0), told('reap', 44_000, 45_000), told('succeed', 50_000, 46_000)]]))).toEqual(
      [],
    );
  });

  it('leaves out what the host was down for', () => {
    const timeline = [told('claim', 0), told('reap', 75_000, 45_000)];
    const outages = [span(40_000, 50_000), span(60_000, 61_000), span(200_000, 300_000)];
    expect(only(found([timeline], { outages }))).toEqual([['a worker died', 1, 24_000]]);
    expect(timeUp(span(0, 10), [span(2, 4), span(20, 30)])).toBe(8);
  });

  it('of a crashed stage runs from the first kill since its last sign, since nobody knows which process it was', () => {
    const crash = [told('begin', 10_000), told('crash', 20_000)];
    const stageKills = [5000, 12_000, 19_000, 21_000].map((at) => base + at);
    expect(only(found([crash], { stageKills }))).toEqual([['a stage died', 1, 8000]]);
    expect(only(found([[told('begin', 10_000), told('bury', 20_000)]], { stageKills }))).toEqual([
      ['a stage died', 1, 8000],
    ]);
    expect(only(found([crash], { stageKills: [base + 5000] }))).toEqual([]);
  });

  it('of a lost doorbell is that of rows past due, where somebody looked', () => {
    expect(found([]).some(({ name }) => name.startsWith('a doorbell'))).toBe(false);
    expect(only(found([], { overdue: [3000, 9000] }))).toEqual([['a doorbell was lost, behind a backlog', 2, 9000]]);
  });
});

describe('the report of the bounds', () => {
  const allowance = { ms: 10_000, why: 'a slow clock' };
  const report = (longest: number) =>
    reportBounds([{ name: 'a worker died', cases: 1, before: 45_000, longest, within: 60_000 }], allowance);

  it('says each bound, and fails only what is over its allowance', () => {
    expect(report(60_000).lines).toEqual([
      'recovery bounds, with an allowance of 10 s for a slow clock:',
      '  a worker died: 1 case, the longest 45 s + 60 s of 45 s + 60 s: kept',
    ]);
    expect(report(70_000)).toMatchObject({ kept: true });
    expect(report(70_000).lines[1]).toMatch(/45 s \+ 70 s of 45 s \+ 60 s: kept, 10 s of them by the allowance$/);
    expect(report(70_001)).toMatchObject({ kept: false });
    expect(report(71_000).lines[1]).toMatch(/: MISSED by 11 s$/);
  });

  it('says where there was no case, which keeps its bound', () => {
    const { kept, lines } = reportBounds(found([]), allowance);
    expect(kept).toBe(true);
    expect(lines.slice(1).every((line) => line.endsWith(': no case'))).toBe(true);
  });
});

it('a row past due is timed from when it was due until it was last seen so, outages apart', async () => {
  const stop = new AbortController();
  const ref = { tenant: 't' as TenantId, workspace: 'w' as WorkspaceId, id: 'job_1' as JobId };
  const pages: Awaited<ReturnType<JobStore['due']>>[] = [
    { entries: [{ ref, dueAt: epochMs(base) }], sides: [], after: 'more', storeNow: epochMs(base) },
    { entries: [{ ref, dueAt: epochMs(base + 2000) }], sides: [], storeNow: epochMs(base) },
  ];
  const due: JobStore['due'] = async (shard, _before, after) => {
    if (shard === 15) stop.abort();
    const [first, second] = pages;
    if (shard !== 3 || first === undefined || second === undefined)
      return { entries: [], sides: [], storeNow: systemClock.now() };
    return after === undefined ? first : second;
  };
  const seen = await watchDue({ due }, () => epochMs(base + 9000), [span(1000, 3000)], stop.signal);
  expect(seen).toEqual([7000, 6000]);
});
