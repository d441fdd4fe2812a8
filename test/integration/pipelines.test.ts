import { afterAll, describe, expect, inject, it } from 'vitest';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createWorker } from '../../lib/job/run/worker.ts';
import type { JobEvent } from '../../lib/job/ports.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { ingestSubmission } from '../../lib/http/ingest-file.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { clientSettings, type Cloud, openCloud, output, refTo, scope } from './support/cloud.ts';
import { ownEngine, submitUnheard } from './support/engine.ts';
import { ingestInParts, layFile, newDataset, publishedTable, slowCsv } from './support/files.ts';
import { invoke } from './support/invoke.ts';
import { countOf, ended, eventsOf, rowThat, rulesOf } from './support/jobs.ts';
import { loseFirstUpdate } from './support/middleware.ts';
import { killProcessesOf } from './support/processes.ts';

const cloud: Cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

const ROWS = 400_000;
/** So many that a second invocation, which may have to start a process, arrives while the first one still parses. */
const MANY_ROWS = 1_600_000;
/** All but the one that publishes. */
const stages = ownEngine(cloud)
  .ingest.stages.map(({ name }) => name)
  .filter((name) => name !== 'publish');
const soon = { everyMs: 20 };

/** What stages left of their outputs beside the row, as `<epoch>/<stage>`: one a commit, and none that was not. */
async function outputsOf(row: JobRow): Promise<string[]> {
  const epochs = Array.from({ length: row.epoch - row.createdAt + 1 }, (_, lives) => row.createdAt + lives);
  const places = epochs.flatMap((epoch) => stages.toSorted().map((stage) => ({ epoch, stage })));
  const found = await Promise.all(
    places.map(({ epoch, stage }) => cloud.store.getPayload(refTo(row.id), `output-${epoch}-${stage}`)),
  );
  return places.filter((_, place) => found[place] !== undefined).map(({ epoch, stage }) => `${epoch}/${stage}`);
}

/** The stages in the order in which they were committed. */
const committed = (events: readonly JobEvent[]) =>
  events.map(({ stage }) => stage).filter((stage, index, all) => stage !== undefined && stage !== all[index - 1]);

async function expectPublishedOnce(dataset: string, row: JobRow, rowCount: number): Promise<void> {
  const { table, manifest } = await publishedTable(cloud, dataset);
  expect(manifest).toMatchObject({ rowCount });
  expect(table.current).toMatchObject({ sequence: 1 });
  const { items } = await cloud.store.listSnapshots(scope, table.dataset, table.id, { limit: 10 });
  expect(items).toMatchObject([{ id: table.current?.snapshot, status: 'READY', job: row.id, sequence: 1 }]);
  expect(countOf(await rulesOf(cloud, row), 'succeed')).toBe(1);
  expect(committed(await eventsOf(cloud, row))).toEqual([...stages, 'publish']);
}

describe('a pipeline on the deployed stack', () => {
  it('whose stage process is killed is settled by the catch, resumes at that stage and publishes once', async () => {
    const dataset = await newDataset(cloud);
    const id = await ingestInParts(cloud, dataset, 'killed.csv', slowCsv(ROWS));
    const before = await rowThat(cloud, id, 'after receive', ({ stage }) => stage === 'receive', soon);
    expect(before).toMatchObject({ status: 'running', heldBy: 'worker' });
    await killProcessesOf({ functionName: output('StageFunctionName'), emulator: inject('cloud').pid });
    const crashed = await rowThat(cloud, id, 'settled', ({ crashes }) => crashes > 0, { ...soon, seconds: 20 });
    expect(crashed).toMatchObject({ crashes: 1, stage: 'receive' });

    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 1, attempts: 0 });
    const rules = await rulesOf(cloud, row);
    expect([countOf(rules, 'crash'), countOf(rules, 'reap'), countOf(rules, 'claim')]).toEqual([1, 0, 2]);
    await expectPublishedOnce(dataset, row, ROWS);
    const [first, second] = [before.epoch, row.epoch];
    const later = stages.filter((stage) => stage !== 'receive').toSorted();
    expect(await outputsOf(row)).toEqual([`${first}/receive`, ...later.map((stage) => `${second}/${stage}`)]);
  });

  it('whose stage is invoked twice runs it once', async () => {
    const dataset = await newDataset(cloud);
    const id = await ingestInParts(cloud, dataset, 'twice.csv', slowCsv(MANY_ROWS));
    const isRun = (row: JobRow) => row.status === 'running' && row.heldBy === 'worker' && row.cursorNo > 0;
    const running = await rowThat(cloud, id, 'run by a stage', isRun, soon);
    const { tenant, workspace, epoch } = running;
    const call = { tenant, workspace, id, epoch };
    const twice = await invoke(cloud, 'Stage', { ...call, pipeline: 'ingest', step: 'receive+parse' });
    expect(twice.error).toContain('duplicate_begin');
    expect(await cloud.row(id)).toMatchObject({ leaseOwner: running.leaseOwner, heldBy: 'worker' });
    const settled = await invoke(cloud, 'Settle', { ...call, error: { Error: 'any', Cause: twice.error } });
    expect(settled.value).toEqual({ kind: 'left alone' });

    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 0, attempts: 0, epoch });
    expect(await outputsOf(row)).toEqual(stages.toSorted().map((stage) => `${epoch}/${stage}`));
    const rules = await rulesOf(cloud, row);
    expect([countOf(rules, 'begin'), countOf(rules, 'claim')]).toEqual([2, 1]);
    await expectPublishedOnce(dataset, row, MANY_ROWS);
  });

  it('whose publish was committed and its answer lost does not publish twice', async () => {
    const file = await layFile(cloud, 'lost.csv', 'a,b\n1,x\n2,y\n');
    // One try a call: the SDK's own resend carries a token by which DynamoDB recognises it.
    const client = new DynamoDBClient({ ...clientSettings(), maxAttempts: 1 });
    const sent = loseFirstUpdate(client);
    const store = createDynamoStore({ client, tableName: output('TableName') });
    const engine = ownEngine({ ...cloud, store });
    const { kind, input, id } = ingestSubmission(file, {});
    const heard = await createWorker(engine).hear(await submitUnheard(engine, kind, input, { id }));
    expect(heard.kind).toBe('started');
    const bell = { ref: { ...scope, id }, epoch: (await cloud.row(id)).epoch };
    for (const { name } of engine.ingest.steps) await runStep(engine, engine.ingest, { bell, step: name });
    client.destroy();

    expect(sent()).toBe(2);
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', epoch: bell.epoch });
    await expectPublishedOnce(file.dataset, row, 2);
  });
});
