// A broken run is made small enough to read, and still breaks the same law when it is replayed.
import { expect, it } from 'vitest';
import { type JobRuleName, jobRules } from '../../lib/job/rules.ts';
import type { Rule } from '../../lib/rule/rule.ts';
import { shrink } from '../../lib/testing/simulation/shrink.ts';
import { simulate } from '../../lib/testing/simulation/simulate.ts';
import { explored } from './support/seeds.ts';

const { reap }: Record<JobRuleName, Rule> = jobRules;
/** Reaps whether or not the lease is over. */
const hasty: Record<JobRuleName, Rule> = {
  ...jobRules,
  reap: { ...reap, when: reap.when.filter((guard) => !Array.isArray(guard) || guard[0] !== 'leaseUntil') },
};

it('a broken run shrinks to a few jobs and choices of the same law', async () => {
  const { broken } = await explored(300, (seed) => ({ seed, rules: hasty }));
  const options = { seed: broken?.seed ?? 0, rules: hasty };
  const shrunk = await shrink(options);
  expect(shrunk?.result.violation?.law).toBe(broken?.violation?.law);
  expect(shrunk?.jobs).toBeLessThanOrEqual(3);
  expect(shrunk?.kept).toBeLessThan((shrunk?.drawn ?? 0) / 10);
  expect(shrunk?.result.trace.length).toBeLessThan(broken?.trace.length ?? 0);
});

it('a run that breaks no law has nothing to shrink', async () => {
  expect((await simulate({ seed: 3 })).violation).toBeUndefined();
  expect(await shrink({ seed: 3 })).toBeUndefined();
});
