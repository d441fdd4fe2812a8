// A server that is started without a kind that its jobs are of, and then with it again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { startEmbedded } from '../../../functions/embedded.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { millis } from '../../../lib/core/time.ts';
import { defineJob } from '../../../lib/job/registry.ts';
import { freePort } from '../../../scripts/cloud/port.ts';
import { createClient } from '../../e2e/client.ts';

const approval = defineJob({ kind: 'approval', input: z.unknown(), run: (ctx) => ctx.waitFor('go') });

it('a job that waits over two restarts parks while its kind is away, and ends when it is back', {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-kind-'));
  let apiKey: string | undefined;
  const withKinds = async <T>(
    kinds: readonly (typeof approval)[],
    use: (client: ReturnType<typeof createClient>) => Promise<T>,
  ) => {
    const settings = { rearmBase: millis(200), rearmCap: millis(200) };
    const server = await startEmbedded({ directory, port: await freePort(), log: silentLog, settings, kinds });
    try {
      return await use(
        createClient({ url: server.url, apiKey: (apiKey ??= await server.makeKey('own', 'main', 'own')) }),
      );
    } finally {
      await server.stop();
    }
  };
  const isParkedFor = (reason: string) => (job: { waiting?: { reason: string } }) => job.waiting?.reason === reason;
  try {
    const path = await withKinds([approval], async (client) => {
      const { body } = await client.post('/v1/jobs', { json: { kind: 'approval', input: null } });
      await client.until(`/v1/jobs/${body.id}`, isParkedFor('signal:go'));
      return `/v1/jobs/${body.id}`;
    });
    await withKinds([], async (client) => {
      await client.post(`${path}/signal`, { json: { name: 'go', payload: 'now' } });
      const job = await client.until(path, isParkedFor('no_handler:approval'));
      expect(job).toMatchObject({ status: 'parked', attempts: 0, crashes: 0 });
    });
    await withKinds([approval], async (client) => {
      const job = await client.until(
        path,
        ({ status }) => status !== 'parked' && status !== 'queued' && status !== 'running',
      );
      expect(job).toMatchObject({ status: 'succeeded', result: 'now', attempts: 0, crashes: 0 });
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
