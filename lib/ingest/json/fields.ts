// Values of JSON, written as fields of a CSV into a buffer that the caller has made large enough, four bytes at a time.
import { isSurrogate } from './lexemes.ts';
import { firstOf, markedEscapes, markedInNested, viewOf } from './words.ts';

/** Bytes and the words in them. */
export interface Words {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export interface Fields extends Words {
  /** Bytes that are written. */
  used: number;
  /** A field has a line end. */
  lineEnds: boolean;
}

/** Bytes that a field may take more than twice those of its value. */
export const FIELD_SLACK = 8;

const [LF, CR, QUOTE, BACKSLASH] = [10, 13, 34, 92] as const;
const WORD_BYTES = 4;
/** From here on a call of the runtime's is quicker than a loop. */
const LONG_BYTES = 256;

export const wordsOf = (bytes: Buffer): Words => ({ bytes, view: viewOf(bytes) });

/** As it stands. */
export function putRaw(fields: Fields, { bytes, view }: Words, start: number, end: number): void {
  const { used } = fields;
  fields.used = used + end - start;
  if (end - start >= LONG_BYTES) {
    bytes.copy(fields.bytes, used, start, end);
    return;
  }
  const shift = used - start;
  let at = start;
  for (const last = end - WORD_BYTES; at <= last; at += WORD_BYTES)
    fields.view.setInt32(at + shift, view.getInt32(at, true), true);
  for (; at < end; at++) fields.bytes[at + shift] = bytes[at] as number;
}

/** A text in its quotes, without its escapes: a field in quotes. */
export function putText(fields: Fields, from: Words, start: number, end: number): void {
  const { bytes, view } = from;
  let at = start;
  for (const last = end - WORD_BYTES; at <= last; ) {
    const word = view.getInt32(at, true);
    fields.view.setInt32(fields.used, word, true);
    const marks = markedEscapes(word);
    const plain = marks === 0 ? WORD_BYTES : firstOf(marks);
    fields.used += plain;
    at = marks === 0 ? at + plain : putEscaped(fields, bytes, at + plain);
  }
  while (at < end) {
    if (bytes[at] === BACKSLASH) at = putEscaped(fields, bytes, at);
    else fields.bytes[fields.used++] = bytes[at++] as number;
  }
}

/** A value as it stands, in quotes, with those inside doubled. */
export function putNested(fields: Fields, { bytes, view }: Words, start: number, end: number): void {
  putByte(fields, QUOTE);
  let at = start;
  for (const last = end - WORD_BYTES; at <= last; ) {
    const word = view.getInt32(at, true);
    fields.view.setInt32(fields.used, word, true);
    const marks = markedInNested(word);
    const plain = marks === 0 ? WORD_BYTES : firstOf(marks);
    fields.used += plain;
    at += plain;
    if (marks !== 0) putQuotable(fields, bytes[at++] as number);
  }
  while (at < end) putQuotable(fields, bytes[at++] as number);
  putByte(fields, QUOTE);
}

export function putByte(fields: Fields, byte: number): void {
  fields.bytes[fields.used++] = byte;
}

/** A byte of a field in quotes. */
function putQuotable(fields: Fields, byte: number): void {
  if (byte === QUOTE) putByte(fields, QUOTE);
  if (byte === LF || byte === CR) fields.lineEnds = true;
  putByte(fields, byte);
}

/** What the letter behind a backslash stands for, where that is another byte than its own. */
const bytesByLetter: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [letter, byte] of [
  ['b', 8],
  ['f', 12],
  ['n', LF],
  ['r', CR],
  ['t', 9],
] as const)
  bytesByLetter[letter.charCodeAt(0)] = byte;
const LETTER_U = 117;

/** What the escape at `at` stands for, which has been read before; answers where it ends. */
function putEscaped(fields: Fields, bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] as number;
  if (letter !== LETTER_U) {
    putQuotable(fields, bytesByLetter[letter] as number);
    return at + 2;
  }
  const unit = unitAt(bytes, at);
  const isPair = isSurrogate(unit);
  putCodePoint(fields, isPair ? 0x1_0000 + ((unit & 0x3ff) << 10) + (unitAt(bytes, at + 6) & 0x3ff) : unit);
  return isPair ? at + 12 : at + 6;
}

const NINE = 57;
const nibble = (digit: number): number => (digit & 15) + (digit > NINE ? 9 : 0);

function unitAt(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = at + 2; index < at + 6; index++) unit = 16 * unit + nibble(bytes[index] as number);
  return unit;
}

/** In UTF-8. */
function putCodePoint(fields: Fields, point: number): void {
  if (point < 0x80) {
    putQuotable(fields, point);
    return;
  }
  if (point < 0x800) putByte(fields, 0xc0 | (point >> 6));
  else {
    if (point < 0x1_0000) putByte(fields, 0xe0 | (point >> 12));
    else {
      putByte(fields, 0xf0 | (point >> 18));
      putByte(fields, 0x80 | ((point >> 12) & 0x3f));
    }
    putByte(fields, 0x80 | ((point >> 6) & 0x3f));
  }
  putByte(fields, 0x80 | (point & 0x3f));
}
