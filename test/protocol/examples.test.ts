// Kinds of examples/ under the faults of the simulation, as a user runs theirs.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { kinds } from '../../examples/kinds.ts';
import { jobRules } from '../../lib/job/rules.ts';
import { defineJob, minutes } from '../../lib/millrace.ts';
import { explore } from '../../lib/testing/simulation/explore.ts';
import { optionsFor, type OwnOrder, simulate, simulateKinds } from '../../lib/testing/testing.ts';

const orders: readonly [OwnOrder, ...OwnOrder[]] = [
  { kind: 'text.fingerprint', input: { text: 'hello' } },
  { kind: 'purchase', input: { item: 'cups', pieces: 4, centsEach: 250 } },
  { kind: 'report.monthly', input: { dataset: 'none', file: 'none' } },
];

describe('own kinds in the simulation', () => {
  it('keep every law, jobs and pipelines', async () => {
    const { broken, rules } = await simulateKinds(kinds, { orders, count: 60 });
    expect(broken).toEqual([]);
    for (const rule of ['succeed', 'fail', 'begin', 'reap'])
      expect([rule, rules[rule]]).toEqual([rule, expect.any(Number)]);
  });

  it('are judged: with a table that lets anybody settle, a handler that outlives its lease is found out', async () => {
    const slow = defineJob({
      kind: 'slow',
      input: z.null(),
      run: (ctx) => ctx.clock.sleep(minutes(2)).then(() => ctx.epoch),
    });
    const options = optionsFor([slow], [{ kind: 'slow', input: null }]);
    const rules = { ...jobRules, succeed: { ...jobRules.succeed, when: [] } };
    const broken = async (more: object) =>
      (await explore({ from: 1, count: 40, untilBroken: true }, { ...options, ...more })).broken;
    expect(await broken({})).toEqual([]);
    expect(await broken({ rules })).not.toEqual([]);
  });

  it('are told line by line for one seed', async () => {
    const { trace } = await simulate({ ...optionsFor(kinds, orders), seed: 3, traced: true });
    expect(trace.length).toBeGreaterThan(10);
  });
});
