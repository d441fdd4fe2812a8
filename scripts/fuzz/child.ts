// A process of `npm run fuzz`: it holds a service, does the runs that it is told, and says after each what it holds open.
import { readdirSync } from 'node:fs';
import { diceOf } from './dice.ts';
import { type Input, inputOf, readSeeds } from './inputs.ts';
import { type Judged, judgeRequest, judgeUpload } from './laws.ts';
import { type FuzzWorld, startFuzzWorld } from './world.ts';

export interface Task {
  readonly seed: number;
  readonly run: number;
}

export interface Done extends Judged {
  readonly run: number;
  /** Where a law is broken: what was sent. */
  readonly input?: Input | undefined;
  readonly what: Input['kind'];
  /** Of the process: resident bytes, and open files and sockets. */
  readonly resident: number;
  readonly handles: number;
}

/** Things of the tenant of the requests, so that paths lead somewhere. */
async function makeIds(world: FuzzWorld): Promise<string[]> {
  const dataset = await world.send('requests', 'POST', '/v1/datasets', { json: { name: 'fuzzed' } });
  const body = Buffer.from('id,name\n1,x\n2,y\n');
  const job = await world.send('requests', 'POST', `/v1/datasets/${dataset.body.id ?? ''}/files?name=t.csv`, { body });
  return [dataset.body.id, job.body.id, 'default', 'ingest', 't'].filter((id) => id !== undefined);
}

const handles = (): number => readdirSync('/proc/self/fd').length;

async function serve(directory: string): Promise<void> {
  const world = await startFuzzWorld(directory);
  const seeds = readSeeds();
  const ids = await makeIds(world);
  const does = async ({ seed, run }: Task): Promise<Done> => {
    const input = inputOf(diceOf(seed, run), seeds, ids);
    const judged = await (input.kind === 'upload' ? judgeUpload(world, input, run) : judgeRequest(world, input));
    const held = { resident: process.memoryUsage.rss(), handles: handles() };
    return { run, what: input.kind, ...judged, ...held, input: judged.broken === undefined ? undefined : input };
  };
  process.on('message', (message: Task | 'stop') => {
    if (message === 'stop') void world[Symbol.asyncDispose]().then(() => process.disconnect());
    else void does(message).then((done) => process.send?.(done));
  });
  process.send?.('ready');
}

const [, , directory] = process.argv;
if (process.send !== undefined && directory !== undefined) await serve(directory);
