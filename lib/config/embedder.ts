// Which embedding model of Amazon Bedrock the search is fused with; none where nothing says so.
import * as z from 'zod';
import { cents, modelId, modelOfProfile, modelRegion } from './bedrock-model.ts';

export interface EmbeddingModel {
  /** That it gives: the first where nothing is said. */
  readonly dimensions: readonly [number, ...number[]];
  /** Texts that one call takes. */
  readonly batch: number;
}

/** Those whose requests and answers are known. */
const embeddingModels: Readonly<Record<string, EmbeddingModel>> = {
  'amazon.titan-embed-text-v2:0': { dimensions: [512, 256, 1024], batch: 1 },
  'cohere.embed-english-v3': { dimensions: [1024], batch: 96 },
  'cohere.embed-multilingual-v3': { dimensions: [1024], batch: 96 },
  'cohere.embed-v4:0': { dimensions: [512, 256, 1024, 1536], batch: 96 },
};

/** By the id of the model, or of an inference profile of it. */
export const embeddingModel = (model: string): EmbeddingModel | undefined => embeddingModels[modelOfProfile(model)];

export const embedderSchema = z
  .strictObject({
    /** The id of a model, or of an inference profile of one. */
    model: modelId,
    /** The region whose endpoint is asked; that of the function where left out. */
    region: modelRegion.optional(),
    /** Of a vector: a byte each. */
    dimensions: z.int().optional(),
    /** What one job, and one workspace in a month, may cost; what describing costs counts towards the same. */
    runCents: cents,
    monthCents: cents,
    /** Cents for a million tokens, where they are not those of the price list of the release. */
    price: cents.optional(),
  })
  .superRefine(({ model, dimensions }, context) => {
    const known = embeddingModel(model);
    if (known === undefined) {
      const message = `It is none of the embedding models that can be asked: ${Object.keys(embeddingModels).join(', ')}.`;
      context.addIssue({ code: 'custom', path: ['model'], message });
    } else if (dimensions !== undefined && !known.dimensions.includes(dimensions)) {
      const message = `The model has ${known.dimensions.toSorted((one, other) => one - other).join(', ')} dimensions.`;
      context.addIssue({ code: 'custom', path: ['dimensions'], message });
    }
  });
export type EmbedderConfig = z.output<typeof embedderSchema>;

/** From JSON; undefined for none. Throws an Error in a sentence. */
export function readEmbedder(json: string | undefined): EmbedderConfig | undefined {
  if (json === undefined || json === '') return undefined;
  const parsed = embedderSchema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new Error(`EMBEDDER cannot be read: ${z.prettifyError(parsed.error)}`);
}
