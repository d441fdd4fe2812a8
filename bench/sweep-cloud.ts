// The same two sweeps over tables of their own in DynamoDB: on an emulator that runs for this bench, or the endpoint that AWS_ENDPOINT_URL names.
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '../scripts/cloud/emulator.ts';
import { freePort } from '../scripts/cloud/port.ts';
import { region } from '../scripts/cloud/settings.ts';
import { createJobTable } from './support/job-table.ts';
import type { Ratio } from './support/ratio.ts';
import { DUE, type SweepBench, sweepRatios, toldOf } from './support/sweep-ratios.ts';
import type { Swept } from './support/sweeping.ts';
import { countedDynamoSweep, fillDynamo } from './support/sweeping-dynamo.ts';

export async function benchCloudSweep({ rows, log }: SweepBench): Promise<Ratio[]> {
  await using endpoint = await openEndpoint(log);
  const client = new DynamoDBClient({ region, endpoint: endpoint.url, credentials });
  try {
    const few = await sweepOf(client, DUE, log);
    return sweepRatios(few, await sweepOf(client, rows, log), rows);
  } finally {
    client.destroy();
  }
}

const credentials = {
  accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? 'test',
  secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? 'test',
};

/** Of a table that is made for it and goes with it. */
async function sweepOf(client: DynamoDBClient, live: number, log: SweepBench['log']): Promise<Swept> {
  const table = { client, name: `millrace-sweep-${process.pid}-${live}` };
  await createJobTable(client, table.name);
  try {
    await fillDynamo(table, { live, due: DUE }, (filled) => log(`  ${filled} of ${live} rows are there`));
    const swept = await countedDynamoSweep(table);
    log(toldOf(live, swept));
    return swept;
  } finally {
    await client.send(new DeleteTableCommand({ TableName: table.name }));
  }
}

interface Endpoint extends AsyncDisposable {
  readonly url: string;
}

async function openEndpoint(log: SweepBench['log']): Promise<Endpoint> {
  const given = process.env['AWS_ENDPOINT_URL'] ?? '';
  if (given !== '') return { url: given, [Symbol.asyncDispose]: async () => undefined };
  const stateDir = await mkdtemp(join(tmpdir(), 'millrace-sweep-'));
  const remove = () => rm(stateDir, { recursive: true, force: true });
  try {
    const emulator = await startEmulator({ port: await freePort(), stateDir, log });
    const stop = async () => {
      await emulator.stop();
      await remove();
    };
    return { url: emulator.url, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
