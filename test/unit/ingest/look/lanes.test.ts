import { expect, it } from 'vitest';
import type { Engine } from '../../../../lib/ingest/engine/engine.ts';
import { inLanes } from '../../../../lib/ingest/look/lanes.ts';

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
