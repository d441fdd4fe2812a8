// One transaction sent, and its cancellation read: the same for every writer.
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { must } from '../../core/check.ts';
import { calling, isPassing } from './call.ts';
import type { Table } from './client.ts';

export const REFUSED = 'ConditionalCheckFailed';

/** Undefined when it was committed, else a reason an item. Throws StoreUnavailable, and what no refusal or conflict explains. */
export async function sendTogether(
  table: Table,
  command: TransactWriteCommandInput,
): Promise<readonly CancellationReason[] | undefined> {
  try {
    await calling(() => table.documents.send(new TransactWriteCommand(command)));
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = must(error.CancellationReasons, 'cancellation reasons');
    const known = (code = 'None') => code === 'None' || code === REFUSED || isPassing(code);
    if (reasons.some(({ Code }) => !known(Code))) throw error;
    return reasons;
  }
}
