// On which lines of a CSV rows begin. Found by reading again, since only a report needs it.
import { linesAt } from '../formats/place.ts';
import { type Stretch, tallyRecords } from './survey.ts';

/** The line of each row, which are numbered from 1 and rise; the tally is used up. */
export async function linesOfRows(stretch: Omit<Stretch, 'sample'>, rows: readonly number[]): Promise<number[]> {
  const offsets: number[] = [];
  let row = 0;
  const offer = (_bytes: Buffer, _start: number, _end: number, offset: number): void => {
    if (rows[offsets.length] === ++row) offsets.push(offset);
  };
  await tallyRecords({ ...stretch, sample: { offer } });
  return linesAt(stretch.source.path, offsets);
}
