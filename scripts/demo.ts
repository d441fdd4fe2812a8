// `npm run demo`: takes real files through the real path, over HTTP only, and checks the answers. The local cloud by default; embedded
// where that cannot start; `-- --cloud` and `-- --embedded` force one. Exits 1 if an answer is not the right one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { startEmbedded } from '../functions/embedded.ts';
import { asError } from '../lib/core/check.ts';
import { silentLog } from '../lib/core/log.ts';
import { CloudUnavailable } from './cloud/emulator.ts';
import { startLocalCloud } from './cloud/local-cloud.ts';
import { freePort } from './cloud/port.ts';
import { untilStopped } from './cloud/stopping.ts';
import { commandLine, portOf } from './command-line.ts';
import { say } from './demo/show.ts';
import { type Target, tour } from './demo/tour.ts';

interface Place extends Target {
  stop(): Promise<unknown>;
}

const asked = commandLine(
  'demo',
  'Ingests six files over HTTP, queries them and shows what is found out of a workbook; without an option on a local cloud if there can be one.',
)
  .addOption(new Option('--cloud', 'on a local cloud, or not at all').conflicts('embedded'))
  .option('--embedded', 'in one process, over SQLite and a folder')
  .option('--port <number>', 'where it listens; default: a free one', portOf)
  .parse()
  .opts<{ cloud?: true; embedded?: true; port?: number }>();
const { signal } = untilStopped();

const portAsked = async (): Promise<number> => asked.port ?? freePort();

async function onCloud(directory: string): Promise<Place> {
  return startLocalCloud({ port: await portAsked(), stateDir: directory, log: say, signal });
}

async function embedded(directory: string): Promise<Place> {
  say('Embedded: one process over SQLite and a folder.');
  const service = await startEmbedded({ directory, port: await portAsked(), log: silentLog });
  return { url: service.url, apiKey: await service.makeKey('demo', 'main', 'demo'), stop: () => service.stop() };
}

async function start(directory: string): Promise<Place> {
  if (asked.embedded === true) return embedded(directory);
  try {
    return await onCloud(directory);
  } catch (error) {
    if (asked.cloud === true || !(error instanceof CloudUnavailable)) throw error;
    say(`${error.message} The demo runs embedded instead.`);
    return embedded(directory);
  }
}

async function main(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
  try {
    const place = await start(directory);
    try {
      return (await tour(place)) ? 0 : 1;
    } finally {
      await place.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  const code = await main();
  say(code === 0 ? '\nEvery answer was the right one.' : '\nSomething was not right; see above.');
  process.exit(code);
} catch (error) {
  console.error(signal.aborted ? 'Stopped.' : asError(error).message);
  process.exit(1);
}
