// Changes of single rows as DynamoDB takes them: what has to hold goes with what is written.
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Attributes, Change } from '../items.ts';
import { withinLimit } from '../limits.ts';
import type { Table } from './client.ts';
import { createPlaceholders, type Placeholders } from './expression.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** That the row is there, and that each attribute has its value, or is not there. */
const asTest = (placeholders: Placeholders, test: Attributes): string =>
  [
    'attribute_exists(pk)',
    ...Object.entries(test).map(([name, value]) =>
      value === undefined
        ? `attribute_not_exists(${placeholders.name(name)})`
        : `${placeholders.name(name)} = ${placeholders.value(value)}`,
    ),
  ].join(' AND ');

export function testOf(table: Table, { key, test }: Pick<Change, 'key' | 'test'>) {
  const placeholders = createPlaceholders();
  const ConditionExpression = asTest(placeholders, test);
  return { TableName: table.name, Key: { ...key }, ConditionExpression, ...placeholders.bound() };
}

export function writeOf(table: Table, change: Change): TransactItem {
  if (change.removes === true) return { Delete: testOf(table, change) };
  return change.set === undefined ? { ConditionCheck: testOf(table, change) } : { Update: updateOf(table, change) };
}

export function updateOf(table: Table, { key, test, set = {} }: Change) {
  withinLimit(set);
  const placeholders = createPlaceholders();
  const entries = Object.entries(set);
  const sets = entries
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`);
  const removes = entries.filter(([, value]) => value === undefined).map(([name]) => placeholders.name(name));
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
  ];
  return {
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: clauses.join(' '),
    ConditionExpression: asTest(placeholders, test),
    ...placeholders.bound(),
  };
}
