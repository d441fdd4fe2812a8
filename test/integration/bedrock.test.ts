// Descriptions by a model, through the local cloud's Bedrock runtime: it hands each question to the server of this test, which answers by
// the schema of the tool. An emulator of its own, since what it hands on is set at its start.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededChance } from '../../lib/core/chance.ts';
import { createBedrockModel } from '../../lib/model/bedrock.ts';
import { type Emulator, startEmulator } from '../../scripts/cloud/emulator.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { startIngestApp } from '../support/ingest-app.ts';

interface Chat {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly parameters: Schema } }[];
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
      const [tool] = chat.tools;
      const call = { name: tool?.function.name, arguments: JSON.stringify(fitting(tool?.function.parameters ?? {})) };
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call-1', type: 'function', function: call }],
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message }], usage: { prompt_tokens: 1000, completion_tokens: 200 } }));
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
