import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EpochMs, epochMs, toIso } from '../../../../lib/core/time.ts';
import { nextTime, nextTimes, timingProblem } from '../../../../lib/job/schedule/times.ts';

const at = (iso: string): EpochMs => epochMs(Date.parse(iso));
const times = (cron: string, timeZone: string, after: string, count: number): string[] =>
  nextTimes({ cron, timeZone }, at(after), count).map((time) => toIso(time).replace(':00.000Z', 'Z'));

describe('a daily time on the day that clocks go forward', () => {
  it.each([
    [
      'in New York',
      '30 2 * * *',
      'America/New_York',
      '2025-03-08T12:00:00Z',
      ['2025-03-09T07:00Z', '2025-03-10T06:30Z'],
    ],
    ['in London', '30 1 * * *', 'Europe/London', '2025-03-29T12:00:00Z', ['2025-03-30T01:00Z', '2025-03-31T00:30Z']],
    [
      'at midnight in São Paulo',
      '0 0 * * *',
      'America/Sao_Paulo',
      '2018-11-03T12:00:00Z',
      ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    ],
    [
      'of half an hour on Lord Howe',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2025-10-04T00:00:00Z',
      ['2025-10-04T15:30Z', '2025-10-05T15:15Z'],
    ],
  ])('comes once, when the gap ends, %s', (_where, cron, zone, after, expected) => {
    expect(times(cron, zone, after, 2)).toEqual(expected);
  });

  it('is left alone where the gap does not hold it', () => {
    expect(times('0 4 * * *', 'America/New_York', '2025-03-08T12:00:00Z', 2)).toEqual([
      '2025-03-09T08:00Z',
      '2025-03-10T08:00Z',
    ]);
  });
});

describe('a daily time on the day that clocks go back', () => {
  it.each([
    [
      'in New York',
      '30 1 * * *',
      'America/New_York',
      '2025-11-01T12:00:00Z',
      ['2025-11-02T05:30Z', '2025-11-03T06:30Z'],
    ],
    ['in London', '30 1 * * *', 'Europe/London', '2025-10-25T12:00:00Z', ['2025-10-26T00:30Z', '2025-10-27T01:30Z']],
    [
      'by half an hour on Lord Howe',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2025-04-05T00:00:00Z',
      ['2025-04-05T14:45Z', '2025-04-06T15:15Z'],
    ],
  ])('comes once, the first time round, %s', (_where, cron, zone, after, expected) => {
    expect(times(cron, zone, after, 2)).toEqual(expected);
  });
});

describe('an hourly time', () => {
  it('comes each hour that passes, whatever the clocks do', () => {
    const hours = (after: string) => times('0 * * * *', 'America/New_York', after, 5);
    expect(hours('2025-11-02T04:10:00Z')).toEqual([5, 6, 7, 8, 9].map((hour) => `2025-11-02T0${hour}:00Z`));
    expect(hours('2025-03-09T05:10:00Z')).toEqual(
      ['06', '07', '08', '09', '10'].map((hour) => `2025-03-09T${hour}:00Z`),
    );
  });
});

describe('several times of an hour', () => {
  it('are left out with an hour that the clock jumps over, and come again with one that it repeats', () => {
    expect(times('15,45 2 * * *', 'America/New_York', '2025-03-09T04:10:00Z', 1)).toEqual(['2025-03-10T06:15Z']);
    expect(times('*/30 1 * * *', 'America/New_York', '2025-11-02T04:10:00Z', 5)).toEqual([
      ...['2025-11-02T05:00Z', '2025-11-02T05:30Z', '2025-11-02T06:00Z', '2025-11-02T06:30Z'],
      '2025-11-03T06:00Z',
    ]);
  });
});

describe('a rare time', () => {
  it('comes in leap years, and a day that a zone left out is left out', () => {
    expect(times('0 12 29 2 *', 'UTC', '2025-03-01T00:00:00Z', 3)).toEqual(
      [2028, 2032, 2036].map((year) => `${year}-02-29T12:00Z`),
    );
    expect(times('0 12 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T12:00Z']);
    expect(times('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', 1)).toEqual(['2012-12-29T22:00Z']);
  });
});

describe('what is wrong with a schedule', () => {
  const now = at('2025-01-01T00:00:00Z');
  const field = (cron: string, timeZone = 'UTC') => timingProblem({ cron, timeZone }, now)?.field;

  it('is a time that never comes, a field too many or too few, or nonsense', () => {
    for (const cron of [
      '0 0 30 2 *',
      '0 0 31 4,6 *',
      '* * * * * *',
      '* * * *',
      '',
      '60 * * * *',
      'a b c d e',
      '*/0 * * * *',
      '0 0 1 13 *',
    ])
      expect([cron, field(cron)]).toEqual([cron, 'cron']);
    for (const cron of ['0 0 29 2 *', '*/5 9-17 * * 1-5', '0 0 L * *', '0 9 * jan mon'])
      expect([cron, field(cron)]).toEqual([cron, undefined]);
  });

  it('is a time zone that does not exist', () => {
    for (const zone of ['Mars/Olympus', 'Europe', '', '../etc', 'x'.repeat(10_000)])
      expect(field('0 0 * * *', zone)).toBe('timeZone');
    for (const zone of ['Europe/Berlin', 'Asia/Kathmandu', 'Etc/GMT+3'])
      expect(field('0 0 * * *', zone)).toBeUndefined();
  });
});

describe('an interval', () => {
  it('comes at whole multiples from its anchor, each of them once, however late one looks', () => {
    const anchors = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(
        anchors,
        fc.integer({ min: 10, max: 100_000 }),
        fc.integer({ min: 0, max: 1e9 }),
        (anchor, every, after) => {
          const timing = { everySeconds: every, anchor: epochMs(anchor) };
          const next = nextTime(timing, epochMs(after)) ?? Number.NaN;
          expect((next - anchor) % (every * 1000)).toBe(0);
          expect(next).toBeGreaterThan(after);
          expect(next - every * 1000 > after && next > anchor).toBe(false);
        },
      ),
    );
  });
});
