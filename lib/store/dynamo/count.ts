// Counting in DynamoDB: numbers of one row that many transactions raise, each within its own condition.
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { millis } from '../../core/time.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import type { Change, Entry, Items, Tally } from '../items.ts';
import { withinLimit } from '../limits.ts';
import { type TransactItem, writeOf } from './changes.ts';
import type { Table } from './client.ts';
import { createPlaceholders } from './expression.ts';
import { REFUSED, sendTogether } from './send-together.ts';

const TRIES = 10;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 600;

export function tallyWrite(table: Table, { key, add, most = {}, unless }: Tally): TransactItem {
  const placeholders = createPlaceholders();
  const adds = Object.entries(add).map(([name, by]) => `${placeholders.name(name)} ${placeholders.value(by)}`);
  const tests = Object.entries(most).flatMap(([name, value]) => {
    const by = add[name] ?? 0;
    if (value === undefined || by <= 0) return [];
    const number = placeholders.name(name);
    const fits = `${number} <= ${placeholders.value(value - by)}`;
    return [by <= value ? `(attribute_not_exists(${number}) OR ${fits})` : fits];
  });
  if (unless !== undefined) {
    const bar = placeholders.name(unless);
    tests.push(`(attribute_not_exists(${bar}) OR ${bar} <= ${placeholders.value(0)})`);
  }
  const ConditionExpression = tests.join(' AND ');
  const found = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  const row = { TableName: table.name, Key: { ...key }, ...(tests.length > 0 && found) };
  if (adds.length === 0) return { ConditionCheck: { ...row, ConditionExpression, ...placeholders.bound() } };
  return {
    Update: {
      ...row,
      UpdateExpression: `ADD ${adds.join(', ')}`,
      ...(tests.length > 0 && { ConditionExpression }),
      ...placeholders.bound(),
    },
  };
}

/** Why the tally was refused. */
export function refusedTally({ unless }: Tally, { Item }: CancellationReason): 'full' | 'barred' {
  const row = Item === undefined ? {} : unmarshall(Item);
  return unless !== undefined && Number(row[unless] ?? 0) > 0 ? 'barred' : 'full';
}

export async function countTogether(
  table: Table,
  tally: Tally,
  { put = [], changes = [] }: { readonly put?: readonly Entry[]; readonly changes?: readonly Change[] },
): ReturnType<Items['count']> {
  const beside: TransactItem[] = [
    ...put.map(({ key, attributes }) => ({
      Put: {
        TableName: table.name,
        Item: withinLimit({ ...attributes, ...key }),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    })),
    ...changes.map((change) => writeOf(table, change)),
  ];
  for (let tries = 0; tries < TRIES; tries++) {
    const reasons = await sendTogether(table, { TransactItems: [...beside, tallyWrite(table, tally)] });
    if (reasons === undefined) return 'counted';
    if (reasons.slice(0, beside.length).some(({ Code }) => Code === REFUSED)) return 'refused';
    const last = reasons.at(-1);
    if (last?.Code === REFUSED) return refusedTally(tally, last);
    await table.clock.sleep(millis(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)));
  }
  throw new StoreUnavailable('The transaction met others at every try.');
}
