import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { type EpochMs, epochMs, later, millis, minutes, seconds } from '../../../lib/core/time.ts';
import { type Counting, type RowChange, type StatAddition, statAdditions } from '../../../lib/events/stat-bucket.ts';
import { durationBucket, percentileOf } from '../../../lib/events/stat-scale.ts';
import { aggregateStats, ratesOf } from '../../../lib/events/stats.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';

/** Half a minute past a minute, so that seconds after it stay in the minute. */
const start = epochMs(Date.UTC(2026, 0, 1, 12, 0, 30));
const row = (given: Parameters<typeof aJobRow>[0] = {}): JobRow => aJobRow({ createdAt: start, ...given });
const queued = row();
const claimed = (after: number, given: Parameters<typeof aJobRow>[0] = {}): JobRow =>
  row({ status: 'running', startedAt: later(start, millis(after)), ...given });
/** What is counted then for the first time. */
const on = (at: EpochMs): Counting => ({ at, by: 1 });
const countersOf = (...changes: RowChange[]) =>
  Object.assign({}, ...statAdditions(changes, on(start)).map((each) => each.counters));

describe('what a change adds', () => {
  it('is a submit for a new row, and for one that takes the place of an expired one', () => {
    expect(statAdditions([{ after: queued }], on(later(start, seconds(5))))).toEqual([
      {
        ...{ tenant: queued.tenant, workspace: queued.workspace, minute: epochMs(Date.UTC(2026, 0, 1, 12)) },
        counters: { 'submitted:default:echo': 1 },
        expiresAt: Date.UTC(2026, 0, 2, 13) / 1000,
      },
    ]);
    const before = row({ status: 'succeeded', createdAt: epochMs(1) });
    expect(countersOf({ before, after: queued })).toEqual({ 'submitted:default:echo': 1 });
  });

  it('is the time in the queue where the row says since when it could start, and none where it does not', () => {
    const second = durationBucket(seconds(1));
    expect(countersOf({ before: queued, after: claimed(1000) })).toEqual({
      'started:default:echo': 1,
      [`queueing.${second}:default:echo`]: 1,
    });
    const delayed = row({ rule: 'retry', notBefore: later(start, seconds(9)) });
    expect(countersOf({ before: delayed, after: claimed(10_000) })).toHaveProperty(`queueing.${second}:default:echo`);
    const reaped = row({ rule: 'reap', startedAt: start });
    expect(countersOf({ before: reaped, after: claimed(1000) })).toEqual({ 'started:default:echo': 1 });
  });

  it('is the end with the time of the last run, and no run for a job that ended without one', () => {
    const end = later(start, seconds(7));
    const done = claimed(2000, { status: 'succeeded', finishedAt: end });
    expect(countersOf({ before: claimed(2000), after: done })).toEqual({
      'succeeded:default:echo': 1,
      [`running.${durationBucket(seconds(5))}:default:echo`]: 1,
    });
    const cancelled = row({ status: 'cancelled', finishedAt: end });
    expect(countersOf({ before: queued, after: cancelled })).toEqual({ 'cancelled:default:echo': 1 });
  });

  it('tells failed attempts, crashes, parks and redrives, of the lane that they were on', () => {
    const of = (after: Parameters<typeof aJobRow>[0], before: JobRow = claimed(0)) =>
      countersOf({ before, after: row(after) });
    expect(of({ rule: 'retry', attempts: 1, lane: 'due' })).toEqual({ 'failedAttempts:due:echo': 1 });
    expect(of({ rule: 'reap', crashes: 1 })).toEqual({ 'crashes:default:echo': 1 });
    expect(of({ status: 'parked' })).toEqual({ 'parked:default:echo': 1 });
    expect(of({ rule: 'redrive' }, row({ status: 'dead' }))).toEqual({ 'redriven:default:echo': 1 });
    expect(of({ status: 'dead', attempts: 3 }, claimed(0, { attempts: 2 }))).toMatchObject({
      'dead:default:echo': 1,
      'failedAttempts:default:echo': 1,
    });
    expect(of({ rule: 'pay', status: 'succeeded' }, row({ status: 'succeeded' }))).toEqual({});
  });

  it('is one addition for each workspace and minute, in parts of at most a hundred counters', () => {
    const kinds = Array.from({ length: 250 }, (_, index) => ({ after: row({ kind: `kind:${index % 125}` }) }));
    const later1 = { after: row({ createdAt: later(start, minutes(1)) }) };
    const other = { after: row({ tenant: 'other' as TenantId, workspace: 'a#b' as WorkspaceId }) };
    const additions = statAdditions([...kinds, later1, other], on(start));
    expect(additions.map(({ tenant, minute, counters }) => [tenant, minute, Object.keys(counters).length])).toEqual([
      ['acme', start - 30_000, 100],
      ['acme', start - 30_000, 25],
      ['acme', start + 30_000, 1],
      ['other', start - 30_000, 1],
    ]);
    expect(additions[0]?.counters['submitted:default:kind:7']).toBe(2);
  });
});

