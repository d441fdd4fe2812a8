import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampler, type SamplerState, takenBehind } from '../../../../lib/ingest/csv/sample.ts';

const fresh: SamplerState = { block: -1, room: 0, all: true };

it('a sample that was taken alone is, put behind those before it, what one sampler takes', () => {
  const sizes = fc.array(fc.constantFrom(1, 300, 5000, 9000, 20_000, 300_000), { minLength: 1, maxLength: 40 });
  const run = (records: readonly { at: number; size: number }[], from: SamplerState) => {
    const sample = sampler(2 ** 21, from);
    for (const { at, size } of records) sample.offer(Buffer.alloc(size), 0, size, at);
    return { records: sample.taken().map(({ length }) => length), state: sample.state() };
  };
  fc.assert(
    fc.property(sizes, fc.nat(40), (all, cut) => {
      let end = 0;
      const records = all.map((size) => ({ size, at: (end += size) - size }));
      const before = run(records.slice(0, cut), fresh).state;
      const alone = run(records.slice(cut), fresh);
      expect(takenBehind(before, alone, (size) => size)).toEqual(run(records.slice(cut), before));
    }),
    { numRuns: 500 },
  );
});
