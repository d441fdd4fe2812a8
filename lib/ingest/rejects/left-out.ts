// Records that are left out because the caller asks for it: how many may be, and what is said of them.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { ReadOptions } from '../options.ts';
import type { Answer } from '../typing/report.ts';
import { warn } from '../warnings.ts';

/** Enough that a file of another kind, or an option that fits nothing, does not become an empty table. */
const MOST_SHARE = 0.5;

interface LeftOut extends Answer {
  /** Of the file, those that are left out among them. */
  readonly records: number;
}

/** Together with the records that are no rows. */
export function withBad(
  leftOut: Answer,
  { rows, bad = {} }: { readonly rows: number; readonly bad?: Readonly<Record<string, number>> | undefined },
): LeftOut {
  const others = Object.values(bad).reduce((sum, count) => sum + count, 0);
  return { ...leftOut, count: leftOut.count + others, records: rows + others };
}

/** Throws the Fault TOO_MANY_REJECTS, which names the first of them. */
export function requireFew(
  { count, records, row, example }: LeftOut,
  { maxRejects = Infinity, maxRejectShare = MOST_SHARE }: Pick<ReadOptions, 'maxRejects' | 'maxRejectShare'>,
): void {
  const limit = Math.min(maxRejects, Math.floor(maxRejectShare * records));
  if (count <= limit) return;
  const where = row === undefined ? '' : ` in row ${row}`;
  const first = example === undefined ? '' : ` The first${where}: ${JSON.stringify(example.slice(0, 100))}.`;
  throw new Fault('TOO_MANY_REJECTS', `${count} of ${records} records do not fit; the limit is ${limit}.${first}`, {
    extra: { rejected: count, records, limit },
  });
}

export const leftOutWarnings = (leftOut: Answer): Warning[] =>
  leftOut.count === 0 ? [] : [warn('RECORDS_REJECTED', leftOut)];
