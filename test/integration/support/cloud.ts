// The deployed stack as an operator with every right sees it: clients of the services, the rows, the objects and the HTTP API.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { inject } from 'vitest';
import { must } from '../../../lib/core/check.ts';
import type { JobId, JobRef, Scope, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import type { Objects } from '../../../lib/core/objects.ts';
import type { Documents } from '../../../lib/core/documents.ts';
import type { ApiKeys } from '../../../lib/http/keys.ts';
import type { Catalog } from '../../../lib/ingest/catalog.ts';
import type { JobStore } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { createDynamoStore } from '../../../lib/store/dynamo/store.ts';
import { createS3Objects } from '../../../lib/store/s3.ts';
import { region } from '../../../scripts/cloud/settings.ts';
import { createClient } from '../../e2e/client.ts';
import type {} from '../../support/cloud.setup.ts';

export type Store = JobStore & Catalog & Documents & ApiKeys;

/** What the run's key belongs to. */
export const scope: Scope = { tenant: 'default' as TenantId, workspace: 'default' as WorkspaceId };
export const refTo = (id: JobId | string): JobRef => ({ ...scope, id: id as JobId });

export const clientSettings = () => ({
  region,
  endpoint: inject('cloud').endpoint,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** An output of the stack; throws where it has none of that name. */
export const output = (name: string): string => must(inject('cloud').outputs[name], `the stack's output ${name}`);

export type Cloud = ReturnType<typeof openCloud>;

export function openCloud() {
  const dynamo = new DynamoDBClient(clientSettings());
  const s3 = new S3Client({ ...clientSettings(), forcePathStyle: true });
  const clients = {
    dynamo,
    s3,
    lambda: new LambdaClient(clientSettings()),
    sfn: new SFNClient(clientSettings()),
    sqs: new SQSClient(clientSettings()),
  };
  const store: Store = createDynamoStore({ client: dynamo, tableName: output('TableName') });
  const objects: Objects = createS3Objects({ client: s3, bucket: output('BucketName') });
  return {
    ...clients,
    store,
    objects,
    http: createClient(inject('cloud')),
    /** A strongly consistent read of a row that is there. */
    row: async (id: JobId | string): Promise<JobRow> => must(await store.get(refTo(id)), `the row of ${id}`),
    keysUnder: (prefix: string) => keysUnder(s3, prefix),
    [Symbol.dispose]: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

async function keysUnder(s3: S3Client, Prefix: string): Promise<string[]> {
  const found = await s3.send(new ListObjectsV2Command({ Bucket: output('BucketName'), Prefix }));
  return (found.Contents ?? []).map(({ Key = '' }) => Key);
}
