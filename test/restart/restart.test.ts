// What a local cloud of this test's own goes through, since the others share theirs: handlers that end their process, a deploy under
// load, a stop and a start. The deaths take as long as a lease and a sweep, so they are looked at after the deploy.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeApiKey } from '../../scripts/cloud/api-key.ts';
import { apiUrl, deployStack } from '../../scripts/cloud/deploy.ts';
import { type Emulator, startEmulator } from '../../scripts/cloud/emulator.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { root, stateFolder } from '../../scripts/cloud/settings.ts';
import { type Client, createClient, type Json } from '../e2e/client.ts';

const log = () => undefined;
const kindsOf = (release: string) => ({ kinds: join(root, `test/support/releases/${release}.ts`) });

let stateDir: string;
let port: number;
let emulator: Emulator;
let client: Client;

const start = async () => {
  emulator = await startEmulator({ port, stateDir, log });
};
const deploy = (release: string) => deployStack({ url: emulator.url, stateDir, log, context: kindsOf(release) });

beforeAll(async () => {
  // Inside the checkout, as `npm run cloud` keeps it: what surrounds the folder must not change how functions run.
  await mkdir(stateFolder, { recursive: true });
  stateDir = await mkdtemp(join(stateFolder, 'restart-'));
  port = await freePort();
  await start();
  const { TableName: table = '', ApiUrl = '' } = await deploy('first');
  const apiKey = await makeApiKey({ table, endpoint: emulator.url, name: 'restart' });
  client = createClient({ url: apiUrl(emulator.url, ApiUrl), apiKey });
}, 300_000);

afterAll(async () => {
  await emulator.stop();
  await rm(stateDir, { recursive: true, force: true });
});

async function submit(kind: string, input: unknown): Promise<string> {
  const answer = await client.post('/v1/jobs', { json: { kind, input } });
  expect(answer.status).toBe(202);
  return answer.body.id as string;
}

/** The rules of a job that has ended, oldest first. */
async function rulesOf(id: string, { status }: Json): Promise<string[]> {
  const events = await client.until(`/v1/jobs/${id}/events`, ({ data }) => data.at(-1)?.status === status);
  return events.data.map(({ rule }: Json) => rule);
}

async function runs(said: string): Promise<string> {
  const id = await submit('diagnostic.echo', said);
  expect(await client.ended(id)).toMatchObject({ status: 'succeeded', result: said });
  return id;
}

const deaths: Record<string, string> = {};

it('a handler that exits, or that leaves an error behind, fails its attempt in a function too', {
  timeout: 120_000,
}, async () => {
  for (const name of ['aborts', 'is-killed', 'leaks']) deaths[name] = await submit(`bad.${name}`, {});
  const names = ['exits', 'rejects-behind', 'throws-behind'];
  const ids = await Promise.all(names.map((name) => submit(`bad.${name}`, {})));
  for (const id of ids) {
    const job = await client.ended(id);
    expect(job).toMatchObject({ status: 'succeeded', attempts: 1, crashes: 0 });
    expect(await rulesOf(id, job)).toEqual(['submit', 'claim', 'retry', 'claim', 'succeed']);
  }
});

it('a deploy under load loses no job and runs none twice, and what runs finishes on the code that it started with', {
  timeout: 300_000,
}, async () => {
  const deployed = { yes: false };
  const deploying = deploy('second').then(() => {
    deployed.yes = true;
  });
  const ids: string[] = [];
  while (!deployed.yes) {
    ids.push(await submit('release.tell', { seconds: ids.length % 4 }));
    await new Promise((next) => setTimeout(next, 300));
  }
  await deploying;
  ids.push(await submit('release.tell', { seconds: 0 }));
  const releases: number[] = [];
  for (const id of ids) {
    const job = await client.ended(id);
    expect(job).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    expect(await rulesOf(id, job)).toEqual(['submit', 'claim', 'succeed']);
    releases.push(job.result.release);
  }
  expect([releases[0], releases.at(-1)]).toEqual([1, 2]);
});

it('a handler whose process dies costs a crash each time, and the job ends as dead once they are used up', {
  timeout: 300_000,
}, async () => {
  for (const [name, id] of Object.entries(deaths)) {
    const job = await client.ended(id);
    expect([name, job.status, job.crashes, job.error.code]).toEqual([name, 'dead', 1, 'CRASHED']);
    expect(await rulesOf(id, job)).toEqual(['submit', 'claim', 'bury']);
  }
});

// Last, since the emulator's relay begins anew after a start and may miss what is written in its first moments.
it('a local cloud that is stopped and started keeps its jobs, its key and its URL, and still works', {
  timeout: 300_000,
}, async () => {
  const id = await runs('before');
  const before = (await client.get(`/v1/jobs/${id}`)).body;
  await emulator.stop();
  await start();
  expect((await client.get(`/v1/jobs/${id}`)).body).toEqual(before);
  await runs('after');
});
