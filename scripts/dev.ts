// `npm run dev`: everything in this process, over SQLite and a folder. Ctrl-C, SIGTERM or `npm run down` drain it; its data stays.
import { appendFileSync, mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Embedded, startEmbedded } from '../functions/embedded.ts';
import { readDescriber } from '../lib/config/describer.ts';
import { readEmbedder } from '../lib/config/embedder.ts';
import { systemClock } from '../lib/core/time.ts';
import type { ApiScope } from '../lib/http/keys.ts';
import { type OwnKind, readOwnKinds } from '../lib/pipeline/own-kinds.ts';
import { createPlainLog } from '../lib/telemetry/plain-log.ts';
import { curlLines } from './cloud/curl.ts';
import { forgetInstance, runningInstance, writeInstance } from './cloud/instance.ts';
import { claimPort } from './cloud/port.ts';
import { defaultPorts, stateFolder } from './cloud/settings.ts';
import { untilStopped } from './cloud/stopping.ts';
import { commandLine, kindsOption, portOption, scopesOption } from './command-line.ts';

const asked = commandLine('dev', 'Runs everything in one process over SQLite; Ctrl-C drains and stops it.')
  .addOption(portOption(defaultPorts.dev))
  .addOption(kindsOption())
  .option('--workspace <id>', 'makes a key of this workspace, in place of the one that is kept for "main"')
  .addOption(scopesOption())
  .parse()
  .opts<{ port: number; kinds?: string; workspace?: string; scopes?: readonly ApiScope[] }>();
const directory = join(stateFolder, 'dev');
const say = (line: string) => console.log(line);

async function refuseSecond(): Promise<void> {
  const running = await runningInstance('dev');
  if (running === undefined) return;
  throw new Error(`The embedded service of this checkout runs already at ${running.url}. npm run down stops it.`);
}

async function loadKinds(file: string | undefined): Promise<readonly OwnKind[]> {
  if (file === undefined) return [];
  const { kinds } = (await import(pathToFileURL(file).href)) as { readonly kinds?: unknown };
  return readOwnKinds(kinds, file);
}

/** A new one where its workspace or its scopes are named; else the key of the last start, which is kept with the data. */
async function keyOf(dev: Embedded): Promise<string> {
  const { workspace, scopes } = asked;
  if (workspace !== undefined || scopes !== undefined)
    return dev.makeKey('dev', workspace ?? 'main', 'npm run dev', scopes);
  const file = join(directory, 'api-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept !== '') return kept;
  const apiKey = await dev.makeKey('dev', 'main', 'npm run dev');
  await writeFile(file, apiKey, { mode: 0o600 });
  return apiKey;
}

function greet(url: string, apiKey: string): void {
  const [create, upload, query] = curlLines(url, apiKey, `weather-${process.pid}`);
  say(`
Millrace is up, embedded: one process over SQLite.

  URL  ${url}
  key  ${apiKey}

Both stand in .millrace/dev.json. Three lines to paste into another terminal, from this folder:

${create}

${upload}

${query}

Ctrl-C drains and stops it; its data stays in .millrace/dev, and so does its log.`);
}

async function main(): Promise<void> {
  await refuseSecond();
  await claimPort(asked.port);
  mkdirSync(directory, { recursive: true });
  const log = createPlainLog(systemClock, (line) => appendFileSync(join(directory, 'log'), `${line}\n`));
  const { stopped } = untilStopped();
  const kinds = await loadKinds(asked.kinds);
  const dev = await startEmbedded({
    describer: readDescriber(process.env['DESCRIBER']),
    embedder: readEmbedder(process.env['EMBEDDER']),
    directory,
    port: asked.port,
    log,
    kinds,
  });
  try {
    const apiKey = await keyOf(dev);
    await writeInstance('dev', { url: dev.url, apiKey, pid: process.pid });
    greet(dev.url, apiKey);
    await stopped;
    say('Draining: no new work; what runs has 30 s.');
  } finally {
    say(endings[await dev.stop()]);
    await forgetInstance('dev');
  }
}

const endings = {
  drained: 'Stopped; all that ran has ended.',
  aborted: 'Stopped; what still ran was told to stop and is queued again.',
  left: 'Stopped; something did not end in time. Its lease lapses, and the next start revives it.',
} as const;

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
