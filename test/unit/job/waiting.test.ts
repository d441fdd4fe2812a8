import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { derivedId, newId, timeOfId, type WriteId } from '../../../lib/core/ids.ts';
import { earlier, later, minutes, seconds } from '../../../lib/core/time.ts';
import { jobStatuses, terminalStatuses } from '../../../lib/job/status.ts';
import { waitingOf } from '../../../lib/job/waits/waiting.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';

const now = later(builtAt, seconds(10));
const soon = later(now, minutes(5));
const waiting = (given: Parameters<typeof aJobRow>[0]) => waitingOf(aJobRow(given), now);
const error = { code: 'HANDLER_FAILED', detail: 'no', retriable: true };

describe('why a queued job waits', () => {
  it('is a worker once it may start, and the sweep looks when it is due', () => {
    const ready = { reason: 'worker', since: builtAt, next: later(builtAt, seconds(45)), detail: expect.any(String) };
    expect(waiting({})).toEqual(ready);
    expect(waiting({ notBefore: now })).toEqual(ready);
  });

  it('is its time until then, whether it was asked for, snoozed or comes from a failure before that', () => {
    expect(waiting({ notBefore: soon })).toMatchObject({ reason: 'time', next: soon });
    expect(waiting({ rule: 'snooze', attempts: 1, error, notBefore: soon })).toMatchObject({
      reason: 'time',
      next: soon,
    });
  });

  it('is the backoff after a failed attempt, counted against its budget', () => {
    const found = waiting({ rule: 'retry', attempts: 1, error, notBefore: soon });
    expect(found).toMatchObject({ reason: 'backoff', next: soon });
    expect(found?.detail).toContain('Attempt 2 of 3');
    expect(found?.detail).toContain('HANDLER_FAILED');
  });

  it('is its rate while its turn has not come', () => {
    const rate = { key: 'mail', perMinute: 6, burst: 1 };
    const found = waiting({ rule: 'defer', rate, admitted: true, notBefore: soon });
    expect(found).toMatchObject({ reason: 'rate:mail', next: soon });
    expect(waiting({ rate, notBefore: soon })?.reason).toBe('time');
  });

  it('is the next look once it is too late to start', () => {
    for (const end of [{ startBy: now }, { deadline: earlier(now, seconds(1)) }])
      expect(waiting({ ...end, notBefore: soon })).toMatchObject({ reason: 'late', next: later(builtAt, seconds(45)) });
    expect(waiting({ startBy: soon, deadline: soon })?.reason).toBe('worker');
  });
});

describe('why a parked job waits', () => {
  it.each(['flow:nightly', 'slot:tenant:acme', 'signal:approve', 'children', 'stage', 'no_handler:mail'])(
    'is %s, until the sweep looks again',
    (parked) => {
      const found = waiting({ status: 'parked', parked, dueAt: soon });
      expect(found).toMatchObject({ reason: parked, next: soon, since: builtAt });
      const name = parked.slice(parked.indexOf(':') + 1);
      if (parked.includes(':')) expect(found?.detail).toContain(name);
      else expect(found?.detail).toMatch(/children|stage/);
    },
  );

  it('says how long at most, and gives a reason that it does not know as it is', () => {
    expect(waiting({ status: 'parked', parkedUntil: soon })?.detail).toContain(new Date(soon).toISOString());
    expect(waiting({ status: 'parked', parked: 'moon' })).toMatchObject({ reason: 'moon' });
  });
});

describe('why a running job waits', () => {
  it('is nothing while its worker is heard of', () => {
    expect(waiting({ status: 'running' })).toBeUndefined();
  });

  it('is its execution between stages, however late the sweep', () => {
    const between = { status: 'running', heldBy: 'execution', stage: 'parse' } as const;
    expect(waiting(between)).toMatchObject({ reason: 'execution', next: later(builtAt, seconds(45)) });
    expect(waiting(between)?.detail).toContain('parse');
    expect(waiting({ ...between, leaseUntil: builtAt })?.reason).toBe('execution');
  });

  it('is the cancel that it was told of, an operator, or the silence of its worker', () => {
    const cancel = { status: 'running', cancelRequested: 'not wanted' } as const;
    expect(waiting(cancel)).toMatchObject({ reason: 'cancel', next: later(builtAt, seconds(45)) });
    expect(waiting({ ...cancel, leaseUntil: now })?.reason).toBe('lapsed');
    expect(waiting({ status: 'running', leaseUntil: now, dueAt: soon })).toMatchObject({
      reason: 'lapsed',
      next: soon,
    });
    expect(waiting({ status: 'running', leaseOwner: undefined, leaseUntil: builtAt })?.reason).toBe('reclaimed');
  });
});

describe('an ended job', () => {
  it.each(terminalStatuses)('that is %s waits for nothing but a child that it owes', (status) => {
    expect(waiting({ status })).toBeUndefined();
    expect(waiting({ status, owes: 'describe', dueAt: soon })).toMatchObject({ reason: 'child', next: soon });
  });
});

describe('since when', () => {
  it('is when the last rule was applied, by the id of its write', () => {
    const writeId = newId('w', earlier(now, seconds(3)), seededChance(1));
    for (const status of jobStatuses.filter((each) => each === 'queued' || each === 'parked'))
      expect(waiting({ status, writeId })?.since).toBe(now - 3000);
    expect(waiting({ startedAt: now })?.since).toBe(now);
  });

  it('is not read off what is no id of that kind', () => {
    for (const id of ['w_first', '', 'w_ZZZZZZZZZZZZZZZZZZZZZZZZZZ' as WriteId]) expect(timeOfId(id)).toBeUndefined();
    expect(timeOfId(newId('w', now, seededChance(2)))).toBe(now);
    expect(() => timeOfId(derivedId('job', 'any'))).not.toThrow();
  });
});
