// The two sides of the stack benchmark on one local cloud: the bare baseline, and a simple job of Millrace. Both are watched by the same
// reads of their tables, from outside the functions.
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { LocalCloud } from '../../scripts/cloud/local-cloud.ts';
import { apiUrl, deployStack } from '../../scripts/cloud/deploy.ts';
import { region } from '../../scripts/cloud/settings.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import type { JobId, TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { must } from '../../lib/core/check.ts';
import type { Side } from './load.ts';

const clientOf = (endpoint: string) =>
  new DynamoDBClient({ endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });

/** Deploys the baseline beside the stack and answers it as a side. */
export async function bareSide(cloud: LocalCloud, stateDir: string, log: (line: string) => void): Promise<Side> {
  const outputs = await deployStack({ url: cloud.endpoint, stateDir, log, app: 'node bench/bare/app.ts' });
  const url = `${apiUrl(cloud.endpoint, must(outputs['BareApiUrl'], 'BareApiUrl'))}/jobs`;
  const table = must(outputs['BareTableName'], 'BareTableName');
  const client = clientOf(cloud.endpoint);
  let made = 0;
  const startedAt = async (id: string) => {
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: { id: { S: id } } }));
    return Item?.['startedAt']?.N === undefined ? undefined : Number(Item['startedAt'].N);
  };
  return {
    name: 'bare',
    submit: async () => {
      const id = `bare-${made++}`;
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ id }) });
      if (answer.status !== 202) throw new Error(`bare: ${answer.status} ${await answer.text()}`);
      return id;
    },
    startedAt,
    isFinished: async (id) => (await startedAt(id)) !== undefined,
  };
}

/** `diagnostic.echo` on the deployed stack. */
export function millraceSide(cloud: LocalCloud): Side {
  const scope = { tenant: 'default' as TenantId, workspace: 'default' as WorkspaceId };
  const table = must(cloud.outputs['TableName'], 'TableName');
  const client = clientOf(cloud.endpoint);
  const store = createDynamoStore({ client, tableName: table });
  const rowOf = (id: string) => store.get({ ...scope, id: id as JobId });
  const headers = { authorization: `Bearer ${cloud.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'diagnostic.echo', input: { hello: 'bench' } });
  return {
    name: 'millrace',
    submit: async () => {
      const answer = await fetch(`${cloud.url}/v1/jobs`, { method: 'POST', headers, body });
      if (answer.status !== 202) throw new Error(`millrace: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { id: string }).id;
    },
    startedAt: async (id) => (await rowOf(id))?.startedAt,
    isFinished: async (id) => (await rowOf(id))?.status === 'succeeded',
  };
}
