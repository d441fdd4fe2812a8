// What each path of a job asks of AWS, counted at the clients, against the counts that docs/cost.md is worked out from.
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { must } from '../../lib/core/check.ts';
import { epochMs, later, minutes, systemClock } from '../../lib/core/time.ts';
import { createEffects } from '../../lib/events/effects.ts';
import { type Change, relayChanges } from '../../lib/events/relay.ts';
import { countChanges } from '../../lib/events/statistics.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { type Doorbell, DUE_SHARDS, type JobStore } from '../../lib/job/ports.ts';
import { defineJob, createRegistry } from '../../lib/job/registry.ts';
import { diagnosticKinds } from '../../lib/job/diagnostics.ts';
import { submitJobs } from '../../lib/job/submit/submit-many.ts';
import { writeRequest } from '../../lib/job/submit/submit.ts';
import { sweepRow } from '../../lib/job/sweep/sweep-row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { pipeline } from '../../lib/pipeline/definition.ts';
import { defineStage } from '../../lib/pipeline/stage.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import { parseDoorbell } from '../../lib/queue/doorbell.ts';
import { createEventBridge } from '../../lib/queue/event-bridge.ts';
import { createSqsRinger } from '../../lib/queue/sqs.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { createS3Objects } from '../../lib/store/s3.ts';
import { counts, JOBS_A_RELAY } from '../../scripts/cost/counts.ts';
import { createTestTable } from '../contract/support/dynamo-table.ts';
import { clientSettings, openCloud, output, scope } from './support/cloud.ts';
import { ownEngine, submitUnheard } from './support/engine.ts';
import { ingestInParts, layFile, newDataset } from './support/files.ts';
import { ended } from './support/jobs.ts';
import { createMeter } from './support/metering.ts';

const meter = createMeter();
const dynamo = new DynamoDBClient(clientSettings());
const sqs = new SQSClient(clientSettings());
const events = new EventBridgeClient(clientSettings());
const s3 = new S3Client({ ...clientSettings(), forcePathStyle: true });
const changes: Change[] = [];
/** The stack's worker hears nothing of this queue, and its relay nothing of this table. */
let QueueUrl = '';
let tableName = '';

const stage = (name: string) =>
  defineStage({ name, output: z.string(), run: async (_ctx, input: string) => `${input}${name}` });
const six = ['a', 'b', 'c', 'd', 'e'].reduce(
  (made, name) => made.stage(stage(name)),
  pipeline('counted.six', { input: z.string(), version: '1' }).stage(stage('first')),
);
const stepped = defineJob({
  kind: 'counted.step',
  input: z.json(),
  run: async (ctx) => ctx.step('once', async () => 'done'),
});

const thisMinute = epochMs(Math.floor(systemClock.now() / 60_000) * 60_000);

const parts = () => ({
  store: tapped(createDynamoStore({ client: dynamo, tableName })),
  objects: createS3Objects({ client: s3, bucket: output('BucketName') }),
  ringer: createSqsRinger({ client: sqs, queues: { worker: { default: QueueUrl, due: QueueUrl } } }),
});

/** A stage that takes long here is counted as the short one that it is. */
const unhurried = { ...engineDefaults, firstProgress: engineDefaults.beat };

const open = (given: Partial<Engine> = {}) => {
  const { store, objects, ringer } = parts();
  const registry = createRegistry([...diagnosticKinds, stepped, six]);
  return ownEngine({ store: store as never, objects }, { ringer, registry, settings: unhurried, ...given });
};

/** Keeps each applied loud write as the change stream would tell it. */
function tapped(store: JobStore): JobStore {
  const before = new Map<string, unknown>();
  const tell = <T extends { kind: string; row?: { id: string; rule: string } }>(answer: T): T => {
    const row = answer.kind === 'applied' ? answer.row : undefined;
    if (row !== undefined) changes.push({ before: before.get(row.id), after: row });
    if (row !== undefined) before.set(row.id, row);
    return answer;
  };
  return {
    ...store,
    submit: async (...call) => tell(await store.submit(...call)),
    write: async (...call) => tell(await store.write(...call)),
  };
}

