// A table of its own for a suite, made from the schema that infrastructure reads, on whatever endpoint the run has.
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createJobTable } from '../../../bench/support/job-table.ts';
import { must } from '../../../lib/core/check.ts';
import { type Clock, systemClock } from '../../../lib/core/time.ts';
import { createDynamoStore } from '../../../lib/store/dynamo/store.ts';
import { toJobItem, withoutKeys } from '../../../lib/store/job-item.ts';
import { jobKey } from '../../../lib/store/table.ts';
import { clientSettings } from '../../support/aws.ts';
import { uniqueName } from './names.ts';
import type { StoreHarness } from './store-harness.ts';

export interface TestTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  drop(): Promise<void>;
}

/** `client` is destroyed when the table is dropped. */
export async function createTestTable(client = new DynamoDBClient(clientSettings('DYNAMODB'))): Promise<TestTable> {
  const name = uniqueName('store');
  await createJobTable(client, name);
  const drop = async () => {
    await client.send(new DeleteTableCommand({ TableName: name }));
    client.destroy();
  };
  return { client, name, drop };
}

export async function openDynamoHarness(clock: Clock = systemClock): Promise<StoreHarness> {
  const table = await createTestTable();
  const documents = DynamoDBDocumentClient.from(table.client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    store: createDynamoStore({ client: table.client, tableName: table.name, clock }),
    putRow: async (row) => {
      await documents.send(new PutCommand({ TableName: table.name, Item: { ...toJobItem(row) } }));
    },
    alterRow: async (ref, attributes) => {
      const { Item } = await documents.send(new GetCommand({ TableName: table.name, Key: { ...jobKey(ref) } }));
      await documents.send(new PutCommand({ TableName: table.name, Item: { ...Item, ...attributes } }));
    },
    rawRow: async (ref) => {
      const { Item } = await documents.send(new GetCommand({ TableName: table.name, Key: { ...jobKey(ref) } }));
      return withoutKeys(must(Item, 'the row'));
    },
    close: table.drop,
  };
}
