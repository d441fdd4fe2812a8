// What docs/failure-modes.md says of a handler that blocks the embedded process for ever.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { startEmbedded } from '../../../functions/embedded.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { systemClock } from '../../../lib/core/time.ts';
import { defineJob } from '../../../lib/pipeline/own-kinds.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';
import { freePort } from '../../../scripts/cloud/port.ts';
import { createClient } from '../../e2e/client.ts';
import { shortLeases } from '../../support/short-leases.ts';

let directory: string;
let host: ChildProcess;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-blocked-'));
});
afterEach(async () => {
  host.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Its URL and a key, once it answers. */
async function startHost(): Promise<{ url: string; apiKey: string }> {
  const script = fileURLToPath(new URL('../../support/blocked-host.ts', import.meta.url));
  host = spawn(process.execPath, ['--conditions=millrace-source', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(host.stdout as NodeJS.ReadableStream), 'line')) as [string];
  return JSON.parse(line) as { url: string; apiKey: string };
}

it('a handler that never returns to the event loop loses its lease; its process has to be killed, and the next one goes on', {
  timeout: 120_000,
}, async () => {
  const given = await startHost();
  const client = createClient(given);
  const json = { kind: 'blocks', input: null, delaySeconds: 2 };
  const { id } = (await client.post('/v1/jobs', { json })).body;
  const answers = () => fetch(`${given.url}/v1/health`, { signal: AbortSignal.timeout(1000) }).then(() => true);
  await expect.poll(() => answers().catch(() => false), { timeout: 30_000 }).toBe(false);
  host.kill('SIGTERM');

  const store = createSqliteStore({ path: join(directory, 'millrace.sqlite'), clock: systemClock });
  const row = () => store.get({ tenant: 'blocked', workspace: 'main', id } as never);
  const lapsed = async () => ((await row())?.leaseUntil ?? Infinity) < systemClock.now();
  await expect.poll(lapsed, { timeout: 60_000, interval: 200 }).toBe(true);
  // Who would sweep it is the process that hangs.
  expect(await row()).toMatchObject({ status: 'running', crashes: 0 });
  expect([host.exitCode, host.signalCode]).toEqual([null, null]);
  store.close();
  host.kill('SIGKILL');
  await once(host, 'exit');

  const mended = defineJob({ kind: 'blocks', input: z.unknown(), run: async () => 'mended' });
  const port = await freePort();
  const next = await startEmbedded({ directory, port, log: silentLog, settings: shortLeases, kinds: [mended] });
  try {
    const after = createClient({ ...given, url: next.url });
    expect(await after.ended(id)).toMatchObject({ status: 'succeeded', result: 'mended', attempts: 0, crashes: 1 });
  } finally {
    await next.stop();
  }
});
