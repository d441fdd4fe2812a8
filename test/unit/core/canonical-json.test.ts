import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../lib/core/canonical-json.ts';

/** The same value with the members of every object in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

describe('canonical JSON', () => {
  it('is the same in whatever order the members stand', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('tells values apart, lists by their order and members by any name', () => {
    const texts = ['{"a":[1,2]}', '{"a":[2,1]}', '{"a":"1"}', '{"a":1}', '{"a":null}', '{}', '{"__proto__":{"a":1}}'];
    const seen = new Set(texts.map((text) => canonicalJson(JSON.parse(text))));
    expect([...seen]).toEqual(texts);
  });
});
