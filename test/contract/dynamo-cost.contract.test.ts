// What the critical path of a simple job costs: one request a write, and the write units that the table and its indexes consume.
import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { epochMs } from '../../lib/core/time.ts';
import type { JobStore } from '../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { itemSize } from '../../lib/store/limits.ts';
import { toJobItem } from '../../lib/store/job-item.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { createTestTable, type TestTable } from './support/dynamo-table.ts';
import { aClaimOf, aSettle, aSubmit, now } from './support/jobs.ts';

interface Call {
  readonly command: string;
  readonly writeUnits: number;
}

/** Asks every command of the client what it consumed. */
function metered(client: DynamoDBClient): Call[] {
  const calls: Call[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity };
      calls.push({ command: context.commandName ?? '', writeUnits: ConsumedCapacity?.CapacityUnits ?? 0 });
      return result;
    },
    { step: 'initialize', name: 'metered', override: true },
  );
  return calls;
}

const rowOf = (answer: { kind: string; row?: JobRow }): JobRow => {
  if (answer.row === undefined) throw new Error('refused');
  return answer.row;
};

describe('the cost of a simple job in DynamoDB', () => {
  let table: TestTable;
  let store: JobStore;
  let calls: Call[];
  beforeAll(async () => {
    table = await createTestTable();
    calls = metered(table.client);
    store = createDynamoStore({ client: table.client, tableName: table.name });
  });
  beforeEach(() => void calls.splice(0));
  afterAll(() => table.drop());

  it('is three single-item writes: submit with both index entries, claim with none, settle without the due one', async () => {
    const { row, params } = aSubmit();
    const queued = rowOf(await store.submit(row, params));
    const running = rowOf(await store.write(refOf(queued), 'claim', { ...aClaimOf(queued), leaseUntil: params.dueAt }));
    await store.write(refOf(running), 'succeed', { ...aSettle(running), result: { inline: '{}' } });
    expect(calls).toEqual([
      { command: 'PutItemCommand', writeUnits: 3 },
      { command: 'UpdateItemCommand', writeUnits: 1 },
      { command: 'UpdateItemCommand', writeUnits: 2 },
    ]);
  });

  it('is one unit for a heartbeat, and no read for a refusal that shows the row', async () => {
    const { row, params } = aSubmit();
    const queued = rowOf(await store.submit(row, params));
    const running = rowOf(await store.write(refOf(queued), 'claim', { ...aClaimOf(queued), leaseUntil: params.dueAt }));
    calls.splice(0);
    const { owner } = { owner: running.leaseOwner! };
    await store.write(refOf(running), 'heartbeat', { epoch: running.epoch, owner, leaseUntil: epochMs(now + 90_000) });
    expect(calls).toEqual([{ command: 'UpdateItemCommand', writeUnits: 1 }]);
    const requests = counted(table.client);
    const late = await store.write(refOf(running), 'claim', aClaimOf(queued));
    expect(late).toMatchObject({ kind: 'refused', found: { status: 'running' } });
    expect(requests.count).toBe(1);
  });

  it('keeps a typical row under 1 KB, its keys among it', () => {
    const { row, params } = aSubmit();
    const error = { code: 'HANDLER_FAILED', detail: 'x'.repeat(100), retriable: true };
    const typical: JobRow = {
      ...row,
      ...params,
      status: 'running',
      rule: 'claim',
      input: { inline: 'x'.repeat(200) },
      heldBy: 'worker',
      leaseOwner: aClaimOf(row as JobRow).owner,
      leaseUntil: now,
      startedAt: now,
      error,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const { nowSeconds, ...stored } = typical as JobRow & { nowSeconds: number };
    expect(itemSize(toJobItem(stored))).toBeLessThan(1024);
  });
});

/** Counts requests that leave the client, refused ones among them. */
function counted(client: DynamoDBClient): { count: number } {
  const requests = { count: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      requests.count += 1;
      return next(args);
    },
    { step: 'finalizeRequest', name: 'counted', override: true, priority: 'low' },
  );
  return requests;
}
