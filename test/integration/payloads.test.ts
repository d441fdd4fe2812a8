// What stands beside a job's row goes with it, by the relay and the rights of its role.
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { jobKey } from '../../lib/store/table.ts';
import { openCloud, output, refTo } from './support/cloud.ts';
import { ended, eventsOf, submit } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

it.each([
  ['an item', 2000],
  ['an object', 70_000],
])('an input and a result kept as %s are there until the row is removed, and then go', async (_, size) => {
  const row = await ended(cloud, await submit(cloud, 'diagnostic.echo', 'x'.repeat(size)));
  await eventsOf(cloud, row);
  const ref = refTo(row.id);
  const left = async () => {
    const items = [row.input, row.result].flatMap((payload) => (payload && 'item' in payload ? [payload.item] : []));
    const found = await Promise.all(items.map((name) => cloud.store.getPayload(ref, name)));
    const objects = await cloud.keysUnder(`${ref.tenant}/${ref.workspace}/jobs/${row.id}/`);
    return found.filter((payload) => payload !== undefined).length + objects.length;
  };
  expect(await left()).toBe(2);
  // As the time to live does; the stream tells the relay of both alike.
  await cloud.dynamo.send(new DeleteItemCommand({ TableName: output('TableName'), Key: marshall(jobKey(ref)) }));
  await waitFor('what stood beside the row to go', async () => (await left()) === 0);
});
