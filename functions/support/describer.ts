// The model that describes tables, as a deployment names it; its client is made at the first question.
import type { DescriberConfig } from '../../lib/config/describer.ts';
import { systemChance } from '../../lib/core/chance.ts';
import type { ModelSettings } from '../../lib/ingest/describe/describing.ts';
import type { Model } from '../../lib/ingest/describe/model.ts';
import { priceOf, pricesAsOf, toMicrocents } from '../../lib/ingest/describe/prices.ts';

/** Undefined where none is configured. Throws an Error for a model whose price nobody says. */
export function openDescriber(config: DescriberConfig | null | undefined): ModelSettings | undefined {
  if (config === null || config === undefined) return undefined;
  const { model: id, runCents, monthCents } = config;
  const price = config.prices ?? priceOf(id);
  if (price === undefined)
    throw new Error(`The price list of ${pricesAsOf} has no model ${id}; say what a million tokens cost.`);
  let opened: Promise<Model> | undefined;
  const open = () => (opened ??= import('./bedrock.ts').then(({ openBedrock }) => openBedrock(config)));
  return {
    model: { id, ask: async (question) => (await open()).ask(question) },
    price,
    limits: { run: toMicrocents(runCents), month: toMicrocents(monthCents) },
    chance: systemChance,
  };
}
