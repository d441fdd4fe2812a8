// A record that is left out as a whole, and what the report says of it.
import type { Reject } from './reject.ts';

/** Its quotes or its JSON are broken, or it has more fields than the header; the value is the record. */
export const RECORD_BROKEN = 'RECORD_BROKEN';
export const RECORD_WIDE = 'RECORD_WIDE';

const RECORD_CHARACTERS = 200;

/** A record that is left out as a whole, as it is written. */
export function badRecord(reason: string, bytes: Buffer, start: number, end: number): Reject {
  const text = bytes.toString('utf8', start, Math.min(end, start + 4 * RECORD_CHARACTERS)).replace(/[\r\n]+$/, '');
  return { reason, value: Array.from(text).slice(0, RECORD_CHARACTERS).join('') };
}
