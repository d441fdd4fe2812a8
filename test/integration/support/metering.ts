// Counts what the clients of one engine ask of AWS: calls by operation, and the units that DynamoDB says they consumed.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Count } from '../../../scripts/cost/counts.ts';

interface Consumed {
  readonly CapacityUnits?: number;
}
interface Meterable {
  readonly middlewareStack: DynamoDBClient['middlewareStack'];
}

export interface Meter {
  /** Counts every call of these clients from now on. */
  watch(...clients: readonly unknown[]): void;
  /** What was counted since the last asking. */
  take(): Count;
}

const reads: ReadonlySet<string> = new Set(['GetItem', 'Query', 'BatchGetItem', 'TransactGetItems']);
const nameOf = (commandName = ''): string => commandName.replace(/Command$/, '');

export function createMeter(): Meter {
  let calls: Record<string, number> = {};
  let units = { write: 0, read: 0 };
  const count = (operation: string, consumed: readonly Consumed[]) => {
    calls[operation] = (calls[operation] ?? 0) + 1;
    for (const each of consumed) {
      const total = each.CapacityUnits ?? 0;
      if (reads.has(operation)) units.read += total;
      else units.write += total;
    }
  };
  return {
    watch: (...clients) => {
      for (const client of clients) {
        const more = client instanceof DynamoDBClient ? { ReturnConsumedCapacity: 'INDEXES' } : {};
        (client as Meterable).middlewareStack.add(
          (next, { commandName }) =>
            async (args) => {
              const answer = await next({ ...args, input: { ...args.input, ...more } });
              const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: Consumed | readonly Consumed[] };
              count(nameOf(commandName), [ConsumedCapacity].flat());
              return answer;
            },
          { step: 'initialize', name: 'meter' },
        );
      }
    },
    take: () => {
      const taken = { calls, writeUnits: units.write, readUnits: units.read };
      calls = {};
      units = { write: 0, read: 0 };
      return taken;
    },
  };
}
