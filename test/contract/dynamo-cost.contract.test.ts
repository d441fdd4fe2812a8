// What the critical path of a simple job costs: one request a write, and the write units that the table and its indexes consume.
import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededChance } from '../../lib/core/chance.ts';
import { silentLog } from '../../lib/core/log.ts';
import { epochMs, systemClock } from '../../lib/core/time.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { settleOutcome } from '../../lib/job/run/settle.ts';
import { takeJob } from '../../lib/job/run/take.ts';
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
  /** Of a transaction, each of which costs two units per KB; the emulator counts none. */
  readonly items?: number;
}

/** Asks every command of the client what it consumed. */
function metered(client: DynamoDBClient): Call[] {
  const calls: Call[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity };
      const { TransactItems } = args.input as { TransactItems?: readonly unknown[] };
      const items = TransactItems && { items: TransactItems.length };
      calls.push({ command: context.commandName ?? '', writeUnits: ConsumedCapacity?.CapacityUnits ?? 0, ...items });
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

  it('is a transaction of three for a place and of two to give it back; a rate or a flow is one item more in the claim', async () => {
    const engine = {
      ...{ store, chance: seededChance(1), settings: engineDefaults, log: silentLog },
      clock: { ...systemClock, now: () => now },
      ringer: { ring: async () => undefined, isIdle: async () => true },
    };
    const gated = async (given: Partial<JobRow>) => {
      const { row, params } = aSubmit(undefined, undefined, { gated: true, ...given });
      const queued = rowOf(await store.submit(row, params));
      calls.splice(0);
      const taken = await takeJob(engine, { ref: refOf(queued), epoch: queued.epoch });
      if (taken.kind !== 'claimed') throw new TypeError(taken.kind);
      const claimed = calls.splice(0);
      await settleOutcome(engine, taken.claim, { kind: 'succeed', result: { inline: '1' } });
      return { claimed, settled: calls.splice(0) };
    };
    const told = (some: readonly Call[]) =>
      some.map(({ command, items }) => command.replace('Command', '') + (items === undefined ? '' : ` ${items}`));
    const claim = (items: number) => ['GetItem', `TransactWriteItems ${items}`, 'GetItem'];

    const slot = await gated({ slots: [{ key: 'cost', limit: 5 }] });
    expect(told(slot.claimed)).toEqual(claim(3));
    expect(told(slot.settled)).toEqual(['UpdateItem', 'TransactWriteItems 2', 'Query']);
    for (const one of [{ rate: { key: 'cost', perMinute: 60, burst: 5 } }, { flow: 'cost' }]) {
      const { claimed, settled } = await gated(one);
      expect(told(claimed)).toEqual(claim(2));
      expect(told(settled)).toEqual(['UpdateItem']);
    }
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
