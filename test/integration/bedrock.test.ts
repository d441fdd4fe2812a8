// Models through the local cloud's Bedrock runtime, which hands each question to the server of this test: one with a tool is answered by
// the schema of the tool, one without by a vector. An emulator of its own, since what it hands on is set at its start.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { BedrockRuntimeClient, type InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededChance } from '../../lib/core/chance.ts';
import { createBedrockModel } from '../../lib/model/bedrock.ts';
import { createBedrockEmbeddings } from '../../lib/model/bedrock-embeddings.ts';
import { type Emulator, startEmulator } from '../../scripts/cloud/emulator.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { embedderOf, standInEmbeddings } from '../support/stand-in-embeddings.ts';

interface Chat {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: Schema } }[];
  readonly tool_choice: unknown;
}
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly enum?: readonly unknown[];
}

/** The least that fits a schema; arrays count their items. */
function fitting(schema: Schema, place = 1): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fitting(each, place)]),
    );
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, (_, index) => fitting(schema.items ?? {}, index + 1));
  return schema.type === 'integer' ? place : `Words of the model, ${place}.`;
}

async function called([tool]: NonNullable<Chat['tools']>) {
  const call = { name: tool?.function.name, arguments: JSON.stringify(fitting(tool?.function.parameters ?? {})) };
  return { content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] };
}

const DIMENSIONS = 256;
/** The vector of what is asked, as text: the local cloud answers for every model of the family with text. */
async function embedded({ messages }: Chat) {
  const { embed } = standInEmbeddings({ dimensions: DIMENSIONS });
  const { vectors } = await embed({ texts: messages.map(({ content }) => content), as: 'document' });
  return { content: JSON.stringify(vectors[0]) };
}

/** What the client of the SDK sends and hears, but for the form of the body: the vector in it stands where the service has it. */
const embeddingClient = (real: BedrockRuntimeClient) =>
  ({
    send: async (command: InvokeModelCommand, options: object) => {
      const answered = await real.send(command, options);
      const { inputTextTokenCount, results } = JSON.parse(Buffer.from(answered.body).toString()) as {
        readonly inputTextTokenCount: number;
        readonly results: readonly { readonly outputText: string }[];
      };
      const embedding = JSON.parse(results[0]?.outputText ?? '[]') as number[];
      return { ...answered, body: Buffer.from(JSON.stringify({ embedding, inputTextTokenCount })) };
    },
  }) as unknown as Pick<BedrockRuntimeClient, 'send'>;

const asked: Chat[] = [];
let server: Server;
let emulator: Emulator;
let stateDir: string;
const client = () =>
  new BedrockRuntimeClient({
    endpoint: emulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });

beforeAll(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const chat = body as Chat;
      asked.push(chat);
      void (chat.tools ? called(chat.tools) : embedded(chat)).then((message) => {
        const usage = { prompt_tokens: 1000, completion_tokens: 200 };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...message } }], usage }));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stateDir = mkdtempSync(join(tmpdir(), 'millrace-bedrock-'));
  process.env['MINISTACK_BEDROCK_PROXY_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  emulator = await startEmulator({ port: await freePort(), stateDir, log: () => undefined });
  delete process.env['MINISTACK_BEDROCK_PROXY_URL'];
});
afterAll(async () => {
  await emulator.stop();
  rmSync(stateDir, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
});

describe('a model of Bedrock', () => {
  it('describes what an ingest reads, by a tool whose schema it fits, and its tokens are in the ledger', async () => {
    const model = createBedrockModel({ client: client(), model: 'amazon.nova-lite-v1:0' });
    const limits = { run: 50_000_000, month: 50_000_000 };
    await using app = await startIngestApp(() => ({
      describer: { model, price: { input: 6, output: 24 }, limits, chance: seededChance(1) },
    }));
    const dataset = await app.dataset('d');
    const job = await app.upload(
      dataset,
      'people.csv',
      'id,e_mail,color\n1,ann@example.com,red\n2,bob@example.com,blue\n',
    );

    expect([job.status, job.result.warnings]).toEqual(['succeeded', []]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ model: 'amazon.nova-lite-v1:0', tool_choice: 'required' });
    expect(JSON.stringify(asked[0]?.messages)).not.toContain('ann@');
    const { people } = await app.tables(dataset);
    expect(people.description.source).toBe('model');
    expect(people.columns.map((each: { description: object }) => each.description)).toEqual(
      [1, 2, 3].map((place) => ({ text: `Words of the model, ${place}.`, source: 'model' })),
    );
    const [month] = (await app.send('GET', '/v1/costs')).body.data;
    const [event] = (await app.send('GET', `/v1/costs/${month.month}`)).body.data;
    expect(event).toMatchObject({ inputTokens: 1000, outputTokens: 200, cents: 0.0108, outcome: 'answered' });
  });
});

describe('an embedding model of Bedrock', () => {
  it('is asked for each text by InvokeModel, and lets a search find what means the same', async () => {
    asked.length = 0;
    const model = 'amazon.titan-embed-text-v2:0';
    const embeddings = createBedrockEmbeddings({ client: embeddingClient(client()), model, dimensions: DIMENSIONS });
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', { policy: { stages: { describe: 'off' } } });
    await app.upload(dataset, 'shop.csv', 'turnover,city\n3,Oslo\n');

    const told = asked.map(({ model: id, messages }) => [id, messages.map(({ content }) => content)]);
    expect(told.toSorted()).toEqual([
      [model, ['city (column of shop)']],
      [model, ['shop (table). turnover, city']],
      [model, ['turnover (column of shop)']],
    ]);
    const { body } = await app.send('GET', '/v1/search?q=revenue&kind=column');
    expect([body.ranking, body.degraded, body.data[0].column.name]).toEqual(['fused', null, 'turnover']);
    expect(asked.at(-1)?.messages).toEqual([{ role: 'user', content: 'revenue' }]);
    const [month] = (await app.send('GET', '/v1/costs')).body.data;
    const [event] = (await app.send('GET', `/v1/costs/${month.month}`)).body.data;
    expect(event).toMatchObject({ purpose: 'embed', model, outcome: 'answered' });
    expect(event.inputTokens).toBeGreaterThan(0);
  });
});
