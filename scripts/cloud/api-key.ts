// Makes an API key with AWS credentials: the first key of a deployment comes from its operator, never from an open route.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { systemChance } from '../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { systemClock } from '../../lib/core/time.ts';
import type { ApiScope } from '../../lib/http/keys.ts';
import { makeKey } from '../../lib/http/make-key.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { cloudEnvironment, region } from './settings.ts';

export interface ApiKeyRequest {
  /** The name of the table, as the stack's output TableName says. */
  readonly table: string;
  /** For people: what the key is for. */
  readonly name: string;
  readonly tenant?: string;
  readonly workspace?: string;
  /** Those of every key where left out. */
  readonly scopes?: readonly ApiScope[];
  /** An endpoint of this machine; AWS, by the SDK's own settings, where it is left out. */
  readonly endpoint?: string;
}

/** The key itself, which cannot be read again. */
export async function makeApiKey(request: ApiKeyRequest): Promise<string> {
  const { table, name, endpoint, tenant = 'default', workspace = 'default', scopes } = request;
  const client = new DynamoDBClient(endpoint === undefined ? {} : onThisMachine(endpoint));
  try {
    const keys = createDynamoStore({ client, tableName: table });
    const scope = { tenant: tenant as TenantId, workspace: workspace as WorkspaceId };
    return await makeKey(
      { keys, clock: systemClock, chance: systemChance },
      { ...scope, name, ...(scopes && { scopes }) },
    );
  } finally {
    client.destroy();
  }
}

function onThisMachine(endpoint: string): DynamoDBClientConfig {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = cloudEnvironment(endpoint);
  return {
    endpoint,
    region,
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
  };
}
