// The due index, a page of one shard at a time. The store's clock is the Date header of the answer itself.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { DuePage } from '../../job/ports.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { jobKey, jobOf } from '../table.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';

const DUE_PAGE = 100;
const entrySchema = z.object({ pk: z.string(), dueAt: z.custom<EpochMs>((value) => typeof value === 'number') });

export async function duePage(table: Table, shard: number, before: EpochMs, after?: string): Promise<DuePage> {
  const start = after === undefined ? undefined : readCursor(entrySchema, after);
  const query = new QueryCommand({
    TableName: table.name,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :before',
    ExpressionAttributeValues: { ':shard': shard, ':before': before },
    ExclusiveStartKey: start && { ...jobKey(jobOf(start.pk)), dueShard: shard, dueAt: start.dueAt },
    Limit: DUE_PAGE,
  });
  const answeredAt = captureDate(query);
  const { Items = [], LastEvaluatedKey } = await calling(() => table.documents.send(query));
  return {
    entries: Items.map((item) => entrySchema.parse(item)).map(({ pk, dueAt }) => ({ ref: jobOf(pk), dueAt })),
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
