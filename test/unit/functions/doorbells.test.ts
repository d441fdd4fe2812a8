import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { hearAll, visibleSoon } from '../../../functions/support/doorbells.ts';
import { seededChance } from '../../../lib/core/chance.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';

const record = (messageId: string, body: string): SQSRecord =>
  ({ messageId, body, receiptHandle: `${messageId}-handle`, eventSourceARN: 'arn:aws:sqs:x:1:due' }) as SQSRecord;
const bell = (id: string) => JSON.stringify({ t: 'acme', w: 'main', id, e: 7 });
const unavailable = () => Promise.reject(new StoreUnavailable('no answer'));

describe('hearing doorbells', () => {
  it('gives back only those that could not be looked at', async () => {
    const given: string[] = [];
    const answer = await hearAll([record('m1', bell('job_1')), record('m2', bell('job_2'))], {
      log: silentLog,
      hear: ({ ref }) => (ref.id === 'job_2' ? unavailable() : Promise.resolve()),
      giveBack: async ({ messageId }) => void given.push(messageId),
    });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
    expect(given).toEqual(['m2']);
  });

  it('drops a message that is no doorbell, since it would come back a hundred times', async () => {
    const heard: unknown[] = [];
    const hear = async (each: unknown) => void heard.push(each);
    const answer = await hearAll([record('m1', 'hello'), record('m2', bell('job_2'))], { log: silentLog, hear });
    expect(answer.batchItemFailures).toEqual([]);
    expect(heard).toEqual([{ ref: { tenant: 'acme', workspace: 'main', id: 'job_2' }, epoch: 7 }]);
  });
});

describe('a message that goes back', () => {
  it('is visible again after 5 to 30 seconds, on the queue that it came from', async () => {
    const sent: { QueueUrl: string; ReceiptHandle: string; VisibilityTimeout: number }[] = [];
    const client = { send: async ({ input }: { input: (typeof sent)[number] }) => void sent.push(input) };
    const urls = ['https://sqs/1/default', 'https://sqs/1/due'];
    const giveBack = visibleSoon(client as unknown as SQSClient, urls, seededChance(1), silentLog);
    for (let each = 0; each < 200; each++) await giveBack(record('m1', ''));
    const waits = sent.map(({ VisibilityTimeout }) => VisibilityTimeout);
    expect(sent[0]).toMatchObject({ QueueUrl: 'https://sqs/1/due', ReceiptHandle: 'm1-handle' });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30);
    expect(new Set(waits).size).toBeGreaterThan(10);
  });

  it('is still reported when its visibility cannot be changed', async () => {
    const client = { send: () => Promise.reject(new Error('throttled')) };
    const giveBack = visibleSoon(client as unknown as SQSClient, [], seededChance(1), silentLog);
    const answer = await hearAll([record('m1', bell('job_1'))], { log: silentLog, hear: unavailable, giveBack });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });
});
