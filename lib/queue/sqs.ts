// Doorbells over SQS. A queue belongs to one function and one lane; the message group is the tenant, for fair queues.
import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { must } from '../core/check.ts';
import { isOutage } from '../core/outage.ts';
import { type DurationMs, millis } from '../core/time.ts';
import { type Ringer, StoreUnavailable } from '../job/ports.ts';
import type { Lane } from '../job/row.ts';
import { writeDoorbell } from './doorbell.ts';

/** URLs by lane. */
type QueuesOfFunction = Readonly<Record<Lane, string>> & { readonly kinds?: readonly string[] };

export interface SqsOptions {
  /** Its own retries come before the ringer says StoreUnavailable. */
  readonly client: SQSClient;
  /** By function; `worker` must be among them, and runs every kind that no other one names. */
  readonly queues: Readonly<Record<string, QueuesOfFunction>>;
}

/** SQS takes whole seconds, at most 15 minutes. */
const MAX_DELAY_SECONDS = 900;

/**
 * @example
 * const ringer = createSqsRinger({ client: new SQSClient({}), queues: { worker: { default: url, due: dueUrl } } });
 */
export function createSqsRinger({ client, queues }: SqsOptions): Ringer {
  const worker = must(queues['worker'], 'the queues of the worker');
  const named = Object.values(queues).flatMap((of) => (of.kinds ?? []).map((kind) => [kind, of] as const));
  const byKind = new Map(named);
  const urlOf = (lane: Lane, kind: string): string => (byKind.get(kind) ?? worker)[lane];
  return {
    ring: async (bell, lane, kind, delay = millis(0)) => {
      const message = new SendMessageCommand({
        QueueUrl: urlOf(lane, kind),
        MessageBody: writeDoorbell(bell),
        DelaySeconds: delaySeconds(delay),
        MessageGroupId: bell.ref.tenant,
      });
      await calling(() => client.send(message));
    },
    isIdle: async (lane, kind) => {
      const ask = new GetQueueAttributesCommand({
        QueueUrl: urlOf(lane, kind),
        AttributeNames: ['ApproximateNumberOfMessages'],
      });
      const { Attributes } = await calling(() => client.send(ask));
      return Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0) === 0;
    },
  };
}

/** Rounded up: a doorbell that comes early costs a receive for nothing. */
const delaySeconds = (delay: DurationMs): number => Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay / 1000)));

async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isOutage(error)) throw new StoreUnavailable('SQS does not answer.', { cause: error });
    throw error;
  }
}
