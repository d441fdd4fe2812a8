// Values of JSON of the plainest form, which most have: they are proven and written as fields at once. Any other is left to who can read it.
import type { Fields } from './fields.ts';
import type { Cursor } from './grammar.ts';
import { firstOf, markedInText } from './words.ts';

const [QUOTE, MINUS, POINT, ZERO, LOWER_E] = [34, 45, 46, 48, 101] as const;
const WORD_BYTES = 4;

/** Writes the text at `start`, if it ends before `limit` and has no escape; answers its end, or -1. */
export function putPlainText(fields: Fields, { bytes, view }: Cursor, start: number, limit: number): number {
  const { view: to } = fields;
  const shift = fields.used - start;
  for (let at = start + 1; at <= limit - WORD_BYTES; at += WORD_BYTES) {
    const word = view.getInt32(at, true);
    to.setInt32(at + shift, word, true);
    const marks = markedInText(word);
    if (marks === 0) continue;
    const end = at + firstOf(marks);
    if (bytes[end] !== QUOTE) return -1;
    fields.bytes[fields.used] = QUOTE;
    fields.used = end + 1 + shift;
    return end + 1;
  }
  return -1;
}

const isDigit = (byte: number): boolean => (byte - ZERO) >>> 0 <= 9;

/** Copies digits and answers where they end, at `limit` at the latest. */
function putDigits(to: Buffer, shift: number, bytes: Buffer, start: number, limit: number): number {
  let at = start;
  for (; at < limit; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) break;
    to[at + shift] = byte;
  }
  return at;
}

/** Writes the number at `start`, if it ends before `limit` and has no exponent; answers its end, or -1. */
export function putPlainNumber(fields: Fields, { bytes }: Cursor, start: number, limit: number): number {
  const { bytes: to, used } = fields;
  const shift = used - start;
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (first > start) to[used] = MINUS;
  const whole = putDigits(to, shift, bytes, first, limit);
  if (whole === first || (bytes[first] === ZERO && whole > first + 1)) return -1;
  let at = whole;
  if (at < limit && bytes[at] === POINT) {
    to[at + shift] = POINT;
    at = putDigits(to, shift, bytes, at + 1, limit);
    if (at === whole + 1) return -1;
  }
  if (at >= limit || ((bytes[at] as number) | 32) === LOWER_E) return -1;
  fields.used = at + shift;
  return at;
}
