// Embedding models of Amazon Bedrock, by InvokeModel: the body of a request and of its answer is each model family's own. The client sends
// nothing twice by itself: who asks knows what a call costs.
import { type BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import * as z from 'zod';
import { modelOfProfile } from '../config/bedrock-model.ts';
import { embeddingModel } from '../config/embedder.ts';
import type { EmbeddingAnswer, EmbeddingQuestion, Embeddings } from '../ingest/search/vectors/embeddings.ts';

export interface BedrockEmbeddingsOptions {
  readonly client: Pick<BedrockRuntimeClient, 'send'>;
  /** The id of a model, or of an inference profile of one. */
  readonly model: string;
  /** One of those that the model gives; its first where left out. */
  readonly dimensions?: number | undefined;
}

interface ModelFamily {
  body(question: EmbeddingQuestion, dimensions: number): unknown;
  answer(body: unknown): EmbeddingAnswer;
}

const numbers = z.array(z.number());

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const titan: ModelFamily = {
  body: ({ texts: [inputText] }, dimensions) => ({ inputText, dimensions, normalize: true }),
  answer: (body) => {
    const { embedding, inputTextTokenCount } = z
      .object({ embedding: numbers, inputTextTokenCount: z.int().optional() })
      .parse(body);
    return { vectors: [embedding], tokens: inputTextTokenCount };
  },
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html; what is cut off is named differently. */
const cohere = (more: (dimensions: number) => object): ModelFamily => ({
  body: ({ texts, as }, dimensions) => ({
    ...{ texts, input_type: `search_${as}`, embedding_types: ['float'] },
    ...more(dimensions),
  }),
  answer: (body) => {
    const { embeddings } = z.object({ embeddings: z.object({ float: z.array(numbers) }) }).parse(body);
    return { vectors: embeddings.float };
  },
});

const families: Readonly<Record<string, ModelFamily>> = {
  'amazon.titan-embed-text-v2:0': titan,
  'cohere.embed-english-v3': cohere(() => ({ truncate: 'END' })),
  'cohere.embed-multilingual-v3': cohere(() => ({ truncate: 'END' })),
  'cohere.embed-v4:0': cohere((dimensions) => ({ truncate: 'RIGHT', output_dimension: dimensions })),
};

/** `embed` throws what the SDK throws. Throws an Error for a model that the settings do not know. */
export function createBedrockEmbeddings({ client, model, dimensions }: BedrockEmbeddingsOptions): Embeddings {
  const known = modelOfProfile(model);
  const family = families[known];
  const facts = embeddingModel(known);
  if (family === undefined || facts === undefined)
    throw new Error(`${model} is no embedding model that is known here.`);
  const given = dimensions ?? facts.dimensions[0];
  return {
    model: known,
    dimensions: given,
    batch: facts.batch,
    embed: async (question) => {
      const { signal } = question;
      const command = new InvokeModelCommand({
        modelId: model,
        contentType: 'application/json',
        accept: 'application/json',
        body: JSON.stringify(family.body(question, given)),
      });
      const counted = countTokens(command);
      const { body } = await client.send(command, signal === undefined ? {} : { abortSignal: signal });
      const answer = family.answer(JSON.parse(Buffer.from(body).toString('utf8')));
      return { ...answer, tokens: answer.tokens ?? counted.tokens };
    },
  };
}

/** Not every body says how many tokens were charged; a header of the answer does. */
function countTokens(command: InvokeModelCommand): { tokens?: number | undefined } {
  const counted: { tokens?: number | undefined } = {};
  command.middlewareStack.add(
    (next) => async (args) => {
      const answered = await next(args);
      const { headers } = answered.response as { readonly headers?: Readonly<Record<string, string>> };
      const tokens = Number(headers?.['x-amzn-bedrock-input-token-count']);
      if (Number.isSafeInteger(tokens)) counted.tokens = tokens;
      return answered;
    },
    { step: 'deserialize', name: 'countTokens' },
  );
  return counted;
}
