// The bodies as the service's documentation has them; the client is one that answers what the service does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BedrockRuntimeClient, type InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { passes } from '../../../lib/ingest/describe/model.ts';
import { createBedrockEmbeddings } from '../../../lib/model/bedrock-embeddings.ts';

function clientOf(answer: unknown) {
  const sent: { readonly model: string | undefined; readonly body: unknown }[] = [];
  const send = async ({ input }: InvokeModelCommand) => {
    sent.push({ model: input.modelId, body: JSON.parse(input.body as string) });
    return { body: Buffer.from(JSON.stringify(answer)) };
  };
  return { sent, client: { send } as unknown as Pick<BedrockRuntimeClient, 'send'> };
}

describe('embedding models of Bedrock', () => {
  it('by Titan: a text a call, and the tokens that the answer counts', async () => {
    const answer = { embedding: [0.5, -0.25], inputTextTokenCount: 4, embeddingsByType: { float: [0.5, -0.25] } };
    const { sent, client } = clientOf(answer);
    const embeddings = createBedrockEmbeddings({ client, model: 'amazon.titan-embed-text-v2:0' });
    expect([embeddings.batch, embeddings.dimensions]).toEqual([1, 512]);
    const got = await embeddings.embed({ texts: ['net revenue'], as: 'document' });
    expect(got).toEqual({ vectors: [[0.5, -0.25]], tokens: 4 });
    expect(sent).toEqual([
      {
        model: 'amazon.titan-embed-text-v2:0',
        body: { inputText: 'net revenue', dimensions: 512, normalize: true },
      },
    ]);
  });

  it.each([
    ['cohere.embed-multilingual-v3', undefined, { truncate: 'END' }, 1024],
    ['eu.cohere.embed-v4:0', 256, { truncate: 'RIGHT', output_dimension: 256 }, 256],
  ])('by %s: many texts a call, told apart by what they are for', async (model, dimensions, more, given) => {
    const { sent, client } = clientOf({
      id: '1',
      embeddings: { float: [[1], [2]] },
      response_type: 'embeddings_by_type',
    });
    const embeddings = createBedrockEmbeddings({ client, model, dimensions });
    expect([embeddings.batch, embeddings.dimensions]).toEqual([96, given]);
    const documents = await embeddings.embed({ texts: ['a', 'b'], as: 'document' });
    expect(documents.vectors).toEqual([[1], [2]]);
    await embeddings.embed({ texts: ['a'], as: 'query' });
    const common = { embedding_types: ['float'], ...more };
    expect(sent).toEqual([
      { model, body: { texts: ['a', 'b'], input_type: 'search_document', ...common } },
      { model, body: { texts: ['a'], input_type: 'search_query', ...common } },
    ]);
  });

  it('count the tokens that a header names where the body names none', async () => {
    const response = {
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'x-amzn-bedrock-input-token-count': '7' },
      body: Buffer.from('{"embeddings":{"float":[[1]]}}'),
    };
    const client = new BedrockRuntimeClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      requestHandler: { handle: async () => ({ response }) },
    });
    const embeddings = createBedrockEmbeddings({ client, model: 'cohere.embed-english-v3' });
    expect(await embeddings.embed({ texts: ['a'], as: 'document' })).toEqual({ vectors: [[1]], tokens: 7 });
  });

  it('throws what passes where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const client = new BedrockRuntimeClient({
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', maxAttempts: 1 },
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const embeddings = createBedrockEmbeddings({ client, model: 'amazon.titan-embed-text-v2:0' });
    const thrown: unknown = await embeddings.embed({ texts: ['a'], as: 'query' }).catch((error: unknown) => error);
    expect(passes(thrown)).toBe(true);
  });

  it('throws for an answer of another form', async () => {
    const { client } = clientOf({ results: [{ outputText: 'words' }] });
    const embeddings = createBedrockEmbeddings({ client, model: 'amazon.titan-embed-text-v2:0' });
    await expect(embeddings.embed({ texts: ['a'], as: 'query' })).rejects.toThrow('embedding');
  });

  it('is refused for a model whose form nobody knows', () => {
    const { client } = clientOf({});
    expect(() => createBedrockEmbeddings({ client, model: 'amazon.nova-lite-v1:0' })).toThrow('no embedding model');
  });
});
