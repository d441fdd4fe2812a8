// The embedding model that search is fused with, as a deployment names it; its client is made at the first text.
import { modelOfProfile } from '../../lib/config/bedrock-model.ts';
import { type EmbedderConfig, embeddingModel } from '../../lib/config/embedder.ts';
import { systemChance } from '../../lib/core/chance.ts';
import { must } from '../../lib/core/check.ts';
import { embeddingPriceOf, toMicrocents } from '../../lib/ingest/describe/prices.ts';
import type { EmbedderSettings, Embeddings } from '../../lib/ingest/search/vectors/embeddings.ts';

/** Undefined where none is configured. */
export function openEmbedder(config: EmbedderConfig | null | undefined): EmbedderSettings | undefined {
  if (config === null || config === undefined) return undefined;
  const { model, runCents, monthCents } = config;
  const { batch, dimensions } = must(embeddingModel(model), 'an embedding model that the settings know');
  const input = must(config.price ?? embeddingPriceOf(model), 'the price of an embedding model');
  let opened: Promise<Embeddings> | undefined;
  const open = () => (opened ??= import('./bedrock.ts').then(({ openEmbeddings }) => openEmbeddings(config)));
  return {
    embeddings: {
      model: modelOfProfile(model),
      dimensions: config.dimensions ?? dimensions[0],
      batch,
      embed: async (question) => (await open()).embed(question),
    },
    price: { input, output: 0 },
    limits: { run: toMicrocents(runCents), month: toMicrocents(monthCents) },
    chance: systemChance,
  };
}
