// The due index, a page of one shard at a time. The store's clock is the Date header of the answer itself.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { DuePage } from '../../job/ports.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { jobOf, sideOf } from '../table.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';

const DUE_PAGE = 100;
const entrySchema = z.object({
  pk: z.string(),
  sk: z.string(),
  dueAt: z.custom<EpochMs>((value) => typeof value === 'number'),
});

export async function duePage(table: Table, shard: number, before: EpochMs, after?: string): Promise<DuePage> {
  const start = after === undefined ? undefined : readCursor(entrySchema, after);
  const query = new QueryCommand({
    TableName: table.name,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :before',
    ExpressionAttributeValues: { ':shard': shard, ':before': before },
    ExclusiveStartKey: start && { ...start, dueShard: shard },
    Limit: DUE_PAGE,
  });
  const answeredAt = captureDate(query);
  const { Items = [], LastEvaluatedKey } = await calling(() => table.documents.send(query));
  const found = Items.map((item) => entrySchema.parse(item)).map(({ dueAt, ...key }) => ({
    key,
    dueAt,
    side: sideOf(key),
  }));
  return {
    entries: found.flatMap(({ key, side, dueAt }) => (side === undefined ? [{ ref: jobOf(key.pk), dueAt }] : [])),
    sides: found.flatMap(({ side, dueAt }) => (side === undefined ? [] : [{ side, dueAt }])),
    storeNow: answeredAt() ?? table.clock.now(),
    ...(LastEvaluatedKey !== undefined && { after: writeCursor(entrySchema.parse(LastEvaluatedKey)) }),
  };
}

/** Keeps the Date header of the command's answer, which the SDK does not pass on. To the second, rounded down. */
function captureDate(command: QueryCommand): () => EpochMs | undefined {
  let date: string | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = responseSchema.safeParse(result.response);
      date = response.data?.headers['date'];
      return result;
    },
    { step: 'deserialize', name: 'captureDate', override: true, priority: 'low' },
  );
  return () => {
    const time = Date.parse(date ?? '');
    return Number.isNaN(time) ? undefined : epochMs(time);
  };
}

const responseSchema = z.object({ headers: z.record(z.string(), z.string()) });
