// Chaos on the local cloud: jobs and pipelines while processes are killed, functions throttled, and the emulator restarted once.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { seededChance } from '../../lib/core/chance.ts';
import { must } from '../../lib/core/check.ts';
import type { Scope, TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { systemClock } from '../../lib/core/time.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { makeApiKey } from '../cloud/api-key.ts';
import { apiUrl, deployStack, type Outputs } from '../cloud/deploy.ts';
import { type Emulator, startEmulator } from '../cloud/emulator.ts';
import { freePort } from '../cloud/port.ts';
import { region, type Say, stateFolder } from '../cloud/settings.ts';
import { type Allowance, type Disturbance, recoveries, reportBounds, type Span } from './bounds.ts';
import { type Door, ingestAll, submitAll, type Submitted } from './load.ts';
import { orphansOf } from './orphans.ts';
import { type Kill, killAtRandom, throttle } from './unrest.ts';
import { judge, report, untilEnded, type Verdict } from './verdict.ts';
import { watchDue } from './watch-due.ts';
import { drawWork } from './work.ts';

export interface ChaosOptions {
  readonly jobs: number;
  readonly seed: number;
  readonly say: Say;
}

const THROTTLED_MS = 15_000;
/** Doorbells beyond it are throttled, and the emulator hides a throttled message for as long as a function may run: 15 minutes. */
const RESERVE = '20';
const PATIENCE_MS = 1_200_000;
const KILLING_MS = 400_000;
/** Killing stops when one job in so many is left. */
const A_PART_LEFT = 10;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
/** One in so many jobs is a run of the ingest pipeline. */
const A_PIPELINE_IN = 40;
const ALLOWANCE: Allowance = {
  ms: 30_000,
  why: "the emulator, which looks at its schedules each 10 s and answers a sweep's calls among everyone else's",
};
const scope: Scope = { tenant: 'default' as TenantId, workspace: 'default' as WorkspaceId };

/** Answers whether every law was kept. */
export async function chaosOnCloud(options: ChaosOptions): Promise<boolean> {
  await mkdir(stateFolder, { recursive: true });
  const stateDir = await mkdtemp(join(stateFolder, 'chaos-'));
  const place = { port: await freePort(), stateDir, log: options.say };
  let emulator: Emulator = await startEmulator(place);
  try {
    const outputs = await deployStack({ url: emulator.url, stateDir, log: options.say, context: { reserve: RESERVE } });
    const door = await doorOf(emulator.url, outputs);
    const restart = async () => {
      options.say('The emulator is stopped and started.');
      await emulator.stop();
      emulator = await startEmulator(place);
    };
    return await disturbAndJudge(options, { door, outputs, endpoint: emulator.url, restart, pid: () => emulator.pid });
  } finally {
    await emulator.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}

async function doorOf(endpoint: string, outputs: Outputs): Promise<Door> {
  const table = must(outputs['TableName'], 'the table');
  const apiKey = await makeApiKey({ endpoint, table, name: 'chaos' });
  return { url: apiUrl(endpoint, must(outputs['ApiUrl'], 'the API')), apiKey };
}

interface Stage {
  readonly door: Door;
  readonly outputs: Outputs;
  readonly endpoint: string;
  readonly restart: () => Promise<void>;
  readonly pid: () => number;
}

async function disturbAndJudge(options: ChaosOptions, stage: Stage): Promise<boolean> {
  const client = new DynamoDBClient({ endpoint: stage.endpoint, region, credentials });
  const store = createDynamoStore({ client, tableName: must(stage.outputs['TableName'], 'the table') });
  const outages: Span[] = [];
  const ended = new AbortController();
  const watching = watchDue(store, () => systemClock.now(), outages, ended.signal);
  try {
    const { submitted, kills } = await disturbed(options, stage, store, outages);
    const rows = await untilEnded(store, scope, PATIENCE_MS, (open) => options.say(`${open} jobs have not ended yet.`));
    ended.abort();
    const stageKills = kills.filter(({ functionName }) => functionName === stage.outputs['StageFunctionName']);
    const disturbance = { outages, overdue: await watching, stageKills: stageKills.map(({ at }) => at) };
    // The relay is behind the rows by a batch.
    await pause(5000);
    return tell(await judge(store, rows, submitted), disturbance, await orphansOf(stage.door), options.say);
  } finally {
    ended.abort();
    await watching;
    client.destroy();
  }
}

/** Submits everything and lets it be disturbed until most of it has ended. */
async function disturbed(
  { jobs, seed, say }: ChaosOptions,
  { door, outputs, endpoint, restart, pid }: Stage,
  store: Parameters<typeof untilEnded>[0],
  outages: Span[],
): Promise<{ readonly submitted: readonly Submitted[]; readonly kills: readonly Kill[] }> {
  const functions = ['WorkerFunctionName', 'StageFunctionName'].map((name) => must(outputs[name], name));
  const calm = new AbortController();
  const killing = killAtRandom({ functions, emulator: pid }, seededChance(seed + 1), calm.signal);
  const pipelines = Math.ceil(jobs / A_PIPELINE_IN);
  const half = Promise.withResolvers<undefined>();
  const submitting = submitAll(door, drawWork(jobs - pipelines, seed), (taken) => {
    if (taken % 250 === 0) say(`${taken} jobs submitted.`);
    if (taken >= (jobs - pipelines) / 2) half.resolve(undefined);
  });
  const ingesting = ingestAll(door, pipelines);
  await Promise.race([half.promise, submitting]);
  say(`The worker is throttled for ${THROTTLED_MS / 1000} s.`);
  await throttle(endpoint, must(functions[0], 'the worker'), THROTTLED_MS);
  const from = systemClock.now();
  await restart();
  outages.push({ from, until: systemClock.now() });
  const submitted = [...(await submitting), ...(await ingesting)];
  say(`${submitted.length} jobs submitted; killing goes on until most have ended.`);
  const left = Math.floor(submitted.length / A_PART_LEFT);
  await untilEnded(store, scope, KILLING_MS, (open) => say(`${open} jobs have not ended yet.`), left);
  calm.abort();
  const kills = await killing;
  say(`${kills.length} processes were killed; waiting for the end of every job.`);
  return { submitted, kills };
}

function tell(verdict: Verdict, disturbance: Disturbance, orphans: readonly string[], say: Say): boolean {
  const { lines, kept } = report(verdict);
  const bounds = reportBounds(recoveries(verdict.timelines, disturbance), ALLOWANCE);
  const told = `orphans: ${orphans.length === 0 ? 'every list is empty' : orphans.join(', ')}`;
  for (const line of [...lines, ...bounds.lines, told]) say(line);
  return kept && bounds.kept && orphans.length === 0;
}
