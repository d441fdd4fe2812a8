// What must be true of the rule table itself: each law, for each rule that it is about, over the same cases each time.
import { describe, expect, it } from 'vitest';
import { type JobRuleName, jobRules } from '../../lib/job/rules.ts';
import { isTerminal, jobStatuses } from '../../lib/job/status.ts';
import type { Guard, Rule } from '../../lib/rule/rule.ts';
import { casesOf } from './support/laws/cases.ts';
import { brokenLaw, laws } from './support/laws/laws.ts';

const rules = Object.entries(jobRules) as [JobRuleName, Rule][];
const names = rules.map(([name]) => name);
const byClaimant = ['heartbeat', 'checkpoint', 'succeed', 'fail', 'retry', 'exhaust', 'snooze'] as const;
const plain = (guards: readonly Guard[]): unknown[] => guards.filter((guard) => Array.isArray(guard));

describe('the rule table', () => {
  it.each(names)('lets %s keep every law', (name) => {
    expect(brokenLaw(name)).toBeUndefined();
  });

  it.each(names)('is looked at where %s is applied, and where it is refused', (name) => {
    const applied = casesOf(name).filter(({ after }) => after !== undefined).length;
    expect(applied).toBeGreaterThan(10);
    expect(applied).toBeLessThan(casesOf(name).length);
  });

  it('has no law that is about nothing', () => {
    expect(laws.filter(({ rules: about }) => about?.some((name) => !names.includes(name)))).toEqual([]);
  });

  it.each(byClaimant)('fences %s with the epoch and the owner', (name) => {
    const guards = plain(jobRules[name].when);
    expect(guards).toContainEqual(['epoch', '=', ':epoch']);
    expect(guards).toContainEqual(['leaseOwner', '=', ':owner']);
    expect(jobRules[name].from).toEqual(['running']);
  });

  it.each(rules.filter(([, rule]) => rule.quiet !== true))(
    'lets %s recognise itself by what only it could set',
    (_name, rule) => {
      expect(rule.ownedBy.length).toBeGreaterThan(0);
    },
  );

  it.each(jobStatuses.filter(isTerminal))('leaves a %s job by a redrive only', (status) => {
    const leaving = rules.filter(([, rule]) => rule.from.includes(status) && rule.to !== undefined);
    expect(leaving.map(([name]) => name)).toEqual(status === 'succeeded' ? [] : ['redrive']);
  });
});
