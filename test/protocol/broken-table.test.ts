// The safety simulation must notice a table that lacks a guard: each of these breaks one thing, and a run must turn red.
import { describe, expect, it } from 'vitest';
import { jobRules, type JobRuleName } from '../../lib/job/rules.ts';
import type { Guard, Rule } from '../../lib/rule/rule.ts';
import { everyFault } from '../../lib/testing/simulation/faults.ts';
import { explored } from './support/seeds.ts';

const on = (guard: Guard, attribute: string): boolean => Array.isArray(guard) && guard[0] === attribute;

function without(names: readonly JobRuleName[], attributes: readonly string[]): Record<JobRuleName, Rule> {
  const broken: Record<string, Rule> = { ...jobRules };
  for (const name of names) {
    const rule: Rule = jobRules[name];
    broken[name] = { ...rule, when: rule.when.filter((guard) => !attributes.some((each) => on(guard, each))) };
    expect(broken[name].when.length).toBeLessThan(rule.when.length);
  }
  return broken;
}

const cases: readonly (readonly [string, Record<JobRuleName, Rule>, number])[] = [
  ['succeed without its fence', without(['succeed'], ['epoch', 'leaseOwner']), 600],
  ['fail, retry and snooze without their fence', without(['fail', 'retry', 'snooze'], ['epoch', 'leaseOwner']), 600],
  ['heartbeat without its fence', without(['heartbeat'], ['epoch', 'leaseOwner']), 600],
  ['checkpoint without its fence', without(['checkpoint'], ['epoch', 'leaseOwner', 'cursorNo']), 600],
  ['claim without the epoch that was rung', without(['claim'], ['epoch']), 600],
  ['cancel without the version that was read', without(['cancel'], ['version']), 1500],
];

describe('the simulation turns red for', () => {
  it.each(cases)('%s', async (_name, rules, within) => {
    const { broken } = await explored(within, (seed) => ({ seed, faults: everyFault, rules }));
    expect(broken?.violation?.message).toBeTypeOf('string');
    expect(broken?.trace.length).toBeGreaterThan(0);
  });
});
