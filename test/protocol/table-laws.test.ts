// What must be true of the rule table itself, read as data and through `decide`.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../lib/job/row.ts';
import { type JobRuleName, jobRules } from '../../lib/job/rules.ts';
import { isTerminal, type JobStatus, jobStatuses } from '../../lib/job/status.ts';
import { decide, isOwnWork } from '../../lib/rule/decide.ts';
import { effectsOf, type Guard, type Rule } from '../../lib/rule/rule.ts';
import { aJobRow } from '../../lib/testing/builders.ts';

const rules = Object.entries(jobRules) as [JobRuleName, Rule][];
const loud = rules.filter(([, rule]) => rule.quiet !== true);
const quiet = rules.filter(([, rule]) => rule.quiet === true);
const byClaimant = ['heartbeat', 'checkpoint', 'succeed', 'fail', 'retry', 'exhaust', 'snooze'] as const;
const plain = (guards: readonly Guard[]): unknown[] => guards.filter((guard) => Array.isArray(guard));
const touched = (name: string, rule: Rule): string[] =>
  effectsOf(name, rule).map((effect) => Object.values(effect)[0] as string);

/** Small numbers, so that equality and boundaries are hit; parameters go together as their callers send them. */
const number = fc.integer({ min: 0, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const paramsFor = (terminal: boolean) =>
  fc
    .record({
      epoch: number,
      owner: fc.constantFrom('own_a', 'own_b'),
      now: number,
      nowSeconds: number,
      leaseUntil: number,
      lapsedBy: maybe(number),
      goneEpoch: maybe(number),
      goneOwner: maybe(fc.constant('own_a')),
      heldBy: fc.constantFrom('worker', 'execution'),
      dueAtRead: number,
      notBefore: number,
      expiresAt: maybe(number),
      version: number,
      previousNo: number,
      dueAt: number,
      owes: maybe(fc.constant('child')),
      progress: fc.constant({ done: 1, total: 2, note: '' }),
      input: fc.constant({ inline: '2' }),
    })
    .map((params) => ({
      ...params,
      cursorNo: params.previousNo + 1,
      dueAt: terminal && params.owes === undefined ? undefined : params.dueAt,
      writeId: 'w_new',
      submitId: 'w_new',
      error: { code: 'HANDLER_FAILED', detail: 'no', retriable: true },
      cancelReason: 'asked',
      parked: 'signal:go',
      gates: true,
    }));

const rowOf = (status: JobStatus) =>
  fc
    .record({
      epoch: number,
      version: number,
      leaseUntil: number,
      dueAt: number,
      attempts: number,
      crashes: number,
      cursorNo: number,
      notBefore: maybe(number),
      startBy: maybe(number),
      heldBy: fc.constantFrom('worker', 'execution'),
      leaseOwner: fc.constantFrom('own_a', 'own_b'),
      cancelRequested: maybe(fc.constant('asked')),
      expiresAt: maybe(number),
      owes: isTerminal(status) ? maybe(fc.constant('child')) : fc.constant(undefined),
    })
    .map((some) => {
      const running = status === 'running';
      const gone = { leaseUntil: undefined, leaseOwner: undefined, heldBy: undefined, cancelRequested: undefined };
      const due =
        isTerminal(status) && some.owes === undefined
          ? undefined
          : running
            ? Math.min(some.dueAt, some.leaseUntil)
            : some.dueAt;
      return aJobRow({ status, ...(some as Partial<JobRow>), ...(running ? {} : gone), dueAt: due as JobRow['dueAt'] });
    });

const applied = (
  name: JobRuleName,
  check: (before: JobRow, after: JobRow, params: Record<string, unknown>) => void,
) => {
  const rule: Rule = jobRules[name];
  let count = 0;
  for (const status of rule.from) {
    const terminal = isTerminal((rule.to ?? status) as JobStatus);
    fc.assert(
      fc.property(rowOf(status as JobStatus), paramsFor(terminal), (row, params) => {
        const decision = decide({ name, rule, params }, row);
        if (decision.kind === 'refused') return;
        count += 1;
        check(row, decision.row as JobRow, params);
      }),
      { numRuns: 400, seed: 1 },
    );
  }
  expect(rule.from.length === 0 || count > 0, `${name} was never applied`).toBe(true);
};

describe('the rule table', () => {
  it.each(byClaimant)('fences %s with the epoch and the owner', (name) => {
    const guards = plain(jobRules[name].when);
    expect(guards).toContainEqual(['epoch', '=', ':epoch']);
    expect(guards).toContainEqual(['leaseOwner', '=', ':owner']);
    expect(jobRules[name].from).toEqual(['running']);
  });

  it.each(quiet.map(([name, rule]) => [name, rule] as const))('lets %s, quiet, raise no version', (name, rule) => {
    expect(touched(name, rule)).not.toEqual(expect.arrayContaining(['version']));
    expect(touched(name, rule)).not.toEqual(expect.arrayContaining(['writeId']));
    expect(rule.to).toBeUndefined();
  });

  it.each(loud)('lets %s recognise itself by what only it could set', (_name, rule) => {
    expect(rule.ownedBy.length).toBeGreaterThan(0);
  });

  it.each(rules)('keeps %s free of a second application of the same copy', (name) => {
    applied(name, (_before, after, params) => {
      const rule: Rule = jobRules[name];
      const again = decide({ name, rule, params }, after);
      if (again.kind === 'refused') return;
      // Only quiet rules may hold again, and then they change nothing, or only when somebody looks.
      expect(rule.quiet, name).toBe(true);
    });
  });

  it.each(rules.filter(([, rule]) => rule.from.length > 0))('lets %s find its own work right after it', (name) => {
    applied(name, (_before, after, params) => {
      expect(isOwnWork({ name, rule: jobRules[name], params }, after)).toBe(true);
    });
  });
});

describe('each applied rule', () => {
  it.each(rules)('%s leaves dueAt exactly where a row may need waking', (name) => {
    applied(name, (_before, after) =>
      expect(after.dueAt !== undefined).toBe(!isTerminal(after.status) || after.owes !== undefined),
    );
  });

  it.each(rules)('%s leaves a lease only where a job runs', (name) => {
    applied(name, (_before, after) => {
      expect(after.leaseUntil !== undefined).toBe(after.status === 'running');
      expect(after.heldBy !== undefined).toBe(after.status === 'running');
      if (after.status !== 'running') expect(after.leaseOwner).toBeUndefined();
      expect(after.parked !== undefined).toBe(after.status === 'parked');
    });
  });

  it.each(['claim', 'heartbeat', 'watch', 're-arm-execution', 'request-cancel'] as const)(
    '%s lets the sweep look no later than the lease ends',
    (name) => {
      applied(name, (_before, after, params) => {
        const given = params['dueAt'] as number | undefined;
        if (given !== undefined && given > (params['leaseUntil'] as number)) return;
        expect(after.dueAt).toBeLessThanOrEqual(after.leaseUntil ?? 0);
      });
    },
  );

  it.each(rules)('%s never lowers the epoch, and is numbered unless it is quiet', (name) => {
    applied(name, (before, after) => {
      expect(after.epoch).toBeGreaterThanOrEqual(before.epoch);
      const { quiet: silent }: Rule = jobRules[name];
      expect(after.version).toBe(before.version + (silent === true ? 0 : 1));
    });
  });

  it.each(jobStatuses.filter(isTerminal))('leaves a %s job by a redrive only', (status) => {
    const leaving = rules.filter(([, rule]) => rule.from.includes(status) && rule.to !== undefined);
    expect(leaving.map(([name]) => name)).toEqual(status === 'succeeded' ? [] : ['redrive']);
  });
});
