// How large a header and a cell of CSV may be, looked at where a record is larger than one of them, be it whole or not.
import { cellLimit, nameLimit, TooLarge } from '../formats/cells.ts';
import type { Window, WindowSource } from '../formats/windows.ts';
import { INCOMPLETE, type RecordReader } from './records.ts';

export interface Place {
  readonly at: number;
  /** What the reader answered for the record there. */
  readonly read: number;
}

interface Source extends WindowSource {
  readonly onBadRecord?: 'reject' | undefined;
}

/** Of records that are to become rows, or the header where there is none yet. */
export interface Bounded {
  readonly source: Source;
  readonly header: readonly string[] | undefined;
}

/** Throws where the record at hand is larger than it may be, or has a field that is. */
export function requireBounds(window: Window, reader: RecordReader, { source, header }: Bounded, place: Place): void {
  const end = place.read < 0 ? window.end : place.read;
  if (header === undefined && end - place.at > nameLimit(source)) throw new TooLarge({ at: window.offset + place.at });
  const limit = cellLimit(source);
  if (end - place.at <= limit) return;
  for (const { from, to, index } of fieldsAt(window, reader, source, place)) {
    if (to - from <= limit) continue;
    const name = header?.[index];
    const column = `column ${index + 1}${name === undefined || name === '' ? '' : ` (${JSON.stringify(name)})`}`;
    throw new TooLarge({ at: window.offset + from, column });
  }
}

/** Of a record that is not whole, the field that is being read; where such ones are left out, an open quote is broken rather than large. */
function* fieldsAt(window: Window, { record }: RecordReader, { onBadRecord }: Source, place: Place) {
  if (place.read < 0) {
    const isOpen = place.read === INCOMPLETE && (onBadRecord !== 'reject' || record.brokenAt < 0);
    if (isOpen) yield { from: record.openAt, to: window.end, index: record.fields };
    return;
  }
  for (let index = 0; index < Math.min(record.fields, record.starts.length); index++)
    yield { from: record.starts[index] ?? 0, to: record.ends[index] ?? 0, index };
}
