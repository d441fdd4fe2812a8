// What the local cloud keeps over a stop and a start: an instance of this test's own, since the others share theirs.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeApiKey } from '../../scripts/cloud/api-key.ts';
import { apiUrl, deployStack } from '../../scripts/cloud/deploy.ts';
import { startEmulator } from '../../scripts/cloud/emulator.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { stateFolder } from '../../scripts/cloud/settings.ts';
import { type Client, createClient } from '../e2e/client.ts';

const log = () => undefined;

async function runs(client: Client, said: string): Promise<string> {
  const { body } = await client.post('/v1/jobs', { json: { kind: 'diagnostic.echo', input: said } });
  expect(await client.ended(body.id)).toMatchObject({ status: 'succeeded', result: said });
  return body.id as string;
}

it('a local cloud that is stopped and started keeps its jobs, its key and its URL, and still works', {
  timeout: 300_000,
}, async () => {
  // Inside the checkout, as `npm run cloud` keeps it: what surrounds the folder must not change how functions run.
  await mkdir(stateFolder, { recursive: true });
  const stateDir = await mkdtemp(join(stateFolder, 'restart-'));
  const place = { port: await freePort(), stateDir, log };
  let emulator = await startEmulator(place);
  try {
    const outputs = await deployStack({ url: emulator.url, stateDir, log });
    const { TableName: table = '', ApiUrl = '' } = outputs;
    const apiKey = await makeApiKey({ table, endpoint: emulator.url, name: 'restart' });
    const client = createClient({ url: apiUrl(emulator.url, ApiUrl), apiKey });
    const id = await runs(client, 'before');
    const before = (await client.get(`/v1/jobs/${id}`)).body;
    await emulator.stop();
    emulator = await startEmulator(place);
    expect((await client.get(`/v1/jobs/${id}`)).body).toEqual(before);
    await runs(client, 'after');
  } finally {
    await emulator.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
});
