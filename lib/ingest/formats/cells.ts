// What is larger than it may be inside a record: found in the synchronous loops that read records, and refused with the place once they have
// ended.
import { Fault } from '../../core/fault.ts';
import { placeOf } from './place.ts';
import { tooLong, type WindowSource } from './windows.ts';

/** Bytes of a header, or of a key of JSON: names of columns are kept and shown as a whole. */
export const NAME_BYTES = 4 * 2 ** 20;

interface Large {
  /** Offset in this file. */
  readonly at: number;
  /** The column of a cell, for a sentence; of a header there is none. */
  readonly column?: string;
}

/** Carries the place out of a loop; where the line is has yet to be looked up. */
export class TooLarge extends Error {
  readonly large: Large;

  constructor(large: Large) {
    super('too large');
    this.large = large;
  }
}

export const cellLimit = ({ maxCellBytes, maxRecordBytes }: WindowSource): number => maxCellBytes ?? maxRecordBytes;
export const nameLimit = ({ maxRecordBytes }: WindowSource): number => Math.min(NAME_BYTES, maxRecordBytes);

/** What reading ended with, as a CELL_TOO_LARGE or LINE_TOO_LONG where that is it. */
export async function explainLarge(source: WindowSource, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof TooLarge)) return thrown;
  const { at, column } = thrown.large;
  if (column === undefined) return tooLong(source, at, nameLimit(source));
  const limit = cellLimit(source);
  const { line, byteOffset } = await placeOf(source, at);
  const detail = `Line ${line}, byte offset ${byteOffset}: a value of ${column} takes more than ${limit} bytes.`;
  return new Fault('CELL_TOO_LARGE', detail, { extra: { line, byteOffset, limit, column } });
}
