// How DynamoDB's answers reach the rest of the store: outages as StoreUnavailable, an item that is too large as its Fault, everything
// else as it is. The client's own retries come before.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../core/fault.ts';
import { isOutage } from '../../core/outage.ts';
import { StoreUnavailable } from '../../job/ports.ts';

/** Throws StoreUnavailable when the service does not answer or throttles. */
export async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isOutage(error)) throw new StoreUnavailable('DynamoDB does not answer.', { cause: error });
    if (isOversize(error)) throw new Fault('LIMIT_EXCEEDED', 'The stored item would be too large.', { cause: error });
    throw error;
  }
}

/** The answer of a conditional write, or the exception of its refusal. */
export async function unlessRefused<T>(call: () => Promise<T>): Promise<T | ConditionalCheckFailedException> {
  try {
    return await calling(call);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return error;
    throw error;
  }
}

/** Why one item cancelled a transaction, where another try may find it otherwise. */
export const isPassing = (code: string | undefined): boolean => passing.has(code ?? '');

const passing: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

const isOversize = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationException' && /item size/i.test(error.message);
