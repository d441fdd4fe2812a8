// What a simple job costs: its calls of AWS, and the write units that they consume, counted at the clients. What comes before the claim and
// after the settle is Lambda's own: it receives the doorbell and deletes it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { parseDoorbell } from '../../lib/queue/doorbell.ts';
import { createSqsRinger } from '../../lib/queue/sqs.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { clientSettings, type Cloud, openCloud, output } from './support/cloud.ts';
import { ownEngine, submitUnheard } from './support/engine.ts';
import { type Call, recordDynamo, recordQueue } from './support/middleware.ts';

const cloud: Cloud = openCloud();
const calls: Call[] = [];
const dynamo = new DynamoDBClient(clientSettings());
const sqs = new SQSClient(clientSettings());
/** The worker of the stack hears nothing of this queue. */
let QueueUrl = '';

beforeAll(async () => {
  QueueUrl = must((await sqs.send(new CreateQueueCommand({ QueueName: 'counted' }))).QueueUrl, 'a queue');
  recordDynamo(dynamo, calls);
  recordQueue(sqs, calls);
});
afterAll(async () => {
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  for (const client of [cloud.dynamo, dynamo, sqs]) client.destroy();
});

describe('the critical path of a simple job', () => {
  it('is three single-item conditional writes, one send, one receive and one delete', async () => {
    const store = createDynamoStore({ client: dynamo, tableName: output('TableName') });
    const ringer = createSqsRinger({ client: sqs, queues: { worker: { default: QueueUrl, due: QueueUrl } } });
    const engine = ownEngine({ ...cloud, store }, { ringer });
    await submitUnheard(engine, 'diagnostic.echo', { said: 'hello' });
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
    const { Body = '', ReceiptHandle } = must(Messages?.[0], 'a doorbell');
    const heard = await createWorker(engine).hear(must(parseDoorbell(Body), 'a doorbell'));
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

    expect(heard).toMatchObject({ kind: 'ran', report: { kind: 'settled', row: { status: 'succeeded' } } });
    expect(calls).toEqual([
      // The row, and its entries in the indexes `due` and `list`.
      { operation: 'PutItem', units: { table: 1, indexes: { due: 1, list: 1 } } },
      { operation: 'SendMessage' },
      { operation: 'ReceiveMessage' },
      // The entry in `due` stays where it is.
      { operation: 'UpdateItem', units: { table: 1, indexes: {} } },
      // The entry in `due` goes.
      { operation: 'UpdateItem', units: { table: 1, indexes: { due: 1 } } },
      { operation: 'DeleteMessage' },
    ]);
  });
});
