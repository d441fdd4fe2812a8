import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesIn, partsLookedAt, partsWithin } from '../../../../lib/ingest/stages/some-parts.ts';

const partOf = (bytes: number, index: number) => ({ key: `part-${index}`, bytes, rows: 10 });
const even = (count: number) => Array.from({ length: count }, (_, index) => partOf(100, index));
const places = (parts: readonly { readonly key: string }[]) => parts.map(({ key }) => Number(key.slice(5)));

const tables = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 }).map((sizes) => sizes.map(partOf));
const bounds = fc.record({ bytes: fc.integer({ min: 0, max: 400 }), seed: fc.string() });

describe('the parts of a table that are looked at', () => {
  it('fit their bound, stand in their order, are the same each time, and leave no part out that would fit', () => {
    fc.assert(
      fc.property(tables, bounds, (parts, bound) => {
        const some = partsWithin(parts, bound);
        const room = bound.bytes - bytesIn(some);
        expect(room).toBeGreaterThanOrEqual(0);
        expect(some).toEqual(parts.filter((part) => some.includes(part)));
        expect(partsWithin(parts, bound)).toEqual(some);
        for (const part of parts) if (!some.includes(part)) expect(part.bytes).toBeGreaterThan(room);
      }),
    );
  });

  it('are all where they fit, to the byte', () => {
    expect(partsWithin(even(20), { bytes: 2000, seed: 'a' })).toEqual(even(20));
    expect(partsWithin(even(20), { bytes: 1999, seed: 'a' })).toHaveLength(19);
  });

  it.each([2, 3, 5, 8, 20, 60])(
    'lie evenly over the table: %i of 100 leave no gap of twice their distance',
    (count) => {
      for (const seed of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const chosen = places(partsWithin(even(100), { bytes: 100 * count, seed }));
        expect(chosen).toHaveLength(count);
        const gaps = chosen.map((place, at) => (chosen[at + 1] ?? (chosen[0] ?? 0) + 100) - place);
        expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * Math.ceil(100 / count));
      }
    },
  );

  it('differ with the seed', () => {
    const chosen = ['a', 'b', 'c', 'd'].map((seed) => places(partsWithin(even(100), { bytes: 500, seed })).join());
    expect(new Set(chosen).size).toBe(4);
  });

  it('are the smallest one where none fits, and none of a table without parts', () => {
    const parts = [300, 200, 250].map(partOf);
    expect(partsWithin(parts, { bytes: 100, seed: 'a' })).toEqual([]);
    expect(places(partsLookedAt(parts, { bytes: 100, seed: 'a' }))).toEqual([1]);
    expect(partsLookedAt([], { bytes: 100, seed: 'a' })).toEqual([]);
  });
});
