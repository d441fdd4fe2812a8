// What a sweep costs grows with what is due, not with what is there: the same reads and writes over many live rows as over few.
import { DynamoDBDocumentClient, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countedSweep, countSweep, fillSqlite, liveRows, sweepClock } from '../../bench/support/sweeping.ts';
import { DUE_SHARDS } from '../../lib/job/ports.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { toJobItem } from '../../lib/store/job-item.ts';
import { createTestTable } from './support/dynamo-table.ts';

const MANY = 20_000;
const DUE = 100;

describe('a sweep with a hundred jobs due', () => {
  it('asks SQLite as much of a large table as of a small one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-sweep-'));
    try {
      const sweepOf = async (live: number) => {
        const path = join(folder, `${live}.sqlite`);
        fillSqlite(path, { live, due: DUE });
        const { reads, writes } = await countedSweep(path);
        return { reads, writes };
      };
      const few = await sweepOf(DUE);
      expect(few).toEqual({ reads: DUE_SHARDS, writes: 2 * DUE });
      expect(await sweepOf(MANY)).toEqual(few);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('asks DynamoDB as much of a large table as of a small one', async () => {
    const sweepOf = async (live: number) => {
      const table = await createTestTable();
      const documents = DynamoDBDocumentClient.from(table.client, { marshallOptions: { removeUndefinedValues: true } });
      try {
        const puts = [...liveRows({ live, due: DUE })].map((row) => ({ PutRequest: { Item: { ...toJobItem(row) } } }));
        for (let at = 0; at < puts.length; at += 25)
          await documents.send(new BatchWriteCommand({ RequestItems: { [table.name]: puts.slice(at, at + 25) } }));
        const store = createDynamoStore({ client: table.client, tableName: table.name, clock: sweepClock });
        // The emulator's own clock is far ahead of these rows', and they are swept by theirs.
        const { reads, writes } = await countSweep(atOwnTime(store));
        return { reads, writes };
      } finally {
        await table.drop();
      }
    };
    const few = await sweepOf(DUE);
    expect(few).toEqual({ reads: DUE_SHARDS, writes: 2 * DUE });
    expect(await sweepOf(MANY)).toEqual(few);
  });
});

type Store = ReturnType<typeof createDynamoStore>;
const atOwnTime = (store: Store): Store => ({
  ...store,
  due: async (...call) => ({ ...(await store.due(...call)), storeNow: sweepClock.now() }),
});
