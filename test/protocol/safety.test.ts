// The protocol under random interleavings and faults, the same seeds each time. `npm run simulate` runs more of them, and replays one.
import { expect, it } from 'vitest';
import { jobRules } from '../../lib/job/rules.ts';
import { answersOnly, everyFault, recoverable } from '../../lib/testing/simulation/faults.ts';
import { schedule, simulate } from '../../lib/testing/simulation/simulate.ts';
import { explored, seedsOfFile, told } from './support/seeds.ts';

it('whatever goes wrong, nothing is lost, settled twice or written by a zombie', async () => {
  const { broken, choices, faults } = await explored(seedsOfFile, (seed) => ({ seed }));
  expect(broken === undefined ? 'no violation' : told(broken)).toBe('no violation');
  expect(choices).toBeGreaterThanOrEqual(schedule.choices);
  expect(faults).toBeGreaterThanOrEqual(schedule.faultsPerCall);
}, 240_000);

it('a lost answer costs no attempt, no crash and no wait for the sweep', async () => {
  const { broken } = await explored(100, (seed) => ({ seed, faults: answersOnly }));
  expect(broken === undefined ? 'no violation' : told(broken)).toBe('no violation');
});

it('the published recovery bounds hold', async () => {
  const { broken } = await explored(100, (seed) => ({ seed, faults: recoverable }));
  expect(broken === undefined ? 'no violation' : told(broken)).toBe('no violation');
});

it('visits every rule that this version writes', async () => {
  const { rules } = await explored(120, (seed) => ({ seed, faults: everyFault }));
  expect(Object.keys(jobRules).filter((name) => !(name in rules))).toEqual([]);
});

it('replays a seed exactly', async () => {
  const options = { seed: 7, faults: everyFault, traced: true };
  const [once, again] = [await simulate(options), await simulate(options)];
  expect(once.trace.length).toBeGreaterThan(10);
  expect(again.trace).toEqual(once.trace);
});
