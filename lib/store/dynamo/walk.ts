// Going through the whole table for the rows of one workspace: some are beside no job and in no list, so that nothing else finds them all.
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { readCursor, writeCursor } from '../cursor.ts';
import type { Walked } from '../items.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';

const keySchema = z.object({ pk: z.string(), sk: z.string() });
const rowSchema = keySchema.extend({ name: z.string().optional() });

/** One page of at most 1 MB of what is stored, whosever it is. */
export async function walkTable(table: Table, prefix: string, after?: string): Promise<Walked> {
  const scan = new ScanCommand({
    TableName: table.name,
    FilterExpression: 'begins_with(pk, :prefix)',
    ProjectionExpression: 'pk, sk, #name',
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: { ':prefix': prefix },
    ExclusiveStartKey: after === undefined ? undefined : readCursor(keySchema, after),
  });
  const { Items = [], LastEvaluatedKey } = await calling(() => table.documents.send(scan));
  const entries = Items.map((item) => rowSchema.parse(item)).map(({ pk, sk, name }) => ({
    key: { pk, sk },
    attributes: { ...(name !== undefined && { name }) },
  }));
  return {
    entries,
    ...(LastEvaluatedKey !== undefined && { after: writeCursor(keySchema.parse(LastEvaluatedKey)) }),
  };
}
