// What a row of each status has and has not: the shape that every reader of rows relies on.
import type { JobRow } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';

/** A sentence for each way in which the row breaks the shape of its status. */
export function shapeErrors(row: JobRow): string[] {
  const errors: string[] = [];
  const must = (holds: boolean, law: string) => {
    if (!holds) errors.push(law);
  };
  const running = row.status === 'running';
  const ended = isTerminal(row.status);
  must((row.leaseUntil !== undefined) === running, 'a lease is where nothing runs, or missing where something does');
  must((row.heldBy !== undefined) === running, 'heldBy is where nothing runs, or missing where something does');
  must(running || row.leaseOwner === undefined, 'an owner is left where nothing runs');
  must(!running || row.leaseOwner !== undefined || row.leaseUntil === 0, 'a running job has no owner');
  must(
    (row.parked !== undefined) === (row.status === 'parked'),
    'a pause is named where nothing is parked, or not named',
  );
  must((row.finishedAt !== undefined) === ended, 'finishedAt does not say whether it ended');
  must(ended || row.expiresAt === undefined, 'a job that lives has an expiry');
  must(ended || row.result === undefined, 'a job that lives has a result');
  must(!ended || (row.error !== undefined) === (row.status !== 'succeeded'), 'the error does not fit how it ended');
  must(running || ended || row.cancelRequested === undefined, 'a waiting job has a cancel that nobody hears');
  must(!running || (row.startedAt !== undefined && row.startedAt >= 0), 'a running job has no start');
  must(!running || row.notBefore === undefined, 'a running job still waits for its time');
  return errors;
}
