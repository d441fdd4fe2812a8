// S3 itself tells of what is dropped, and each function takes part in its own role: a grant that is missing fails here.
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it } from 'vitest';
import { openCloud, output } from './support/cloud.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

const drop = (path: string, Body: string) =>
  cloud.s3.send(
    new PutObjectCommand({ Bucket: output('BucketName'), Key: `inbox/default/default/${path}`, Body, Tagging: 'a=b' }),
  );

const dropsOf = async () =>
  (await cloud.http.get('/v1/jobs?kind=inbox-drop')).body.data as { id: string; status: string }[];
const endOf = (status: string, count: number) =>
  waitFor(`${count} drops to end as ${status}`, async () => {
    const found = (await dropsOf()).filter((job) => job.status === status);
    return found.length >= count && found;
  });

describe('a file that is dropped in the inbox of the bucket', () => {
  it('becomes rows of a table, and a later one as well; one that cannot says so beside it', async () => {
    const policy = { inbox: { mode: 'append' } };
    const { body: dataset } = await cloud.http.post('/v1/datasets', { json: { name: 'dropped here', policy } });
    await drop('dropped here/sales/2024/north + south.csv', 'n,city\n1,Ålesund\n');
    await endOf('succeeded', 1);
    await drop('dropped here/sales/2024/north + south.csv', 'n,city\n2,Bergen\n');
    await endOf('succeeded', 2);
    const sql = 'SELECT n, city FROM sales ORDER BY n';
    const { body } = await cloud.http.post(`/v1/datasets/${dataset.id as string}/query`, { json: { sql } });
    expect(body.rows).toEqual([
      [1, 'Ålesund'],
      [2, 'Bergen'],
    ]);
    await drop('nowhere/x.csv', 'n\n1\n');
    const [failed] = await endOf('failed', 1);
    const problem = `inbox/default/default/nowhere/x.csv.${failed?.id ?? ''}.problem.json`;
    expect(await cloud.keysUnder('inbox/default/default/nowhere/')).toEqual([
      'inbox/default/default/nowhere/x.csv',
      problem,
    ]);
  });
});
