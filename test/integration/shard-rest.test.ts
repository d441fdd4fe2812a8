// More jobs due in one shard than a page holds: the sweep does the first page, and an invocation of its own, started over the bus, the rest.
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { systemChance } from '../../lib/core/chance.ts';
import { type JobId, newId, type WorkspaceId } from '../../lib/core/ids.ts';
import { earlier, hours, later, minutes, systemClock } from '../../lib/core/time.ts';
import type { JobRow } from '../../lib/job/row.ts';
import type { SweepReport } from '../../lib/job/sweep/reaper.ts';
import { aJobRow } from '../../lib/testing/builders.ts';
import { toJobItem } from '../../lib/store/job-item.ts';
import { dueShardOf, jobKey } from '../../lib/store/table.ts';
import { openCloud, output, scope } from './support/cloud.ts';
import { sweepNow } from './support/invoke.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

const SHARD = 11;
const COUNT = 130;
const PAGE = 100;
const own = { ...scope, workspace: 'shard-rest' as WorkspaceId };

function anIdInShard(): JobId {
  const id = newId('job', systemClock.now(), systemChance);
  return dueShardOf(id) === SHARD ? id : anIdInShard();
}

/** Running under a live lease, but in the index as if somebody had to look: a look moves `dueAt` to the lease's end, and does nothing more. */
function aLiveRow(): JobRow {
  const now = systemClock.now();
  const times = { createdAt: now, dueAt: earlier(now, minutes(9)), leaseUntil: later(now, hours(1)) };
  return aJobRow({ status: 'running', ...own, id: anIdInShard(), ...times });
}

it('a shard with more than a page is gone through by two invocations', async () => {
  const documents = DynamoDBDocumentClient.from(cloud.dynamo, { marshallOptions: { removeUndefinedValues: true } });
  const send = async (requests: object[]) => {
    for (let at = 0; at < requests.length; at += 25)
      await documents.send(
        new BatchWriteCommand({ RequestItems: { [output('TableName')]: requests.slice(at, at + 25) } }) as never,
      );
  };
  const rows = Array.from({ length: COUNT }, aLiveRow);
  try {
    // The minute's own sweep may come first, and do some of them.
    await waitFor('a sweep that no other one meets', async () => {
      await send(rows.map((row) => ({ PutRequest: { Item: { ...toJobItem(row) } } })));
      const { steps, handedOn } = (await sweepNow(cloud)) as SweepReport;
      return steps.watch === PAGE && handedOn.includes(SHARD);
    });
    await waitFor('the rest of the shard to be looked at', async () => {
      const { entries } = await cloud.store.due(SHARD, systemClock.now());
      const ids = new Set(entries.map(({ ref }) => ref.id));
      return !rows.some(({ id }) => ids.has(id));
    });
    const moved = await Promise.all(rows.map((row) => cloud.store.get(row)));
    expect(moved.filter((row) => row?.dueAt === row?.leaseUntil)).toHaveLength(COUNT);
  } finally {
    await send(rows.map((row) => ({ DeleteRequest: { Key: { ...jobKey(row) } } })));
  }
});
