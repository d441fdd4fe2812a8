// Where the one suite runs: each target starts what it needs, or finds it, and says how to reach it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { kinds } from '../../examples/kinds.ts';
import { startEmbedded } from '../../functions/embedded.ts';
import { scopes } from '../../lib/http/keys.ts';
import { silentLog } from '../../lib/core/log.ts';
import { makeApiKey } from '../../scripts/cloud/api-key.ts';
import { freePort } from '../../scripts/cloud/port.ts';

export interface Target {
  /** The base of the HTTP API, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  /** A key of another tenant. */
  readonly otherTenantKey: string;
  /** A key with every scope, of a workspace beside; where keys can be made. */
  keyOf?(workspace: string): Promise<string>;
  stop(): Promise<void>;
}

/** A process of this test's own, in a folder that goes with it. */
export async function embeddedTarget(): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-e2e-'));
  const server = await startEmbedded({ directory, port: await freePort(), log: silentLog, kinds });
  return {
    url: server.url,
    apiKey: await server.makeKey('e2e', 'main', 'e2e'),
    otherTenantKey: await server.makeKey('e2e-other', 'main', 'e2e'),
    keyOf: (workspace) => server.makeKey('e2e', workspace, 'e2e', scopes),
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The local cloud that the run's set-up has deployed and will stop. */
export async function cloudTarget(): Promise<Target> {
  const { url, apiKey, endpoint, outputs } = inject('cloud');
  const table = outputs['TableName'] ?? '';
  const otherTenantKey = await makeApiKey({ table, endpoint, tenant: 'e2e-other', workspace: 'main', name: 'e2e' });
  const keyOf = (workspace: string) =>
    makeApiKey({ table, endpoint, tenant: 'e2e-other', workspace, name: 'e2e', scopes });
  return { url, apiKey, otherTenantKey, keyOf, stop: async () => undefined };
}

/** What API_URL, API_KEY and API_OTHER_KEY (a key of another tenant) name; undefined where API_URL is not set. */
export function deployedTarget(): Target | undefined {
  const { API_URL: url, API_KEY: apiKey, API_OTHER_KEY: otherTenantKey } = process.env;
  if (url === undefined) return undefined;
  if (apiKey === undefined || otherTenantKey === undefined)
    throw new Error('API_URL is set: API_KEY and API_OTHER_KEY (a key of another tenant) are needed too.');
  return { url: url.replace(/\/$/, ''), apiKey, otherTenantKey, stop: async () => undefined };
}
