import { describe, expect, it } from 'vitest';
import { costOf, pricesAsOf, priceOf, toCents, toMicrocents } from '../../../../lib/ingest/describe/prices.ts';

describe('prices of models', () => {
  it('are those of the model behind an inference profile, and none for a model that is not listed', () => {
    const price = priceOf('anthropic.claude-3-haiku-20240307-v1:0');
    expect(price).toEqual({ input: 25, output: 125 });
    expect(priceOf('eu.anthropic.claude-3-haiku-20240307-v1:0')).toEqual(price);
    expect(priceOf('unheard.of-v1:0')).toBeUndefined();
    expect(pricesAsOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('are cents for a million tokens, and sums of millionths are exact', () => {
    const once = costOf({ input: 25, output: 125 }, { input: 1, output: 1 });
    expect(once).toBe(150);
    expect(toCents(once * 1_000_000)).toBe(150);
    expect(toCents(1)).toBe(0.0001);
    expect(toMicrocents(0.5)).toBe(500_000);
  });
});
