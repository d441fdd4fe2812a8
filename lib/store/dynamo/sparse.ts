// The sparse indexes: parked jobs by reason, oldest first; failed and dead ones, latest first. They hold keys; rows are read by key.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { JobRef, Scope } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../job/ports.ts';
import type { JobRow } from '../../job/row.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { isListedDead } from '../job-item.ts';
import { pageOf } from '../job-list.ts';
import { deadKeyOf, JOB_SORT_KEY, jobOf, parkKeyOf } from '../table.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';
import { getRows } from './get-rows.ts';

interface Index {
  readonly name: 'park' | 'dead';
  readonly partition: 'parkKey' | 'deadKey';
  readonly sort: 'createdAt' | 'finishedAt';
  readonly ascending: boolean;
}
const park: Index = { name: 'park', partition: 'parkKey', sort: 'createdAt', ascending: true };
const dead: Index = { name: 'dead', partition: 'deadKey', sort: 'finishedAt', ascending: false };

const positionSchema = z.tuple([z.number(), z.string()]);

export const parkedFor = (table: Table, scope: Scope, reason: string, page: PageRequest): Promise<Page<JobRef>> =>
  readIndex(table, park, parkKeyOf(scope, reason), page);

/** A row that has left the index since it was read is left out. */
export async function deadJobs(table: Table, scope: Scope, page: PageRequest): Promise<Page<JobRow>> {
  const { items, cursor } = await readIndex(table, dead, deadKeyOf(scope), page);
  const found = await getRows(table, scope, items);
  return pageOf(
    found.filter((each) => 'unreadable' in each || (each.row !== undefined && isListedDead(each.row))),
    cursor,
  );
}

async function readIndex(
  table: Table,
  { name, partition, sort, ascending }: Index,
  key: string,
  { limit, cursor }: PageRequest,
): Promise<Page<JobRef>> {
  const [at, pk] = cursor === undefined ? [] : readCursor(positionSchema, cursor);
  const query = new QueryCommand({
    TableName: table.name,
    IndexName: name,
    KeyConditionExpression: '#partition = :key',
    ExpressionAttributeNames: { '#partition': partition },
    ExpressionAttributeValues: { ':key': key },
    ExclusiveStartKey: pk === undefined ? undefined : { pk, sk: JOB_SORT_KEY, [partition]: key, [sort]: at },
    ScanIndexForward: ascending,
    Limit: limit,
  });
  const { Items = [], LastEvaluatedKey } = await calling(() => table.documents.send(query));
  const last =
    LastEvaluatedKey && z.object({ pk: z.string() }).and(z.record(z.string(), z.unknown())).parse(LastEvaluatedKey);
  return {
    items: Items.map((item) => jobOf(z.object({ pk: z.string() }).parse(item).pk)),
    ...(last !== undefined && { cursor: writeCursor([z.number().parse(last[sort]), last.pk]) }),
  };
}
