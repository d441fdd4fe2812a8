// The job that does the same to many runs with the worker's own rights: on the lists of failures and of jobs, and on each job.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, expect, it } from 'vitest';
import { BULK_KIND, type BulkInput } from '../../lib/job/dead/bulk-kind.ts';
import { writeDoorbell } from '../../lib/queue/doorbell.ts';
import { openCloud, output } from './support/cloud.ts';
import { ownEngine, submitUnheard } from './support/engine.ts';
import { ended, submit } from './support/jobs.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

/** Runs the order on the deployed worker; answers the job's row. */
async function order(input: Omit<BulkInput, 'startAt'>) {
  const bell = await submitUnheard(ownEngine(cloud), BULK_KIND, { ...input, startAt: 0 });
  const message = { QueueUrl: output('WorkerQueueUrl'), MessageBody: writeDoorbell(bell), MessageGroupId: 'test' };
  await cloud.sqs.send(new SendMessageCommand(message));
  return ended(cloud, bell.ref.id);
}

it('redrives, discards and cancels by list', async () => {
  const failed = await submit(cloud, 'diagnostic.fail', { terminal: true });
  const since = (await ended(cloud, failed)).finishedAt ?? 0;
  const waiting = await submit(cloud, 'diagnostic.echo', 1, { delaySeconds: 3000 });
  const fails = { kind: 'diagnostic.fail', since, until: since + 1 };
  expect(await order({ action: 'redrive', filter: fails })).toMatchObject({ status: 'succeeded' });
  const again = await ended(cloud, failed);
  expect(again).toMatchObject({ status: 'failed', redrives: 1 });
  const { finishedAt = 0 } = again;
  await order({ action: 'discard', filter: { ...fails, since: finishedAt, until: finishedAt + 1 } });
  expect(await cloud.row(failed)).toMatchObject({ discarded: true });
  const { createdAt } = await cloud.row(waiting);
  await order({ action: 'cancel', filter: { kind: 'diagnostic.echo', since: createdAt, until: createdAt + 1 } });
  expect(await cloud.row(waiting)).toMatchObject({ status: 'cancelled' });
});
