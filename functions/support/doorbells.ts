// Reads doorbells off SQS. A message is done with when its invocation returns, whatever became of the job; only one whose job could not
// even be looked at goes back, and comes again within half a minute instead of after the function's time-out.
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Chance } from '../../lib/core/chance.ts';
import { asError } from '../../lib/core/check.ts';
import type { Log } from '../../lib/core/log.ts';
import type { Doorbell } from '../../lib/job/ports.ts';
import { parseDoorbell } from '../../lib/queue/doorbell.ts';

export interface DoorbellReader {
  readonly log: Log;
  readonly hear: (bell: Doorbell) => Promise<unknown>;
  /** Called for a message that goes back. */
  readonly giveBack?: (record: SQSRecord) => Promise<unknown>;
}

/** Hears all records side by side; answers which of them go back to the queue. */
export async function hearAll(records: readonly SQSRecord[], reader: DoorbellReader): Promise<SQSBatchResponse> {
  const failed = await Promise.all(records.map((record) => hearOne(record, reader)));
  return { batchItemFailures: failed.flatMap((id) => (id === undefined ? [] : [{ itemIdentifier: id }])) };
}

async function hearOne(record: SQSRecord, { log, hear, giveBack }: DoorbellReader): Promise<string | undefined> {
  const { messageId } = record;
  const bell = parseDoorbell(record.body);
  if (bell === undefined) {
    log.error('A message that is no doorbell was dropped.', { messageId });
    return undefined;
  }
  try {
    await hear(bell);
    return undefined;
  } catch (thrown) {
    log.warn('A doorbell could not be heard and goes back.', { messageId, job: bell.ref.id, error: asError(thrown) });
    await giveBack?.(record);
    return messageId;
  }
}

const soonest = 5;
const latest = 30;

/** Makes a message visible again after 5 to 30 s; where that fails too, it comes back with the function's time-out. */
export function visibleSoon(client: SQSClient, queueUrls: readonly string[], chance: Chance, log: Log) {
  return async ({ eventSourceARN, receiptHandle }: SQSRecord): Promise<void> => {
    const name = eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1);
    const VisibilityTimeout = Math.round(soonest + chance.next() * (latest - soonest));
    const QueueUrl = queueUrls.find((url) => url.endsWith(`/${name}`));
    try {
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout }),
      );
    } catch (thrown) {
      log.warn('The visibility of a message could not be changed.', { error: asError(thrown) });
    }
  };
}