describe('a percentile', () => {
  it('has the rank of the exact one and is within 10 % of it', () => {
    const durations = fc.array(fc.integer({ min: 1, max: 10 ** 10 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(durations, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (values, p) => {
        const counts = new Map<number, number>();
        for (const value of values)
          counts.set(durationBucket(millis(value)), (counts.get(durationBucket(millis(value))) ?? 0) + 1);
        const exact = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(p * values.length) - 1)]!;
        const read = percentileOf(counts, p)!;
        expect(Math.abs(read - exact)).toBeLessThanOrEqual(exact * 0.1 + 1e-6);
      }),
    );
  });

  it('of nothing is none, and a negative or endless duration still has a bucket', () => {
    expect(percentileOf(new Map(), 0.5)).toBeUndefined();
    expect([durationBucket(millis(-5)), durationBucket(millis(0)), durationBucket(millis(1e15))]).toEqual([0, 0, 120]);
  });
});

const bucketsOf = (additions: readonly StatAddition[]) =>
  additions.map(({ minute, counters }) => ({ minute, counters }));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the last hour', () => {
  const changesAt = (at: EpochMs, kind: string, ms: number): RowChange[] => {
    const queuedRow = aJobRow({ kind, createdAt: at });
    const running = aJobRow({ kind, createdAt: at, status: 'running', startedAt: at });
    const done = aJobRow({
      kind,
      createdAt: at,
      status: 'succeeded',
      startedAt: at,
      finishedAt: later(at, millis(ms)),
    });
    return [{ after: queuedRow }, { before: queuedRow, after: running }, { before: running, after: done }];
  };

  it('adds up shards by kind and lane, and has every minute of the window', () => {
    const now = later(start, minutes(30));
    const additions = [
      ...statAdditions(changesAt(start, 'b', 100), on(now)),
      ...statAdditions(changesAt(start, 'b', 100), on(now)),
      ...statAdditions(changesAt(later(start, minutes(2)), 'a', 20_000), on(now)),
    ];
    const stats = aggregateStats(bucketsOf(additions), now);
    expect(stats.lanes.map(({ kind, lane, counts }) => [kind, lane, counts.submitted, counts.succeeded])).toEqual([
      ['a', 'default', 1, 1],
      ['b', 'default', 2, 2],
    ]);
    const [slow, quick] = stats.lanes;
    expect(quick?.running).toMatchObject({ count: 2, p50: expect.closeTo(100, -1.3), p99: expect.closeTo(100, -1.3) });
    expect(slow?.running.p90).toBeGreaterThan(18_000);
    expect(quick?.queueing).toMatchObject({ count: 2, p50: 1 });
    expect(stats.minutes).toHaveLength(60);
    expect(stats.minutes.at(-1)?.at).toBe(now - 30_000);
    expect(stats.minutes.filter(({ counts }) => counts.submitted > 0).map(({ at }) => at)).toEqual([
      start - 30_000,
      start + 90_000,
    ]);
    expect(sum(stats.minutes.map(({ counts }) => counts.succeeded))).toBe(3);
  });

  it('leaves out what is older or not of this scale, and gives rates per minute of the window', () => {
    const now = later(start, minutes(120));
    const old = bucketsOf(statAdditions(changesAt(start, 'a', 1), on(now)));
    const strange = { minute: epochMs(now - 30_000), counters: { 'x:y': 1, 'submitted:default:a': 118 } };
    const stats = aggregateStats([...old, strange], now);
    expect(stats.lanes).toHaveLength(1);
    expect(ratesOf(stats.lanes[0]!.counts, stats).submitted).toBeCloseTo(118 / 59.5, 2);
    expect(aggregateStats(old, now).lanes).toEqual([]);
  });
});
