import { describe, expect, it } from 'vitest';
import { epochMs } from '../../../../lib/core/time.ts';
import { type Plan, planOf } from '../../../../lib/job/schedule/plan.ts';
import type { ScheduleDefinition } from '../../../../lib/job/schedule/schedule.ts';

const MINUTE = 60_000;
const anchor = epochMs(0);
const minutely = { everySeconds: 60, anchor };
const aDefinition = (more: Partial<ScheduleDefinition>): ScheduleDefinition => ({
  ...{ kind: 'echo', input: 'null', timing: minutely, anchored: false },
  ...{ overlap: 'allow', catchUp: 'last', catchUpLimit: 100 },
  ...more,
});

/** The minutes that are run, and how many were passed over, when one looks at minute `now` and `next` was the first to come. */
function played(definition: ScheduleDefinition, next: number, now: number) {
  const run: number[] = [];
  let passed = 0;
  for (let at: number | undefined = next * MINUTE; at !== undefined && at <= now * MINUTE; ) {
    const plan: Plan = planOf(definition, epochMs(at), epochMs(now * MINUTE));
    if (plan.kind === 'run') run.push(plan.at / MINUTE);
    else passed += plan.count;
    at = plan.next;
  }
  return { run, passed };
}

describe('times that have come', () => {
  it('are each run where one looks in time', () => {
    for (const catchUp of ['none', 'last', 'all'] as const)
      expect(played(aDefinition({ catchUp }), 7, 7)).toEqual({ run: [7], passed: 0 });
  });

  it('are made up for as catchUp says', () => {
    expect(played(aDefinition({ catchUp: 'last' }), 1, 60)).toEqual({ run: [60], passed: 59 });
    expect(played(aDefinition({ catchUp: 'all' }), 58, 60)).toEqual({ run: [58, 59, 60], passed: 0 });
    expect(played(aDefinition({ catchUp: 'all', catchUpLimit: 2 }), 1, 60)).toEqual({ run: [59, 60], passed: 58 });
    expect(played(aDefinition({ catchUp: 'none' }), 1, 60)).toEqual({ run: [60], passed: 59 });
  });

  it('are dropped where the newest is more than five minutes late and catchUp is none', () => {
    const hourly = { everySeconds: 3600, anchor };
    const none = aDefinition({ catchUp: 'none', timing: hourly });
    expect(played(none, 60, 65)).toEqual({ run: [60], passed: 0 });
    expect(played(none, 60, 66)).toEqual({ run: [], passed: 1 });
    expect(played(aDefinition({ timing: hourly }), 60, 119)).toEqual({ run: [60], passed: 0 });
  });

  it('are gone through in bounded steps after a long outage', () => {
    expect(played(aDefinition({}), 1, 25_000)).toEqual({ run: [25_000], passed: 24_999 });
    const first = planOf(aDefinition({}), epochMs(MINUTE), epochMs(25_000 * MINUTE));
    expect(first).toMatchObject({ kind: 'pass', count: 10_000, next: 10_001 * MINUTE });
  });
});
