// `Items` over DynamoDB.
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { StoreUnavailable } from '../../job/ports.ts';
import type { Attributes, Entry, ItemPage, Items } from '../items.ts';
import { withoutKeys } from '../job-item.ts';
import { withinLimit } from '../limits.ts';
import type { KeyRange } from '../table.ts';
import { calling, isPassing, unlessRefused } from './call.ts';
import type { Table } from './client.ts';
import { testOf, type TransactItem, updateOf, writeOf } from './changes.ts';
import { countTogether } from './count.ts';
import { createPlaceholders } from './expression.ts';
import { insertEach } from './insert-each.ts';
import { walkTable } from './walk.ts';

export const createDynamoItems = (table: Table): Items => ({
  get: async (key) => {
    const { Item } = await calling(() =>
      table.documents.send(new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true })),
    );
    return Item === undefined ? undefined : withoutKeys(Item);
  },
  put: async (entry) => {
    await calling(() => table.documents.send(new PutCommand({ TableName: table.name, Item: itemOf(entry) })));
  },
  remove: async (key) => {
    await calling(() => table.documents.send(new DeleteCommand({ TableName: table.name, Key: { ...key } })));
  },
  change: async (...changes) => {
    const [first, ...others] = changes;
    if (first?.set !== undefined && others.length === 0) return changeOne(table, updateOf(table, first));
    const writes = changes.map((change) => writeOf(table, change));
    return (await together(table, writes)) ? 'changed' : 'refused';
  },
  removeWhere: async (key, test) => {
    const remove = new DeleteCommand(testOf(table, { key, test }));
    const answer = await unlessRefused(() => table.documents.send(remove));
    return answer instanceof Error ? 'refused' : 'removed';
  },
  putNew: (...entries) => {
    const [first, ...rest] = entries;
    return first !== undefined && rest.length === 0 ? putOne(table, first) : putTogether(table, entries);
  },
  putEachNew: (entries) => insertEach(table, entries),
  count: (tally, beside) => countTogether(table, tally, beside),
  page: (range, options) => readPage(table, range, options),
  walk: (prefix, after) => walkTable(table, prefix, after),
  draw: (...asked) => drawNext(table, ...asked),
});

export const itemOf = ({ key, attributes }: Entry): Record<string, unknown> => withinLimit({ ...attributes, ...key });
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };

async function putOne(table: Table, entry: Entry): Promise<'created' | 'exists'> {
  const put = new PutCommand({ TableName: table.name, Item: itemOf(entry), ...absent });
  const answer = await unlessRefused(() => table.documents.send(put));
  return answer instanceof Error ? 'exists' : 'created';
}

const putTogether = async (table: Table, entries: readonly Entry[]): Promise<'created' | 'exists'> =>
  (await together(
    table,
    entries.map((entry) => ({ Put: { TableName: table.name, Item: itemOf(entry), ...absent } })),
  ))
    ? 'created'
    : 'exists';

/** Whether the transaction was applied; false where a condition refused it. */
async function together(table: Table, TransactItems: TransactItem[]): Promise<boolean> {
  try {
    await calling(() => table.documents.send(new TransactWriteCommand({ TransactItems })));
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
    if (codes.includes('ConditionalCheckFailed')) return false;
    if (codes.some(isPassing)) throw new StoreUnavailable('The transaction met another one.', { cause: error });
    throw error;
  }
}

/** One write makes the row, if it is not there, and counts. */
async function drawNext(table: Table, ...[key, counter, fresh, unless]: Parameters<Items['draw']>) {
  const placeholders = createPlaceholders();
  const made = Object.entries(fresh)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ({ name: placeholders.name(attribute), value: placeholders.value(value) }))
    .map(({ name, value }) => `${name} = if_not_exists(${name}, ${value})`);
  const counts = `${placeholders.name(counter)} ${placeholders.value(1)}`;
  const update = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: `SET ${made.join(', ')} ADD ${counts}`,
    ConditionExpression: `attribute_not_exists(${placeholders.name(unless)})`,
    ...placeholders.bound(),
    ReturnValues: 'UPDATED_NEW',
  });
  const answer = await unlessRefused(() => table.documents.send(update));
  return answer instanceof Error ? 'refused' : z.int().parse(answer.Attributes?.[counter]);
}

async function changeOne(table: Table, update: ReturnType<typeof updateOf>): Promise<'changed' | 'refused'> {
  const answer = await unlessRefused(() => table.documents.send(new UpdateCommand(update)));
  return answer instanceof Error ? 'refused' : 'changed';
}

type PageOptions = Parameters<Items['page']>[1];

async function readPage(
  table: Table,
  { pk, prefix }: KeyRange,
  { limit, after, order }: PageOptions,
): Promise<ItemPage> {
  const found: Attributes[] = [];
  let from: Record<string, unknown> | undefined = after === undefined ? undefined : { pk, sk: after };
  do {
    const query = new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ScanIndexForward: order === 'ascending',
      ConsistentRead: true,
      Limit: limit + 1 - found.length,
      ExclusiveStartKey: from,
    });
    const { Items: items = [], LastEvaluatedKey } = await calling(() => table.documents.send(query));
    found.push(...items);
    from = LastEvaluatedKey;
  } while (from !== undefined && found.length <= limit);
  return { entries: found.slice(0, limit).map(entryOf), more: found.length > limit };
}

const sortKeySchema = z.object({ pk: z.string(), sk: z.string() });
const entryOf = (item: Attributes): Entry => ({ key: sortKeySchema.parse(item), attributes: withoutKeys(item) });
