// An input is saved before the row that refers to it. Where there is no such row in the end, the input goes again.
import { asError } from '../../core/check.ts';
import type { Engine } from '../engine.ts';
import type { NewJobRow } from '../ports.ts';
import { type JobRow, type PayloadRef, refOf } from '../row.ts';

const itemOf = (input: PayloadRef | undefined): string | undefined =>
  input !== undefined && 'item' in input ? input.item : undefined;

/**
 * Removes the input of a job that was not made, where it is an item beside it; an object stays, since who submits may remove none. `found`
 * is the row that refused it, if any. Where this fails, the input only takes up room.
 */
export async function dropUnused(
  { store, log }: Pick<Engine, 'store' | 'log'>,
  job: NewJobRow,
  found: JobRow | undefined,
): Promise<void> {
  const item = itemOf(job.input);
  if (item === undefined || item === itemOf(found?.input)) return;
  await store.dropPayload(refOf(job as JobRow), item).catch((thrown: unknown) => {
    log.warn('The input of a job that was not made stays.', { jobId: job.id, error: asError(thrown).message });
  });
}
