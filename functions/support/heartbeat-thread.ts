// The entry file of the heartbeat thread: a store client of its own, so that a busy main thread delays no renewal.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { runHeartbeatThread } from '../../lib/job/heartbeat/heartbeat-beater.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';

runHeartbeatThread((data) => {
  const { TABLE_NAME: tableName } = data as { readonly TABLE_NAME: string };
  const client = new DynamoDBClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 4000 },
  });
  return createDynamoStore({ client, tableName });
});
