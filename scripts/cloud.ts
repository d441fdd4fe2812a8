// `npm run cloud`: the local cloud in the foreground. Ctrl-C or `npm run down` stops it in order; its data stays.
import { join } from 'node:path';
import { curlLines } from './cloud/curl.ts';
import { CloudUnavailable } from './cloud/emulator.ts';
import { forgetInstance, runningInstance, writeInstance } from './cloud/instance.ts';
import { type LocalCloud, startLocalCloud } from './cloud/local-cloud.ts';
import { defaultPorts, stateFolder } from './cloud/settings.ts';
import { type Stopping, untilStopped } from './cloud/stopping.ts';
import { commandLine, kindsOption, portOption } from './command-line.ts';

const { port, kinds } = commandLine('cloud', 'Starts the local cloud and deploys to it; Ctrl-C stops it.')
  .addOption(portOption(defaultPorts.cloud))
  .addOption(kindsOption())
  .parse()
  .opts<{ port: number; kinds?: string }>();
const say = (line: string) => console.log(line);

async function refuseSecond(): Promise<void> {
  const running = await runningInstance('cloud');
  if (running === undefined) return;
  throw new Error(`The local cloud of this checkout runs already at ${running.url}. npm run down stops it.`);
}

function greet({ url, apiKey, pid }: LocalCloud): void {
  const [create, upload, query] = curlLines(url, apiKey, `weather-${process.pid}`);
  say(`
The local cloud is up.

  URL  ${url}
  key  ${apiKey}

Both stand in .millrace/cloud.json. Three lines to paste into another terminal, from this folder:

${create}

${upload}

${query}

${pid === 0 ? 'Ctrl-C ends this command; the endpoint is left as it is.' : 'Ctrl-C stops it; its data stays in .millrace/cloud.'}`);
}

async function main({ signal, stopped }: Stopping): Promise<void> {
  await refuseSecond();
  const context = kinds === undefined ? {} : { kinds };
  const cloud = await startLocalCloud({ port, stateDir: join(stateFolder, 'cloud'), log: say, context, signal });
  try {
    const { url, apiKey, pid } = cloud;
    await writeInstance('cloud', { url, apiKey, pid: process.pid, ...(pid > 0 && { emulatorPid: pid }) });
    greet(cloud);
    await stopped;
    say('Stopping: the emulator saves its state.');
  } finally {
    await cloud.stop();
    await forgetInstance('cloud');
  }
  say('Stopped.');
}

const stopping = untilStopped();
try {
  await main(stopping);
  process.exit(0);
} catch (error) {
  if (stopping.signal.aborted) {
    say('Stopped before it was up.');
    process.exit(130);
  }
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof CloudUnavailable)
    console.error('npm run dev runs the same service embedded, without an emulator.');
  process.exit(1);
}
