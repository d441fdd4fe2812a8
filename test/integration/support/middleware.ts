// What a client of the SDK sends, seen and disturbed from within: middleware around the whole call, retries included.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';

/** Write units by what they were consumed for. */
export interface Units {
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
}

export interface Call {
  /** The name of the operation, e.g. `PutItem`. */
  readonly operation: string;
  readonly units?: Units;
}

interface Consumed {
  readonly Table?: { readonly CapacityUnits?: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

const operationOf = (commandName = ''): string => commandName.replace(/Command$/, '');

const unitsOf = ({ Table, GlobalSecondaryIndexes = {} }: Consumed): Units => ({
  table: Table?.CapacityUnits ?? 0,
  indexes: Object.fromEntries(
    Object.entries(GlobalSecondaryIndexes).map(([name, { CapacityUnits = 0 }]) => [name, CapacityUnits]),
  ),
});

/** Records every call of a DynamoDB client with the units that it consumed. */
export function recordDynamo(client: DynamoDBClient, calls: Call[]): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
        const { ConsumedCapacity } = answer.output as { readonly ConsumedCapacity?: Consumed };
        calls.push({ operation: operationOf(commandName), units: unitsOf(ConsumedCapacity ?? {}) });
        return answer;
      },
    { step: 'initialize', name: 'recordCalls' },
  );
}

/** Records every call of an SQS client. */
export function recordQueue(client: SQSClient, calls: Call[]): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args);
        calls.push({ operation: operationOf(commandName) });
        return answer;
      },
    { step: 'initialize', name: 'recordCalls' },
  );
}

/** Loses the answer of the first transaction that updates anything, after it was applied; answers how many were sent so far. */
export function loseFirstUpdate(client: DynamoDBClient): () => number {
  let sent = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { TransactItems = [] } = args.input as { readonly TransactItems?: readonly object[] };
      if (!TransactItems.some((item) => 'Update' in item)) return next(args);
      sent += 1;
      const isFirst = sent === 1;
      const answer = await next(args);
      if (isFirst) throw Object.assign(new Error('the answer was lost'), { name: 'TimeoutError' });
      return answer;
    },
    { step: 'initialize', name: 'loseFirstUpdate' },
  );
  return () => sent;
}
