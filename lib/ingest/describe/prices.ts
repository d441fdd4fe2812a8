// What models cost, in cents for a million tokens, as Amazon Bedrock listed it on the day given: on demand, text, without caching; where
// regions differ the dearer one. A model that is not here is used with prices that the deployment names, and not without.
import { modelOfProfile } from '../../config/bedrock-model.ts';

export interface Price {
  /** Cents for a million tokens of the question, and of the answer. */
  readonly input: number;
  readonly output: number;
}

export const pricesAsOf = '2026-04-10';

const prices: Readonly<Record<string, Price>> = {
  'amazon.nova-lite-v1:0': { input: 6, output: 24 },
  'amazon.nova-micro-v1:0': { input: 4, output: 14 },
  'amazon.nova-pro-v1:0': { input: 80, output: 320 },
  'anthropic.claude-3-5-haiku-20241022-v1:0': { input: 80, output: 400 },
  'anthropic.claude-3-haiku-20240307-v1:0': { input: 25, output: 125 },
  'anthropic.claude-haiku-4-5-20251001-v1:0': { input: 110, output: 550 },
  'anthropic.claude-sonnet-4-5-20250929-v1:0': { input: 330, output: 1650 },
};

/** Of embedding models, which answer no tokens. */
const embeddingPrices: Readonly<Record<string, number>> = {
  'amazon.titan-embed-text-v2:0': 2,
  'cohere.embed-english-v3': 10,
  'cohere.embed-multilingual-v3': 10,
  'cohere.embed-v4:0': 12,
};

export const priceOf = (model: string): Price | undefined => prices[modelOfProfile(model)];
export const embeddingPriceOf = (model: string): number | undefined => embeddingPrices[modelOfProfile(model)];

/** Millionths of a cent. */
export const costOf = ({ input, output }: Price, tokens: { readonly input: number; readonly output: number }): number =>
  Math.ceil(input * tokens.input + output * tokens.output);

const MICRO = 1_000_000;
export const toMicrocents = (cents: number): number => Math.round(cents * MICRO);
/** To a ten-thousandth of a cent, rounded up. */
export const toCents = (microcents: number): number => Math.ceil(microcents / 100) / 10_000;
