import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Epoch } from '../../lib/core/ids.ts';
import { hours, later, seconds, systemClock } from '../../lib/core/time.ts';
import type { Doorbell } from '../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { writeDoorbell } from '../../lib/queue/doorbell.ts';
import { type Cloud, openCloud, output } from './support/cloud.ts';
import { ownEngine, submitUnheard } from './support/engine.ts';
import { invoke, lineLogged } from './support/invoke.ts';
import { countOf, ended, inStatus, rulesOf, submit } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud: Cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

/** On the lane that nothing else in these tests uses, so that its depth is this test's own. */
const lane = () => output('WorkerDueQueueUrl');
const doorbellsOf = (row: JobRow): Doorbell[] =>
  [row.epoch - 1, row.epoch, row.epoch + 1].map((epoch) => ({ ref: refOf(row), epoch: epoch as Epoch }));

async function ringByHand(bells: readonly Doorbell[]): Promise<void> {
  for (const bell of bells)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: lane(), MessageBody: writeDoorbell(bell) }));
  await waitFor('the worker to hear every doorbell', isDrained);
}

async function isDrained(): Promise<boolean> {
  const { Attributes = {} } = await cloud.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: lane(),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes).every((count) => count === '0');
}

describe('a duplicate doorbell', () => {
  it('changes nothing of a job that has ended', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.echo', 1));
    await ringByHand(doorbellsOf(row));
    expect(await cloud.store.get(refOf(row))).toEqual(row);
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'succeed']);
  });

  it('loses against the worker that runs the job', async () => {
    const id = await submit(cloud, 'diagnostic.sleep', { seconds: 4 });
    const running = await inStatus(cloud, id, 'running');
    await ringByHand(doorbellsOf(running));
    expect(await cloud.row(id)).toMatchObject({ epoch: running.epoch, leaseOwner: running.leaseOwner });
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', version: running.version + 1 });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'succeed']);
  });

  it('of a job that is not there is heard, and makes none', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.echo', 1));
    const gone = { ...refOf(row), id: row.id.replace(/.$/, '!') as JobRow['id'] };
    await ringByHand([{ ref: gone, epoch: row.epoch }]);
    expect(await cloud.store.get(gone)).toBeUndefined();
  });
});

describe('a doorbell that was given up', () => {
  /** Answers whether the function rang. */
  const giveUp = async (bell: Doorbell): Promise<boolean> => {
    const record = { messageId: '1', body: writeDoorbell(bell), receiptHandle: '-', eventSourceARN: '-' };
    const { value, log } = await invoke(cloud, 'DeadLetter', { Records: [record] });
    expect(value).toEqual({ batchItemFailures: [] });
    const line = await lineLogged(cloud, 'DeadLetter', { log, text: bell.ref.id, idle: { Records: [] } });
    return line.includes('"rung":true');
  };

  it('is rung again where its job is queued and due, and the job runs once', async () => {
    // Due a second after it is submitted.
    const engine = ownEngine(cloud, { settings: { ...engineDefaults, lease: seconds(1) } });
    const bell = await submitUnheard(engine, 'diagnostic.echo', 'heard at last');
    const { dueAt = 0 } = await cloud.row(bell.ref.id);
    await waitFor('the job to be due', async () => systemClock.now() > dueAt);
    expect(await giveUp(bell)).toBe(true);
    const row = await ended(cloud, bell.ref.id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 0 });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'succeed']);
  });

  it('settles nothing: a job that waits, runs or has ended stays as it is', async () => {
    const inAnHour = later(systemClock.now(), hours(1));
    const waits = await submitUnheard(ownEngine(cloud), 'diagnostic.echo', 1, { notBefore: inAnHour });
    const before = await cloud.row(waits.ref.id);
    expect(await giveUp(waits)).toBe(false);
    expect(await cloud.row(waits.ref.id)).toEqual(before);

    const runs = await inStatus(cloud, await submit(cloud, 'diagnostic.sleep', { seconds: 2 }), 'running');
    expect(await giveUp({ ref: refOf(runs), epoch: runs.epoch })).toBe(false);
    const row = await ended(cloud, runs.id);
    expect(await giveUp({ ref: refOf(row), epoch: row.epoch })).toBe(false);
    expect(await cloud.row(row.id)).toEqual(row);
    expect(countOf(await rulesOf(cloud, row), 'claim')).toBe(1);
  });
});
