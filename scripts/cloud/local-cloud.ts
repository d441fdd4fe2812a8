// The whole stack on this machine: an emulator with IAM enforced (or the endpoint that AWS_ENDPOINT_URL names), the stack
// deployed to it as to AWS, and a key. `npm run cloud`, the demo, the benches and the tests all start it here.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeApiKey } from './api-key.ts';
import { apiUrl, deployStack, type Outputs } from './deploy.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import type { Say } from './settings.ts';

export interface LocalCloud {
  /** The base of the HTTP API, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  /** The endpoint of every AWS service, for SDK clients. */
  readonly endpoint: string;
  readonly outputs: Outputs;
  /** The emulator's process; 0 where AWS_ENDPOINT_URL names somebody else's. */
  readonly pid: number;
  /** Stops what was started here, with its state saved; calling it twice is harmless. */
  stop(): Promise<void>;
}

export interface LocalCloudOptions {
  readonly port: number;
  /** Absolute; the emulator's state, the deployment's files and the key are kept under it. */
  readonly stateDir: string;
  readonly log: Say;
  /** What functions are told to call instead of the emulator: a proxy that counts. */
  readonly functionsEndpoint?: string;
  /** Flags of the CDK app besides `target`. */
  readonly context?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Throws CloudUnavailable where no emulator can be had, and an Error in a sentence where it or the deployment fails. */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const { port, log } = options;
  const given = process.env['AWS_ENDPOINT_URL'] ?? '';
  if (given === '') log(`Local cloud: the emulator, with IAM enforced, on port ${port}.`);
  else log(`Local cloud: ${given}, as AWS_ENDPOINT_URL says.`);
  const emulator = given === '' ? await startEmulator(options) : somebodyElses(given);
  try {
    const outputs = await deployStack({ ...options, url: emulator.url });
    const url = apiUrl(emulator.url, output(outputs, 'ApiUrl'));
    const apiKey = await keyFor(url, emulator.url, outputs, options);
    return { url, apiKey, endpoint: emulator.url, outputs, pid: emulator.pid, stop: () => emulator.stop() };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}

const somebodyElses = (url: string): Emulator => ({
  url: url.replace(/\/$/, ''),
  pid: 0,
  stop: () => Promise.resolve(),
});

function output(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined)
    throw new Error(`The stack has no output ${name}; it has ${Object.keys(outputs).join(', ')}.`);
  return value;
}

/** The key of the last start where it still opens the API, else a new one: state may be kept or lost, with the key. */
async function keyFor(url: string, endpoint: string, outputs: Outputs, { stateDir, log }: LocalCloudOptions) {
  const file = join(stateDir, 'api-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== '' && (await opens(url, kept))) return kept;
  log('Local cloud: an API key.');
  const apiKey = await makeApiKey({ endpoint, table: output(outputs, 'TableName'), name: 'local cloud' });
  await writeFile(file, apiKey, { mode: 0o600 });
  return apiKey;
}

async function opens(url: string, apiKey: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${url}/v1/datasets`, { headers }).catch(() => undefined);
  return answer?.ok === true;
}
