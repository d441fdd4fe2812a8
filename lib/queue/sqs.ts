// Doorbells over SQS. A queue belongs to one function and one lane; the message group is the tenant, for fair queues.
import {
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { must } from '../core/check.ts';
import { isOutage } from '../core/outage.ts';
import { type DurationMs, millis } from '../core/time.ts';
import { type Ring, type Ringer, StoreUnavailable } from '../job/ports.ts';
import type { Backlogs } from '../job/health/backlog.ts';
import { type Lane, laneSchema } from '../job/row.ts';
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
/** Messages of one SendMessageBatch. */
const BATCH = 10;

/**
 * @example
 * const ringer = createSqsRinger({ client: new SQSClient({}), queues: { worker: { default: url, due: dueUrl } } });
 */
export function createSqsRinger({ client, queues }: SqsOptions): Ringer {
  const queueOf = queueNames(queues);
  const urlOf = (lane: Lane, kind: string): string => must(queues[queueOf(kind)], 'the queues of a kind')[lane];
  return {
    ring: async (bell, lane, kind, delay = millis(0)) => {
      const message = new SendMessageCommand({
        QueueUrl: urlOf(lane, kind),
        ...messageOf({ bell, delay }),
      });
      await calling(() => client.send(message));
    },
    ringMany: async (rings) => {
      const byQueue = Map.groupBy(rings, ({ lane, kind }) => urlOf(lane, kind));
      const batches = [...byQueue].flatMap(([url, of]) => tens(of).map((batch) => ({ url, batch })));
      return (await Promise.all(batches.map(({ url, batch }) => sendBatch(client, url, batch)))).flat();
    },
    isIdle: async (lane, kind) => (await waitingAt(client, urlOf(lane, kind))) === 0,
    queueOf,
  };
}

/** The depths of every queue; one that two functions name is told of once. */
export const createSqsBacklogs = ({ client, queues }: SqsOptions): Backlogs => ({
  queueOf: queueNames(queues),
  lanes: async () => {
    const named = Object.entries(queues).flatMap(([queue, of]) =>
      laneSchema.options.map((lane) => ({ queue, lane, url: of[lane] })),
    );
    const once = named.filter(({ url }, at) => named.findIndex((each) => each.url === url) === at);
    return Promise.all(
      once.map(async ({ queue, lane, url }) => ({ queue, lane, waiting: await waitingAt(client, url) })),
    );
  },
});

/** The function that hears a kind's doorbells. */
function queueNames(queues: SqsOptions['queues']): (kind: string) => string {
  must(queues['worker'], 'the queues of the worker');
  const named = Object.entries(queues).flatMap(([queue, of]) => (of.kinds ?? []).map((kind) => [kind, queue] as const));
  const byKind = new Map(named);
  return (kind) => byKind.get(kind) ?? 'worker';
}

async function waitingAt(client: SQSClient, QueueUrl: string): Promise<number> {
  const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
  const { Attributes } = await calling(() => client.send(ask));
  return Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0);
}

const messageOf = ({ bell, delay }: Pick<Ring, 'bell' | 'delay'>) => ({
  MessageBody: writeDoorbell(bell),
  DelaySeconds: delaySeconds(delay),
  MessageGroupId: bell.ref.tenant,
});

const tens = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));

/** What the queue did not take of at most ten: those that it names, or all of them where it does not answer. */
async function sendBatch(client: SQSClient, QueueUrl: string, batch: readonly Ring[]): Promise<readonly Ring[]> {
  const Entries = batch.map((ring, at) => ({ Id: String(at), ...messageOf(ring) }));
  try {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const failed = new Set(Failed.map(({ Id }) => Id));
    return batch.filter((_, at) => failed.has(String(at)));
  } catch (error) {
    if (isOutage(error)) return batch;
    throw error;
  }
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