async function hearNext(engine: Engine) {
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  const { Body = '', ReceiptHandle } = must(Messages?.[0], 'a doorbell');
  const heard = await createWorker(engine).hear(must(parseDoorbell(Body), 'a doorbell'));
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return heard;
}

/** As an event source with a batch size of ten does; fewer may come at a time. */
async function hearTen(engine: ReturnType<typeof open>) {
  const bells: Message[] = [];
  while (bells.length < 10) {
    const received = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5, MaxNumberOfMessages: 10 }),
    );
    bells.push(...(received.Messages ?? []));
  }
  await Promise.all(bells.map(({ Body = '' }) => createWorker(engine).hear(must(parseDoorbell(Body), 'a doorbell'))));
  const Entries = bells.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}

const relay = async (engine: ReturnType<typeof open>) =>
  relayChanges(
    {
      ...engine,
      effects: createEffects(engine),
      count: (changed, how) => countChanges(engine, changed, how),
      announcer: createEventBridge(events),
    },
    changes.splice(0),
  );

beforeAll(async () => {
  tableName = (await createTestTable(dynamo)).name;
  meter.watch(dynamo, sqs, s3, events);
});
// A queue a test: what one leaves unheard is no other's.
beforeEach(async ({ task }) => {
  const { QueueUrl: made } = await sqs.send(
    new CreateQueueCommand({ QueueName: `cost-${task.id.replace(/\W/g, '')}` }),
  );
  QueueUrl = must(made, 'a queue');
  changes.splice(0);
});
afterEach(async () => {
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
});
afterAll(async () => {
  await dynamo.send(new DeleteTableCommand({ TableName: tableName }));
  for (const client of [dynamo, sqs, s3, events]) client.destroy();
});

