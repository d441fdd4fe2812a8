// Transactions and side rows in DynamoDB. A refusal carries the row of each write that refused; conflicts are retried here.
import type { CancellationReason, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type TransactWriteCommandInput, DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { must } from '../../core/check.ts';
import type { WriteId } from '../../core/ids.ts';
import { millis } from '../../core/time.ts';
import { StoreUnavailable, type Transacted, type TransactWrite } from '../../job/ports.ts';
import type { SideWritten } from '../../job/side/side.ts';
import { parseJobRow } from '../../job/row.ts';
import { decide } from '../../rule/decide.ts';
import type { Row } from '../../rule/rule.ts';
import { fromJobItem, toJobItem, withoutKeys } from '../job-item.ts';
import { withinLimit } from '../limits.ts';
import { JOB_SORT_KEY, sideKey } from '../table.ts';
import { type Keyed, keyedWrites, sideWrite } from '../transaction.ts';
import { unlessRefused } from './call.ts';
import type { Table } from './client.ts';
import { toCondition, toUpdate } from './render.ts';
import { REFUSED, sendTogether } from './send-together.ts';

const TRIES = 8;
const FIRST_PAUSE_MS = 20;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export async function transactAll(table: Table, writes: readonly TransactWrite[], token: WriteId): Promise<Transacted> {
  const keyed = keyedWrites(writes);
  const command = { TransactItems: keyed.map((each) => itemOf(table, each)), ClientRequestToken: token };
  for (let tries = 0; tries < TRIES; tries++) {
    const reasons = await sendTogether(table, command);
    if (reasons === undefined) return { kind: 'applied' };
    const refusals = reasons.map((reason, index) => refusalOf(reason, must(keyed[index], 'a write a reason')));
    if (refusals.some((refusal) => refusal !== undefined)) return { kind: 'refused', refusals };
    await table.clock.sleep(millis(FIRST_PAUSE_MS * 2 ** tries * (0.5 + (tries % 2) / 2)));
  }
  throw new StoreUnavailable('The transaction met others at every try.');
}

function itemOf(table: Table, { key, does, write, created }: Keyed): TransactItem {
  const shared = { TableName: table.name, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  if (does === 'create') return { Put: { ...shared, Item: createdItem(write, created), ...toCondition(write) } };
  const on = { ...shared, Key: { ...key } };
  if (does === 'check') return { ConditionCheck: { ...on, ...toCondition(write) } };
  if (does === 'delete') return { Delete: { ...on, ...toCondition(write) } };
  withinLimit(write.params);
  return { Update: { ...on, ...toUpdate(write) } };
}

/** What the submit rule makes of the row, with its keys. */
export function createdItem(write: Keyed['write'], created: Row | undefined): Row {
  const decision = decide(write, undefined, created);
  if (decision.kind === 'refused') throw new TypeError(`${write.name} does not create a row`);
  const given = Object.fromEntries(Object.entries(decision.row).filter(([, value]) => value !== undefined));
  return withinLimit({ ...toJobItem(parseJobRow(given)) });
}

function refusalOf({ Code, Item }: CancellationReason, { key }: Keyed): { found: Row | undefined } | undefined {
  if (Code !== REFUSED) return undefined;
  if (Item === undefined) return { found: undefined };
  const item = unmarshall(Item);
  return { found: key.sk === JOB_SORT_KEY ? fromJobItem(item) : withoutKeys(item) };
}

export async function writeSide(table: Table, write: Extract<TransactWrite, { side: unknown }>): Promise<SideWritten> {
  const asRule = sideWrite(write);
  const shared = {
    TableName: table.name,
    Key: { ...sideKey(write.side) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  withinLimit(asRule.params);
  const answer = await unlessRefused(() =>
    asRule.rule.deletes === true
      ? table.documents.send(new DeleteCommand({ ...shared, ...toCondition(asRule), ReturnValues: 'ALL_OLD' }))
      : table.documents.send(new UpdateCommand({ ...shared, ...toUpdate(asRule), ReturnValues: 'ALL_NEW' })),
  );
  if (answer instanceof Error) return { kind: 'refused', found: foundBy(answer) };
  return { kind: 'applied', row: withoutKeys(must(answer.Attributes, 'the side row')) };
}

const foundBy = ({ Item }: ConditionalCheckFailedException): Row | undefined =>
  Item === undefined ? undefined : withoutKeys(unmarshall(Item));
