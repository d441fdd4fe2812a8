// That lines of NDJSON are left out because they are no records: the first of them, and how many there are.
import type { Finding } from '../csv/tally.ts';
import { badRecord, RECORD_BROKEN } from '../rejects/bad-record.ts';
import type { LeaveOut } from './records.ts';

/** Counts lines that are left out, on top of those before; `row` answers how many rows stand before. */
export function findingOf(row: () => number, before?: Finding) {
  let found = before;
  const leaveOut: LeaveOut = (bytes, start, end) => {
    const { value: example = '' } = badRecord(RECORD_BROKEN, bytes, start, end);
    found = found === undefined ? { row: Math.max(row(), 1), example, count: 1 } : { ...found, count: found.count + 1 };
  };
  return { leaveOut, found: () => found };
}
