// The protocol under random interleavings and faults. `MILLRACE_SEED=17 npx vitest run test/protocol/safety.test.ts` replays one seed with its
// trace; `MILLRACE_RUNS=20000` runs more of them.
import { expect, it } from 'vitest';
import { jobRules } from '../../lib/job/rules.ts';
import { answersOnly, everyFault, type Faults } from '../../lib/testing/simulation/faults.ts';
import { simulate } from '../../lib/testing/simulation/simulate.ts';
import { explored, firstSeed, runs, told } from './support/seeds.ts';

const profiles: readonly (readonly [string, Faults])[] = [
  ['whatever goes wrong, nothing is lost, settled twice or written by a zombie', everyFault],
  ['a lost answer costs no attempt, no crash and no wait for the sweep', answersOnly],
];

it.each(profiles)('%s', async (_law, faults) => {
  console.log(`seeds ${firstSeed} to ${firstSeed + runs - 1}`);
  const { broken } = await explored(runs, (seed) => ({ seed, faults }));
  expect(broken === undefined ? 'no violation' : told(broken)).toBe('no violation');
});

it('visits every rule that this version writes', async () => {
  const { rules } = await explored(150, (seed) => ({ seed, faults: everyFault }));
  const notWritten = ['park', 'unpark', 'entomb', 'pay', 'redrive'];
  expect(Object.keys(jobRules).filter((name) => !(name in rules))).toEqual(notWritten);
});

it('replays a seed exactly', async () => {
  const options = { seed: 7, faults: everyFault, traced: true };
  const [once, again] = [await simulate(options), await simulate(options)];
  expect(once.trace.length).toBeGreaterThan(10);
  expect(again.trace).toEqual(once.trace);
});
