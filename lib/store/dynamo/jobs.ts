// The job rows in DynamoDB: submit, claim and settle are one conditional write each, and a refusal carries the row that refused.
import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { must } from '../../core/check.ts';
import type { JobRef } from '../../core/ids.ts';
import type { JobStore, NewJobRow, Written } from '../../job/ports.ts';
import type { JobRow } from '../../job/row.ts';
import { jobRules } from '../../job/rules.ts';
import type { RuleWrite } from '../../rule/rule.ts';
import { withIndexKeys } from '../index-keys.ts';
import { fromJobItem } from '../job-item.ts';
import { withinLimit } from '../limits.ts';
import { jobKey } from '../table.ts';
import { calling, unlessRefused } from './call.ts';
import type { Table } from './client.ts';
import { duePage } from './due.ts';
import { listJobs } from './list.ts';
import { publishAll } from './publish.ts';
import { toCondition, toUpdate } from './render.ts';
import { deadJobs, parkedFor } from './sparse.ts';
import { createdItem, transactAll, writeSide } from './transact.ts';

type JobRows = Pick<
  JobStore,
  'submit' | 'write' | 'publish' | 'transact' | 'writeSide' | 'get' | 'due' | 'list' | 'parkedFor' | 'deadJobs'
>;

export const createDynamoJobs = (table: Table): JobRows => ({
  submit: (row, params) => putRow(table, row, { name: 'submit', rule: jobRules.submit, params }),
  write: (ref, rule, params) => updateRow(table, ref, { name: rule, rule: jobRules[rule], params }),
  publish: (ref, params, ...published) =>
    publishAll(table, ref, { name: 'succeed', rule: jobRules.succeed, params }, ...published),
  transact: (writes, token) => transactAll(table, writes, token),
  writeSide: (side, rule, params) => writeSide(table, { side, rule, params }),
  parkedFor: (scope, reason, page) => parkedFor(table, scope, reason, page),
  deadJobs: (scope, page) => deadJobs(table, scope, page),
  get: (ref) => getRow(table, ref),
  due: (shard, before, after) => duePage(table, shard, before, after),
  list: (scope, filter, page) => listJobs(table, scope, filter, page),
});

/** What the rule makes of the row in memory, put under the rule's own guard. */
async function putRow(table: Table, created: NewJobRow, write: RuleWrite): Promise<Written> {
  const item = createdItem(write, created);
  const put = new PutCommand({
    TableName: table.name,
    Item: item,
    ...toCondition(write),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const answer = await unlessRefused(() => table.documents.send(put));
  return answer instanceof Error ? refusalOf(answer) : { kind: 'applied', row: fromJobItem(item) };
}

async function updateRow(table: Table, ref: JobRef, write: RuleWrite): Promise<Written> {
  withinLimit(write.params);
  const update = new UpdateCommand({
    TableName: table.name,
    Key: { ...jobKey(ref) },
    ...toUpdate(withIndexKeys(ref, write)),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const answer = await unlessRefused(() => table.documents.send(update));
  if (answer instanceof Error) return refusalOf(answer);
  return { kind: 'applied', row: fromJobItem(must(answer.Attributes, 'the updated row')) };
}

/** The document client leaves the item of an exception as it came. */
const refusalOf = ({ Item }: ConditionalCheckFailedException): Written => ({
  kind: 'refused',
  found: Item === undefined ? undefined : fromJobItem(unmarshall(Item)),
});

async function getRow(table: Table, ref: JobRef): Promise<JobRow | undefined> {
  const get = new GetCommand({ TableName: table.name, Key: { ...jobKey(ref) }, ConsistentRead: true });
  const { Item } = await calling(() => table.documents.send(get));
  return Item === undefined ? undefined : fromJobItem(Item);
}
