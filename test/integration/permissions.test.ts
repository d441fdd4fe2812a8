// Functions run as their own roles here, as on AWS: what a role lacks is refused, so that a missing grant fails a test and not production.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import { systemClock } from '../../lib/core/time.ts';
import { refOf } from '../../lib/job/row.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { createS3Objects } from '../../lib/store/s3.ts';
import { clientSettings, type Cloud, openCloud, output } from './support/cloud.ts';
import { sweepNow } from './support/invoke.ts';
import { ended, submit } from './support/jobs.ts';
import { processesOf, variableOf } from '../../scripts/cloud/processes.ts';

const cloud: Cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

/** What the emulator gave a process of the function for its role. */
async function roleOf(functionName: string) {
  const [pid] = await processesOf({ functionName, emulator: inject('cloud').pid });
  const variable = (name: string) => variableOf(must(pid, `a process of ${functionName}`), name);
  return {
    accessKeyId: await variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: await variable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: await variable('AWS_SESSION_TOKEN'),
  };
}

describe('the role of the reaper', () => {
  it('reads job rows, and is refused new rows and every object', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.echo', 1));
    await sweepNow(cloud);
    const credentials = await roleOf(output('ReaperFunctionName'));
    const dynamo = new DynamoDBClient({ ...clientSettings(), credentials });
    const s3 = new S3Client({ ...clientSettings(), credentials, forcePathStyle: true });
    const store = createDynamoStore({ client: dynamo, tableName: output('TableName') });
    const objects = createS3Objects({ client: s3, bucket: output('BucketName') });
    expect(await store.get(refOf(row))).toEqual(row);
    const { tenant, workspace, id: jobId, createdAt, version, rule, status, epoch } = row;
    const event = { tenant, workspace, jobId, createdAt, version, rule, status, epoch, at: systemClock.now() };
    await expect(store.putEvents([event])).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(objects.get('default/default/any')).rejects.toMatchObject({ name: 'AccessDenied' });
    for (const client of [dynamo, s3]) client.destroy();
  });
});
