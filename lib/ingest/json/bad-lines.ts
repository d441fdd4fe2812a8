// The lines of NDJSON that are left out because they are no records. Found by reading again, since only a report needs them.
import type { Finding } from '../csv/tally.ts';
import { linesAt } from '../formats/place.ts';
import { badRecord, RECORD_BROKEN } from '../rejects/bad-record.ts';
import { MOST_REJECTS, type Reject } from '../rejects/reject.ts';
import type { BadRecords } from '../typing/relation.ts';
import { type LeaveOut, readRecords, type RecordsSource } from './records.ts';

/** The first of a file, or of a stretch of it. */
export async function findBad(source: RecordsSource): Promise<Reject[]> {
  const found: Reject[] = [];
  const offsets: number[] = [];
  const leaveOut: LeaveOut = (bytes, start, end, offset) => {
    if (found.length >= MOST_REJECTS) return;
    found.push(badRecord(RECORD_BROKEN, bytes, start, end));
    offsets.push(offset);
  };
  await readRecords(source, 'ndjson', () => undefined, { leaveOut });
  const lines = await linesAt(source.path, offsets);
  return found.map(({ reason, ...reject }, place) => ({ reason, line: lines[place], ...reject }));
}

/** Undefined where there are none. */
export const badOf = (found: Finding | undefined, source: RecordsSource): BadRecords | undefined =>
  found && { counts: { [RECORD_BROKEN]: found.count }, find: () => findBad(source) };
