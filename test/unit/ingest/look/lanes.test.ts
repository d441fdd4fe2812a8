import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Engine } from '../../../../lib/ingest/engine/engine.ts';
import { evenShares, inLanes } from '../../../../lib/ingest/look/lanes.ts';

const engines = [{ name: 'one' }, { name: 'other' }] as unknown as readonly [Engine, Engine];

it('what several engines find stands in the order of what they were given, and each engine does one thing at a time', async () => {
  const busy = new Set<Engine>();
  const found = await inLanes(engines, [3, 1, 2, 0], async (engine, turns, place) => {
    expect(busy.has(engine)).toBe(false);
    busy.add(engine);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    busy.delete(engine);
    return `${turns} at ${place}`;
  });
  expect(found).toEqual(['3 at 0', '1 at 1', '2 at 2', '0 at 3']);
});

it('where one fails nothing is begun after it, and the others have ended', async () => {
  const [begun, ended]: number[][] = [[], []];
  let release = (): void => undefined;
  const other = new Promise<void>((done) => (release = done));
  const work = inLanes(engines, [0, 1, 2, 3], async (_, thing) => {
    begun?.push(thing);
    if (thing === 0) throw new Error('no memory');
    await other;
    ended?.push(thing);
  });
  release();
  await expect(work).rejects.toThrow('no memory');
  expect([begun, ended]).toEqual([[0, 1], [1]]);
});

it('shares hold every place once, none is empty, and none weighs more than the lightest and its own lightest thing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 20 }), fc.integer({ min: 1, max: 4 }), (weights, most) => {
      const shares = evenShares(weights, most).map((places) => [...places]);
      expect(shares.flat().toSorted((a, b) => a - b)).toEqual(weights.map((_, place) => place));
      expect(shares.length).toBe(Math.min(most, weights.length));
      expect(shares.every(({ length }) => length > 0)).toBe(true);
      const weighs = shares.map((places) => places.reduce((sum, place) => sum + (weights[place] ?? 0), 0));
      const lightest = Math.min(...weighs);
      for (const [at, places] of shares.entries())
        expect((weighs[at] ?? 0) - Math.min(...places.map((place) => weights[place] ?? 0))).toBeLessThanOrEqual(
          lightest,
        );
    }),
  );
});

it('a column that takes long is drawn beside all that take little', () => {
  expect(evenShares([1, 1, 19, 8, 7, 1], 2).map((places) => [...places].toSorted((a, b) => a - b))).toEqual([
    [2],
    [0, 1, 3, 4, 5],
  ]);
});
