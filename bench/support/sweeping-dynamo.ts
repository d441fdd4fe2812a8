// The same jobs in a table of DynamoDB, and one sweep of it with every request counted that leaves the client, retries among them.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { toJobItem } from '../../lib/store/job-item.ts';
import { liveRows, sweepClock, type Swept, timedSweep } from './sweeping.ts';

interface JobTable {
  readonly client: DynamoDBClient;
  readonly name: string;
}

/** What one BatchWriteItem takes. */
const BATCH = 25;
const WRITERS = 8;

type Batch = NonNullable<BatchWriteCommandInput['RequestItems']>[string];
type Put = { readonly PutRequest: { readonly Item: Record<string, unknown> } };

/** Fills the table; `told` hears how many rows are there, now and then. */
export async function fillDynamo(
  { client, name }: JobTable,
  what: { readonly live: number; readonly due: number },
  told: (rows: number) => void = () => undefined,
): Promise<void> {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const batches = batched(what);
  let filled = 0;
  const writer = async () => {
    for (const batch of batches) {
      await put(documents, name, batch);
      filled += batch.length;
      if (filled % 10_000 < batch.length) told(filled);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

function* batched(what: { readonly live: number; readonly due: number }): Generator<readonly Put[]> {
  let batch: Put[] = [];
  for (const row of liveRows(what)) {
    batch.push({ PutRequest: { Item: { ...toJobItem(row) } } });
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** What the table has no room for is put again. */
async function put(documents: DynamoDBDocumentClient, name: string, batch: readonly Put[]): Promise<void> {
  let left: Batch = [...batch];
  for (;;) {
    const request: BatchWriteCommand = new BatchWriteCommand({ RequestItems: { [name]: left } });
    const { UnprocessedItems = {} }: BatchWriteCommandOutput = await documents.send(request);
    left = UnprocessedItems[name] ?? [];
    if (left.length === 0) return;
    await pause(100);
  }
}

const readers: ReadonlySet<string> = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems']);

/** One sweep at the rows' own time, which the clock of the endpoint is far ahead of. */
export async function countedDynamoSweep({ client, name }: JobTable): Promise<Swept> {
  const counted = { reads: 0, writes: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        counted[readers.has(commandName.replace(/Command$/, '')) ? 'reads' : 'writes'] += 1;
        return next(args);
      },
    { step: 'finalizeRequest', name: 'countRequests', priority: 'low' },
  );
  const store = createDynamoStore({ client, tableName: name, clock: sweepClock });
  try {
    const ms = await timedSweep({
      ...store,
      due: async (...call) => ({ ...(await store.due(...call)), storeNow: sweepClock.now() }),
    });
    return { ...counted, ms };
  } finally {
    client.middlewareStack.remove('countRequests');
  }
}
