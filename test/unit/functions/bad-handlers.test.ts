// Handlers that misbehave in the server's own process: it goes on, and only their attempt fails.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../../functions/embedded.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { millis, seconds } from '../../../lib/core/time.ts';
import { freePort } from '../../../scripts/cloud/port.ts';
import { type Client, createClient } from '../../e2e/client.ts';
import { badKinds } from '../../support/bad-kinds.ts';

let directory: string;
let server: Embedded;
let client: Client;
let apiKey: string | undefined;
const settings = {
  ...{ lease: seconds(12), beat: seconds(2), leaseMargin: seconds(1), stallAfter: seconds(40) },
  ...{ backoffBase: millis(10), backoffCap: millis(10) },
};

const start = async () => {
  server = await startEmbedded({ directory, port: await freePort(), log: silentLog, settings, kinds: badKinds });
  client = createClient({ url: server.url, apiKey: (apiKey ??= await server.makeKey('bad', 'main', 'bad')) });
};
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-bad-'));
  await start();
  // The first job waits for the heartbeat thread to start, which takes long on a busy machine.
  const { body } = await client.post('/v1/jobs', { json: { kind: 'diagnostic.echo', input: 1 } });
  await client.ended(body.id);
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const submit = async (name: string, input: object = {}): Promise<string> => {
  const { body } = await client.post('/v1/jobs', { json: { kind: `bad.${name}`, input } });
  return body.id as string;
};
const historyOf = async (id: string) => {
  const job = await client.ended(id);
  const { body } = await client
    .until(`/v1/jobs/${id}/events`, (page) => page.data.at(-1)?.status === job.status)
    .then((body) => ({ body }));
  const rules: string[] = body.data.map(({ rule }: { rule: string }) => rule);
  const errors: string[] = body.data.flatMap(({ error }: { error?: { code: string } }) => error?.code ?? []);
  return { job, rules, errors };
};

it.each([
  ['exits', 'process.exit(3)'],
  ['rejects-behind', 'nobody awaits this'],
  ['throws-behind', 'from a timer'],
])('a handler that %s fails its attempt, and the next one succeeds', { timeout: 60_000 }, async (name) => {
  const { job, rules, errors } = await historyOf(await submit(name));
  expect(job).toMatchObject({ status: 'succeeded', result: 'well behaved', attempts: 1, crashes: 0 });
  expect(rules).toEqual(['submit', 'claim', 'retry', 'claim', 'succeed']);
  expect(errors).toContain('HANDLER_ESCAPED');
  expect((await client.get('/v1/health')).status).toBe(200);
});

it('a handler that blocks the event loop for longer than its lease keeps it', { timeout: 60_000 }, async () => {
  const { job, rules } = await historyOf(await submit('blocks', { seconds: 14 }));
  expect(job).toMatchObject({ status: 'succeeded', result: 'unblocked', attempts: 0, crashes: 0 });
  expect(rules).toEqual(['submit', 'claim', 'succeed']);
});

it('a handler that replaces Date moves no time of the engine', { timeout: 60_000 }, async () => {
  const { job, rules } = await historyOf(await submit('breaks-the-date'));
  expect(job).toMatchObject({ status: 'succeeded', result: 'restored' });
  expect(Date.parse(job.finishedAt)).toBeGreaterThan(Date.parse(job.createdAt));
  expect(rules).toEqual(['submit', 'claim', 'succeed']);
});

it('a server that is stopped and started keeps its jobs, and runs those that were waiting', {
  timeout: 60_000,
}, async () => {
  const json = { kind: 'diagnostic.echo', input: 'kept', delaySeconds: 3 };
  const { body } = await client.post('/v1/jobs', { json });
  expect(await server.stop()).toBe('drained');
  await start();
  expect((await client.get(`/v1/jobs/${body.id}`)).body).toMatchObject({ id: body.id, createdAt: body.createdAt });
  expect(await client.ended(body.id)).toMatchObject({ status: 'succeeded', result: 'kept' });
});
