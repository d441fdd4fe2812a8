// The safety simulation must notice a table that lacks a guard: each of these breaks one thing, and a run must turn red.
import { describe, expect, it } from 'vitest';
import { jobRules, type JobRuleName } from '../../lib/job/rules.ts';
import type { Guard, Rule } from '../../lib/rule/rule.ts';
import { answersOnly, everyFault, type Faults, recoverable } from '../../lib/testing/simulation/faults.ts';
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

const undated: Rule = { ...jobRules.claim, when: jobRules.claim.when.filter((guard) => !('unlessGiven' in guard)) };

/** It never applies. */
const unheeded: Rule = { ...jobRules.crash, when: [...jobRules.crash.when, ['id', 'absent']] };

const manyFreezes: Faults = { ...everyFault, freeze: 0.04, crash: 0 };
const manyCopies: Faults = { ...everyFault, lateCopy: 0.3, lateCall: 0.1 };

type Case = readonly [name: string, rules: Record<JobRuleName, Rule>, within: number, faults: Faults];
const cases: readonly Case[] = [
  ['succeed without its fence', without(['succeed'], ['epoch', 'leaseOwner']), 600, everyFault],
  [
    'fail, retry and snooze without their fence',
    without(['fail', 'retry', 'snooze'], ['epoch', 'leaseOwner']),
    600,
    everyFault,
  ],
  ['heartbeat without its fence', without(['heartbeat'], ['epoch', 'leaseOwner']), 600, manyFreezes],
  ['checkpoint without its fence', without(['checkpoint'], ['epoch', 'leaseOwner', 'cursorNo']), 600, everyFault],
  ['claim without the epoch that was rung', without(['claim'], ['epoch']), 600, manyCopies],
  ['reap without the lapse', without(['reap'], ['leaseUntil']), 100, answersOnly],
  ['a dead stage that is left to the sweep', { ...jobRules, crash: unheeded }, 100, recoverable],
  ['claim that may stand in the index after its lease', { ...jobRules, claim: undated }, 600, everyFault],
];

describe('the simulation turns red for', () => {
  it.each(cases)('%s', async (_name, rules, within, faults) => {
    const { broken } = await explored(within, (seed) => ({ seed, faults, rules }));
    expect(broken?.violation?.message).toBeTypeOf('string');
    expect(broken?.trace.length).toBeGreaterThan(0);
  });
});