describe('what a path asks of AWS', () => {
  it('is pinned for a simple job, its relay apart', async () => {
    const engine = open();
    meter.take();
    await submitUnheard(engine, 'diagnostic.echo', { said: 'hello' });
    await hearNext(engine);
    expect(meter.take()).toEqual(counts.simple);
  });

  it('is pinned for the relay of a batch of simple jobs', async () => {
    // One minute of statistics, whenever this runs.
    const engine = open({ clock: { ...systemClock, now: () => thisMinute } });
    for (let job = 0; job < JOBS_A_RELAY; job++) await submitUnheard(engine, 'diagnostic.echo', job);
    for (let job = 0; job < JOBS_A_RELAY; job++) await hearNext(engine);
    meter.take();
    expect(changes).toHaveLength(3 * JOBS_A_RELAY);
    expect(await relay(engine)).toBeUndefined();
    expect(meter.take()).toEqual(counts.relay);
  });

  it('is pinned for a heartbeat', async () => {
    const engine = open();
    const bell = await submitUnheard(engine, 'diagnostic.echo', 1);
    const owner = 'own_counted' as never;
    const now = systemClock.now();
    const claimed = await engine.store.write(bell.ref, 'claim', {
      ...{ writeId: 'w_counted' as never, epoch: bell.epoch, owner, now, heldBy: 'worker' },
      leaseUntil: later(now, minutes(1)),
    });
    const { epoch } = must(claimed.kind === 'applied' ? claimed.row : undefined, 'a claim');
    meter.take();
    await engine.store.write(bell.ref, 'heartbeat', { epoch, owner, leaseUntil: later(now, minutes(2)) });
    expect(meter.take()).toEqual(counts.heartbeat);
  });

  it('is pinned for a job that fails once', async () => {
    const engine = open();
    meter.take();
    await submitUnheard(engine, 'diagnostic.fail', { times: 1, retryAfterSeconds: 0 });
    await hearNext(engine);
    await hearNext(engine);
    expect(meter.take()).toEqual(counts.retry);
  });

  it('is pinned for arming a job that is further out than a queue can carry', async () => {
    const engine = open();
    const notBefore = later(systemClock.now(), minutes(20));
    const { ref } = await submitUnheard(engine, 'diagnostic.echo', 1, { notBefore });
    meter.take();
    const row = must(await engine.store.get(ref), 'the row');
    const readsOfTheTest = meter.take();
    expect(readsOfTheTest.readUnits).toBeGreaterThan(0);
    await sweepRow(engine, { ref, dueAt: must(row.dueAt, 'dueAt') }, later(notBefore, minutes(-1)));
    expect(meter.take()).toEqual(counts.arm);
  });

  it('is pinned for a job that counts against a limit', async () => {
    const engine = open();
    meter.take();
    const concurrencyKey = { key: 'counted', limit: 5 };
    await submitUnheard(engine, 'diagnostic.echo', 1, { concurrencyKey });
    await hearNext(engine);
    expect(meter.take()).toEqual(counts.slot);
  });

  it('is pinned for a job with a dedup key', async () => {
    const engine = open();
    meter.take();
    await submitUnheard(engine, 'diagnostic.echo', 1, { dedupKey: 'counted' });
    await hearNext(engine);
    expect(meter.take()).toEqual(counts.dedup);
  });

  it('is pinned for ten jobs that are submitted in one call and run in one invocation', async () => {
    const engine = open();
    meter.take();
    const request = { scope, kind: 'diagnostic.echo', input: 1, correlationId: 'cost' };
    await submitJobs(
      engine,
      Array.from({ length: 10 }, () => () => writeRequest(engine, request)),
    );
    await hearTen(engine);
    expect(meter.take()).toEqual(counts.batch);
  });

  it('is pinned for a sweep that finds nothing due', async () => {
    const engine = open();
    meter.take();
    await Promise.all(Array.from({ length: DUE_SHARDS }, (_, shard) => engine.store.due(shard, epochMs(1))));
    expect(meter.take()).toEqual(counts.sweep);
  });

  it('is pinned for a step of a job', async () => {
    const engine = open();
    meter.take();
    await submitUnheard(engine, 'counted.step', 1);
    await hearNext(engine);
    expect(meter.take()).toEqual(counts.step);
  });

  it('is pinned for a pipeline of six stages, each in a step of its own', async () => {
    const engine = open();
    meter.take();
    await submitUnheard(engine, 'counted.six', 'x');
    const heard = await hearNext(engine);
    if (heard.kind !== 'started') throw new Error(`it came to ${heard.kind}`);
    const bell: Doorbell = { ref: heard.claim.ref, epoch: heard.claim.epoch };
    for (const { name } of six.steps) await runStep(engine, six, { bell, step: name });
    expect(meter.take()).toEqual(counts.pipeline);
  });

  it('is pinned for an ingest of a small CSV, and for what follows it', async () => {
    const { store, objects, ringer } = parts();
    const engine = ownEngine({ store: store as never, objects }, { ringer, settings: unhurried });
    const {
      dataset,
      id: file,
      name,
    } = await layFile({ store: store as never, objects }, 'counted.csv', 'a,b\n1,x\n2,y\n');
    meter.take();
    await submitUnheard(engine, 'ingest', { dataset, file, name });
    const heard = await hearNext(engine);
    if (heard.kind !== 'started') throw new Error(`it came to ${heard.kind}`);
    const bell: Doorbell = { ref: heard.claim.ref, epoch: heard.claim.epoch };
    for (const step of engine.ingest.steps) await runStep(engine, engine.ingest, { bell, step: step.name });
    expect(meter.take()).toEqual(counts.ingest);
    await submitUnheard(engine, 'system.after-ingest', { dataset });
    expect(await hearNext(engine)).toMatchObject({ kind: 'ran', report: { row: { status: 'succeeded' } } });
    expect(meter.take()).toEqual(counts.afterIngest);
  });

  it('is a transition a step of a pipeline and at most two more', async () => {
    using cloud = openCloud();
    const dataset = await newDataset(cloud);
    const id = await ingestInParts(cloud, dataset, 'counted.csv', Buffer.from('a,b\n1,2\n'));
    const row = await ended(cloud, id);
    expect(row.status).toBe('succeeded');
    const machine = output('IngestStateMachineArn');
    const executionArn = `${machine.replace(':stateMachine:', ':execution:')}:${row.id}-${row.epoch}`;
    const { events = [] } = await cloud.sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }));
    const entered = events.filter(({ type }) => type?.endsWith('StateEntered') === true);
    expect(entered.length).toBeGreaterThanOrEqual(ownEngine(cloud).ingest.steps.length);
    expect(entered.length).toBeLessThanOrEqual(ownEngine(cloud).ingest.steps.length + 2);
  });
});
