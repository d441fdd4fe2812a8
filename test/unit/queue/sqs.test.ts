import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Epoch } from '../../../lib/core/ids.ts';
import { millis } from '../../../lib/core/time.ts';
import type { Ring } from '../../../lib/job/ports.ts';
import type { Lane } from '../../../lib/job/row.ts';
import { createSqsBacklogs, createSqsRinger } from '../../../lib/queue/sqs.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { refOf } from '../../../lib/job/row.ts';

interface Batch {
  readonly url: string;
  readonly ids: readonly string[];
}

/** A ringer whose client answers each batch as the test says. */
function aRinger(answer: (batch: Batch) => { readonly Failed?: readonly { readonly Id: string }[] }) {
  const batches: Batch[] = [];
  const client = new SQSClient({ region: 'eu-central-1' });
  client.send = (async (command: unknown) => {
    if (!(command instanceof SendMessageBatchCommand)) throw new TypeError('not a batch');
    const { QueueUrl = '', Entries = [] } = command.input;
    const batch = { url: QueueUrl, ids: Entries.map(({ Id = '' }) => Id) };
    batches.push(batch);
    return answer(batch);
  }) as typeof client.send;
  return { batches, ringer: createSqsRinger({ client, queues: { worker: { default: 'bulk', due: 'quick' } } }) };
}

const rings = (count: number, lane: Lane): Ring[] =>
  Array.from({ length: count }, (_, at) => ({
    bell: { ref: refOf(aJobRow()), epoch: at as Epoch },
    lane,
    kind: 'echo',
    delay: millis(0),
  }));

describe('ringing many over SQS', () => {
  it('takes one call for ten of a queue', async () => {
    const { batches, ringer } = aRinger(() => ({}));
    expect(await ringer.ringMany?.([...rings(21, 'default'), ...rings(2, 'due')])).toEqual([]);
    expect(batches.map(({ url, ids }) => [url, ids.length])).toEqual([
      ['bulk', 10],
      ['bulk', 10],
      ['bulk', 1],
      ['quick', 2],
    ]);
  });

  it('answers what the queue names as failed, and no other', async () => {
    const { ringer } = aRinger(() => ({ Failed: [{ Id: '1' }] }));
    const asked = rings(12, 'default');
    expect(await ringer.ringMany?.(asked)).toEqual([asked[1], asked[11]]);
  });

  it('answers all of a batch that was throttled, and throws for a mistake of ours', async () => {
    const thrown = (name: string) => Object.assign(new Error(name), { name });
    const throttled = aRinger(({ ids }) => {
      if (ids.length === 10) throw thrown('ThrottlingException');
      return {};
    });
    const asked = rings(12, 'default');
    expect(await throttled.ringer.ringMany?.(asked)).toEqual(asked.slice(0, 10));
    const wrong = aRinger(() => {
      throw thrown('InvalidAttributeValue');
    });
    await expect(wrong.ringer.ringMany?.(asked)).rejects.toThrow('InvalidAttributeValue');
  });
});

describe('the depths of SQS', () => {
  it('are told of each queue once, under the function that hears it', async () => {
    const depths: Readonly<Record<string, string>> = { bulk: '7', quick: '0', batch: '12' };
    const client = new SQSClient({ region: 'eu-central-1' });
    client.send = (async (command: unknown) => {
      if (!(command instanceof GetQueueAttributesCommand)) throw new TypeError('no question for a depth');
      return { Attributes: { ApproximateNumberOfMessages: depths[command.input.QueueUrl ?? ''] } };
    }) as typeof client.send;
    const worker = { default: 'bulk', due: 'quick' };
    const queues = { worker, 'worker-batch': { ...worker, default: 'batch', kinds: ['small'] } };
    const backlogs = createSqsBacklogs({ client, queues });
    expect(await backlogs.lanes()).toEqual([
      { queue: 'worker', lane: 'default', waiting: 7 },
      { queue: 'worker', lane: 'due', waiting: 0 },
      { queue: 'worker-batch', lane: 'default', waiting: 12 },
    ]);
    expect([backlogs.queueOf('small'), backlogs.queueOf('echo')]).toEqual(['worker-batch', 'worker']);
  });
});
