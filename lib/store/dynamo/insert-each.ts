// Many conditional puts in one request: PartiQL's INSERT refuses an item that is there, statement by statement.
import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailable } from '../../job/ports.ts';
import type { Entry } from '../items.ts';
import { withinLimit } from '../limits.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';

type Put = 'created' | 'exists' | 'unanswered';

/** What DynamoDB takes in one request. */
const AT_ONCE = 25;
/** Codes of a statement that another try may not meet. */
const passing: ReadonlySet<string> = new Set([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

/** Inserts each entry by itself; of entries with one key the first counts. Throws StoreUnavailable when a whole request is not answered. */
export async function insertEach(table: Table, entries: readonly Entry[]): Promise<Put[]> {
  const first = new Map<string, number>();
  for (const [index, { key }] of entries.entries()) if (!first.has(idOf(key))) first.set(idOf(key), index);
  const fresh = [...first.values()].map((index) => entries[index]).filter((entry) => entry !== undefined);
  const puts = new Map<string, Put>();
  for (let start = 0; start < fresh.length; start += AT_ONCE) {
    const chunk = fresh.slice(start, start + AT_ONCE);
    for (const [index, put] of (await insertChunk(table, chunk)).entries()) puts.set(idOf(chunk[index]?.key), put);
  }
  return entries.map(({ key }, index) =>
    first.get(idOf(key)) === index ? (puts.get(idOf(key)) ?? 'unanswered') : 'exists',
  );
}

const idOf = (key: Entry['key'] | undefined): string => JSON.stringify([key?.pk, key?.sk]);

async function insertChunk(table: Table, entries: readonly Entry[]): Promise<Put[]> {
  const Statements = entries.map((entry) => statementOf(table, entry));
  const { Responses = [] } = await calling(() =>
    table.documents.send(new BatchExecuteStatementCommand({ Statements })),
  );
  return entries.map((_, index) => putOf(Responses[index]?.Error));
}

function statementOf(table: Table, { key, attributes }: Entry) {
  const item = withinLimit({ ...attributes, ...key });
  const present = Object.entries(item as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const fields = present.map(([name]) => `'${name.replaceAll("'", "''")}': ?`);
  return {
    Statement: `INSERT INTO "${table.name}" VALUE {${fields.join(', ')}}`,
    Parameters: present.map(([, value]) => value),
  };
}

function putOf(error: { readonly Code?: string | undefined; readonly Message?: string | undefined } | undefined): Put {
  if (error === undefined) return 'created';
  if (error.Code === 'DuplicateItem') return 'exists';
  if (passing.has(error.Code ?? '')) return 'unanswered';
  if (error.Code === 'AccessDenied') throw new Error(`DynamoDB refuses an insert: ${error.Message ?? ''}`);
  throw new StoreUnavailable(`DynamoDB answers an insert with ${error.Code ?? 'an error'}: ${error.Message ?? ''}`);
}
