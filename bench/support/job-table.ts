// A bare table of jobs, made from the schema that infrastructure reads: for benches and tests that need no stack around it.
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { tableSchema } from '../../lib/store/table.ts';

const keysOf = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

/** Resolves once the table takes requests. */
export async function createJobTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(tableSchema.attributes).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: keysOf(tableSchema.key.partition, tableSchema.key.sort),
      GlobalSecondaryIndexes: tableSchema.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keysOf(index.partition, index.sort),
        Projection: { ProjectionType: index.projection },
      })),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: name });
}
