import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import type { Epoch } from '../../lib/core/ids.ts';
import { type DurationMs, hours, seconds, systemClock } from '../../lib/core/time.ts';
import { type Doorbell, StoreUnavailable } from '../../lib/job/ports.ts';
import type { Lane } from '../../lib/job/row.ts';
import { parseDoorbell, writeDoorbell } from '../../lib/queue/doorbell.ts';
import { createEmbeddedQueue, type Delivery } from '../../lib/queue/embedded.ts';
import { createSqsRinger } from '../../lib/queue/sqs.ts';
import { clientSettings } from '../support/aws.ts';
import { type Heard, type QueueHarness, queueSuite } from './suite/queue.ts';
import { aRef } from './support/jobs.ts';
import { uniqueName } from './support/names.ts';

async function openSqs(): Promise<QueueHarness> {
  const client = new SQSClient(clientSettings('SQS'));
  const create = async (lane: Lane) => {
    const made = await client.send(new CreateQueueCommand({ QueueName: uniqueName(`queue-${lane}`) }));
    return must(made.QueueUrl, 'the URL');
  };
  const urls = { default: await create('default'), due: await create('due') };
  const hear = async (lane: Lane): Promise<Heard> => {
    const QueueUrl = urls[lane];
    const receive = new ReceiveMessageCommand({
      QueueUrl,
      WaitTimeSeconds: 10,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    const message = must((await client.send(receive)).Messages?.[0], 'a message');
    const { ReceiptHandle } = message;
    return {
      bell: must(parseDoorbell(message.Body ?? ''), 'a doorbell'),
      receiveCount: Number(message.Attributes?.['ApproximateReceiveCount']),
      done: async () => {
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      },
      again: async (after: DurationMs) => {
        const VisibilityTimeout = Math.ceil(after / 1000);
        await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
      },
    };
  };
  const close = async () => {
    for (const QueueUrl of Object.values(urls)) await client.send(new DeleteQueueCommand({ QueueUrl }));
    client.destroy();
  };
  return { ringer: createSqsRinger({ client, queues: { worker: urls } }), hear, close };
}

/** Hands each delivery to who hears next, and waits for what they say. */
async function openEmbedded(): Promise<QueueHarness> {
  const queue = createEmbeddedQueue({ clock: systemClock });
  const waiting: Record<Lane, ((heard: Heard) => void)[]> = { default: [], due: [] };
  const arrived: Record<Lane, Heard[]> = { default: [], due: [] };
  const deliver = (delivery: Delivery): Promise<{ again: DurationMs } | undefined> =>
    new Promise((resolve) => {
      const { bell, receiveCount, lane } = delivery;
      const answer = async (with_: { again: DurationMs } | undefined) => {
        resolve(with_);
        await new Promise((next) => setImmediate(next));
      };
      const heard = {
        bell,
        receiveCount,
        done: () => answer(undefined),
        again: (after: DurationMs) => answer({ again: after }),
      };
      const next = waiting[lane].shift();
      if (next === undefined) arrived[lane].push(heard);
      else next(heard);
    });
  const hear = (lane: Lane): Promise<Heard> => {
    const heard = arrived[lane].shift();
    return heard === undefined ? new Promise((resolve) => waiting[lane].push(resolve)) : Promise.resolve(heard);
  };
  // As SQS does, it holds a message until somebody asks for one.
  const consumers: { stop(): Promise<void> }[] = [];
  const start = (lane: Lane) =>
    consumers.push(queue.consume(deliver, { concurrency: 1, lanes: [lane], visibility: seconds(30) }));
  return {
    ringer: queue,
    hear: async (lane) => {
      start(lane);
      const heard = await hear(lane);
      const stopped = must(consumers.pop(), 'a consumer');
      const ended =
        <T extends unknown[]>(act: (...args: T) => Promise<void>) =>
        async (...args: T) => {
          const stopping = stopped.stop();
          await act(...args);
          await stopping;
        };
      return { ...heard, done: ended(heard.done), again: ended(heard.again) };
    },
    close: async () => undefined,
  };
}

queueSuite('SQS', openSqs);
queueSuite('the embedded queue', openEmbedded);

describe('doorbells', () => {
  const bell: Doorbell = { ref: aRef(), epoch: 7 as Epoch };

  it('carry the place of the row and its epoch, and nothing else', () => {
    expect(JSON.parse(writeDoorbell(bell))).toEqual({ t: 'acme', w: 'main', id: bell.ref.id, e: 7 });
    expect(parseDoorbell(writeDoorbell(bell))).toEqual(bell);
  });

  it.each(['', 'null', '{}', '{"t":"a","w":"b","id":"c"}', '{"t":"a","w":"b","id":"","e":1}', '[1]'])(
    'are not read from %s',
    (body) => {
      expect(parseDoorbell(body)).toBeUndefined();
    },
  );

  it('say that the queue is unavailable when nothing answers, and send no delay that SQS refuses', async () => {
    const client = new SQSClient({
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:9',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    const delays: unknown[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        delays.push((args.input as { DelaySeconds?: number }).DelaySeconds);
        return next(args);
      },
      { step: 'initialize' },
    );
    const urls = { default: 'http://127.0.0.1:9/1/q', due: 'http://127.0.0.1:9/1/d' };
    const ringer = createSqsRinger({ client, queues: { worker: urls } });
    await expect(ringer.ring(bell, 'default', 'echo', hours(1))).rejects.toThrow(StoreUnavailable);
    await expect(ringer.isIdle('default', 'echo')).rejects.toThrow(StoreUnavailable);
    expect(delays[0]).toBe(900);
    client.destroy();
  });

  it('ring the queue of the function that names the kind, and the worker for all others', async () => {
    const sent: unknown[] = [];
    const send = async ({ input }: { input: { QueueUrl: string } }) => {
      sent.push(input.QueueUrl);
      return {};
    };
    const client = { send };
    const queues = {
      worker: { default: 'worker', due: 'worker-due' },
      heavy: { default: 'heavy', due: 'heavy-due', kinds: ['report'] },
    };
    const ringer = createSqsRinger({ client: client as unknown as SQSClient, queues });
    await ringer.ring(bell, 'default', 'report');
    await ringer.ring(bell, 'due', 'report');
    await ringer.ring(bell, 'due', 'echo');
    await ringer.isIdle('default', 'report');
    expect(sent).toEqual(['heavy', 'heavy-due', 'worker-due', 'heavy']);
    expect(['report', 'echo', 'other'].map((kind) => ringer.queueOf?.(kind))).toEqual(['heavy', 'worker', 'worker']);
  });
});
