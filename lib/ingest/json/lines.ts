// On which lines of a JSON file records begin. Found by reading again, since only a report needs it.
import { linesAt } from '../formats/place.ts';
import { type JsonFormat, type Phase, readRecords, type RecordsSource } from './records.ts';

/** The line of each record, which are numbered from 1 and rise. */
export async function linesOfRecords(
  source: RecordsSource,
  format: JsonFormat,
  rows: readonly number[],
  phase?: Phase,
): Promise<number[]> {
  const offsets: number[] = [];
  let row = 0;
  await readRecords(
    source,
    format,
    (_bytes, _members, offset) => {
      if (rows[offsets.length] === ++row) offsets.push(offset);
    },
    { phase },
  );
  return linesAt(source.path, offsets);
}
