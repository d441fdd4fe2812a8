// How many calls of AWS one job costs on either side, counted on the wire by a proxy between the functions and the emulator. In a run of
// its own, since the proxy would slow down what the other run measures.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { startLocalCloud } from '../scripts/cloud/local-cloud.ts';
import { freePort } from '../scripts/cloud/port.ts';
import { type CountingProxy, startCountingProxy } from './support/counting-proxy.ts';
import { measureRate, type Side } from './support/load.ts';
import { bareSide, millraceSide } from './support/sides.ts';

const jobs = 40;

/** A table of calls per job by operation; the polling of queues and streams is Lambda's own and not in it. */
export async function countCalls(log: (line: string) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-calls-'));
  const port = await freePort();
  await using proxy = await startCountingProxy(port);
  const cloud = await startLocalCloud({ port, stateDir: join(directory, 'cloud'), log, functionsEndpoint: proxy.url });
  try {
    const bare = await bareSide(cloud, join(directory, 'bare'), log);
    const [before, after] = [await callsPerJob(bare, proxy), await callsPerJob(millraceSide(cloud), proxy)];
    return drawn(before, after);
  } finally {
    await cloud.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function callsPerJob(side: Side, proxy: CountingProxy): Promise<ReadonlyMap<string, number>> {
  await measureRate(side, 4, 1);
  await proxy.settle();
  proxy.takeCounts();
  await measureRate(side, jobs, 1);
  await proxy.settle();
  return proxy.takeCounts();
}

function drawn(bare: ReadonlyMap<string, number>, ours: ReadonlyMap<string, number>): string {
  const table = new Table({ head: ['AWS calls per job', 'baseline', 'Millrace'], style: { head: [], border: [] } });
  const operations = [...new Set([...bare.keys(), ...ours.keys()])].sort();
  const perJob = (counts: ReadonlyMap<string, number>, operation: string) =>
    ((counts.get(operation) ?? 0) / jobs).toFixed(2);
  for (const operation of operations) table.push([operation, perJob(bare, operation), perJob(ours, operation)]);
  return table.toString();
}
