// What values of JSON (RFC 8259) are made of, over bytes, strict: texts, numbers, words. Each function takes where something begins, and
// answers where it ends.
import { firstOf, markedInText } from './words.ts';

/** The bytes at hand. */
export interface Text {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly end: number;
  /** Nothing follows `end`. */
  readonly last: boolean;
  /** Whether a line end is white space (JSON) or ends the record (NDJSON). */
  readonly lines: 'space' | 'records';
}

/** The bytes at hand end inside a value; more may follow. */
export const incomplete = new Error('incomplete');

/** The grammar is broken at a byte of the window, or something else stands there than was asked for. */
export class JsonProblem extends Error {
  readonly at: number;
  /** The option that does not fit what stands there; absent where the text is wrong. */
  readonly option: string | undefined;

  constructor(at: number, what: string, option?: string) {
    super(what);
    this.at = at;
    this.option = option;
  }
}

const [SPACE, QUOTE, ZERO, NINE, BACKSLASH] = [32, 34, 48, 57, 92] as const;

export const code = (character: string): number => character.charCodeAt(0);

/** What running out of bytes is: incomplete, or a problem at the end of the file. */
function ended(text: Text): Error {
  return text.last ? new JsonProblem(text.end, 'the file ends inside a value.') : incomplete;
}

/** Throws where there is none. */
export function byteAt(text: Text, at: number): number {
  if (at < text.end) return text.bytes[at] as number;
  throw ended(text);
}

/** The byte behind what may be the end of the file: 0 there. */
function byteOrEnd(text: Text, at: number): number {
  if (at < text.end) return text.bytes[at] as number;
  if (text.last) return 0;
  throw incomplete;
}

export function stringEnd(text: Text, from: number): number {
  const { bytes, view, end } = text;
  let at = from + 1;
  for (const lastWord = end - 4; at <= lastWord; ) {
    const marks = markedInText(view.getInt32(at, true));
    if (marks === 0) {
      at += 4;
      continue;
    }
    at += firstOf(marks);
    if (bytes[at] === QUOTE) return at + 1;
    at = escapeAt(text, at);
  }
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    at = byte === BACKSLASH || byte < SPACE ? escapeAt(text, at) : at + 1;
  }
  throw ended(text);
}

/** Behind the escape that stands here; a control character is none. */
function escapeAt(text: Text, at: number): number {
  if (text.bytes[at] !== BACKSLASH) throw new JsonProblem(at, 'a text holds a bare line end or control character.');
  return escapeEnd(text, at);
}

const escapes = new Set(Buffer.from('"\\/bfnrt'));
const isHex = (byte: number): boolean =>
  (byte >= ZERO && byte <= NINE) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);

function escapeEnd(text: Text, from: number): number {
  const byte = byteAt(text, from + 1);
  if (escapes.has(byte)) return from + 2;
  if (byte !== code('u')) throw new JsonProblem(from + 1, 'there is no such escape.');
  const unit = hexUnit(text, from + 2);
  if (!isSurrogate(unit)) return from + 6;
  if (isHigh(unit) && isLowNext(text, from + 6)) return from + 12;
  throw new JsonProblem(from, 'a text holds half of a surrogate pair, which no encoding can write.');
}

export const isSurrogate = (unit: number): boolean => unit >> 11 === 0xd800 >> 11;
const isHigh = (unit: number): boolean => unit < 0xdc00;

/** Whether the escape of the second half of a pair stands here. */
function isLowNext(text: Text, from: number): boolean {
  if (byteAt(text, from) !== BACKSLASH || byteAt(text, from + 1) !== code('u')) return false;
  const unit = hexUnit(text, from + 2);
  return isSurrogate(unit) && !isHigh(unit);
}

/** What four hexadecimal digits write. */
function hexUnit(text: Text, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at++) {
    const byte = byteAt(text, at);
    if (!isHex(byte)) throw new JsonProblem(at, 'four hexadecimal digits are missing here.');
    unit = unit * 16 + ((byte & 15) + (byte > NINE ? 9 : 0));
  }
  return unit;
}

function digitsEnd(text: Text, from: number): number {
  const { bytes, end } = text;
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) break;
  }
  if (at >= end && !text.last) throw incomplete;
  if (at === from) throw new JsonProblem(at, 'a digit is missing here.');
  return at;
}

export function numberEnd(text: Text, from: number): number {
  const first = byteAt(text, from);
  if (first === code('N') || first === code('I'))
    throw new JsonProblem(from, 'JSON has no NaN and no Infinity: write null, or a text.');
  if (first !== code('-') && (first < ZERO || first > NINE)) throw new JsonProblem(from, 'a value is missing here.');
  let at = first === code('-') ? from + 1 : from;
  at = byteAt(text, at) === ZERO ? at + 1 : digitsEnd(text, at);
  if (byteOrEnd(text, at) === code('.')) at = digitsEnd(text, at + 1);
  if ((byteOrEnd(text, at) | 32) !== code('e')) return at;
  at++;
  const sign = byteAt(text, at);
  return digitsEnd(text, sign === code('+') || sign === code('-') ? at + 1 : at);
}

export function wordEnd(text: Text, from: number, word: string): number {
  for (let index = 0; index < word.length; index++)
    if (byteAt(text, from + index) !== word.charCodeAt(index))
      throw new JsonProblem(from + index, 'this is no JSON value.');
  return from + word.length;
}
