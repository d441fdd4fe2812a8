// Values of JSON (RFC 8259), strict. Each function takes where something begins and answers where it ends; -1 where it is no JSON, is not
// whole before `limit`, or is nested deeper than values may be.
import { byteAt, CR, LF, QUOTE, SPACE, STEP } from './bytes';

const TAB: i32 = 0x09;
const PLUS: i32 = 0x2b;
const MINUS: i32 = 0x2d;
const POINT: i32 = 0x2e;
const ZERO: i32 = 0x30;
const COLON: i32 = 0x3a;
const COMMA: i32 = 0x2c;
const OPEN_BRACKET: i32 = 0x5b;
export const BACKSLASH: i32 = 0x5c;
const CLOSE_BRACKET: i32 = 0x5d;
const LOWER_E: i32 = 0x65;
const LOWER_F: i32 = 0x66;
const LOWER_N: i32 = 0x6e;
const LOWER_T: i32 = 0x74;
export const LETTER_U: i32 = 0x75;
const OPEN_BRACE: i32 = 0x7b;
export const CLOSE_BRACE: i32 = 0x7d;

const MAX_DEPTH: i32 = 512;

export const STRING: i32 = 0;
export const NUMBER: i32 = 1;
export const BOOLEAN: i32 = 2;
export const NULL: i32 = 3;
export const NESTED: i32 = 4;

/** Of a value that begins with this byte. */
export function kindOf(byte: i32): i32 {
  if (byte == QUOTE) return STRING;
  if (byte == OPEN_BRACE || byte == OPEN_BRACKET) return NESTED;
  if (byte == LOWER_T || byte == LOWER_F) return BOOLEAN;
  return byte == LOWER_N ? NULL : NUMBER;
}

/** Whether a line end is white space. */
let isLineEndSpace: bool = false;
export function treatLineEnds(asSpace: bool): void {
  isLineEndSpace = asSpace;
}

/** Behind white space, at `limit` at the latest. */
export function spaceEnd(from: i32, limit: i32): i32 {
  let at = from;
  while (at < limit) {
    const byte = byteAt(at);
    if (byte > SPACE) break;
    if (byte != SPACE && byte != CR && byte != TAB && !(byte == LF && isLineEndSpace)) break;
    at++;
  }
  return at;
}

/** Marks quotes, backslashes and control characters from `at` on. */
export function markedInText(at: i32): i32 {
  const block = v128.load(at);
  const quotes = i8x16.eq(block, i8x16.splat(QUOTE as i8));
  const backslashes = i8x16.eq(block, i8x16.splat(BACKSLASH as i8));
  const controls = i8x16.lt_u(block, i8x16.splat(SPACE as i8));
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
}

export function stringEnd(from: i32, limit: i32): i32 {
  for (let at = from + 1; at < limit; ) {
    const marks = markedInText(at);
    if (marks == 0) {
      at += STEP;
      continue;
    }
    at += ctz(marks);
    if (at >= limit) return -1;
    if (byteAt(at) == QUOTE) return at + 1;
    at = escapeEnd(at, limit);
    if (at < 0) return -1;
  }
  return -1;
}

/** Of the escape that stands here; a control character is none. */
export function escapeEnd(at: i32, limit: i32): i32 {
  if (byteAt(at) != BACKSLASH || at + 1 >= limit) return -1;
  const letter = byteAt(at + 1);
  if (letter != LETTER_U) return isEscape(letter) ? at + 2 : -1;
  const unit = unitAt(at, limit);
  if (unit < 0) return -1;
  if (!isSurrogate(unit)) return at + 6;
  if (unit >= 0xdc00) return -1;
  if (at + 7 >= limit || byteAt(at + 6) != BACKSLASH || byteAt(at + 7) != LETTER_U) return -1;
  return unitAt(at + 6, limit) >> 10 == 0xdc00 >> 10 ? at + 12 : -1;
}

function isEscape(letter: i32): bool {
  switch (letter) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return true;
    default:
      return false;
  }
}

export function isSurrogate(unit: i32): bool {
  return unit >> 11 == 0xd800 >> 11;
}

/** What the escape `\uXXXX` at `at` writes; -1 where four digits are missing. */
export function unitAt(at: i32, limit: i32): i32 {
  if (at + 6 > limit) return -1;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const value = hexValue(byteAt(digit));
    if (value < 0) return -1;
    unit = 16 * unit + value;
  }
  return unit;
}

function hexValue(byte: i32): i32 {
  if (isDigit(byte)) return byte - ZERO;
  const letter = (byte | 0x20) - 0x61;
  return (letter as u32) < 6 ? letter + 10 : -1;
}

function isDigit(byte: i32): bool {
  return ((byte - ZERO) as u32) <= 9;
}

function digitsEnd(from: i32, limit: i32): i32 {
  let at = from;
  while (at < limit && isDigit(byteAt(at))) at++;
  return at > from && at < limit ? at : -1;
}

/** What follows a number is at hand. */
function numberEnd(from: i32, limit: i32): i32 {
  let at = byteAt(from) == MINUS ? from + 1 : from;
  if (at >= limit) return -1;
  at = byteAt(at) == ZERO ? at + 1 : digitsEnd(at, limit);
  if (at < 0 || at >= limit) return -1;
  if (byteAt(at) == POINT) {
    at = digitsEnd(at + 1, limit);
    if (at < 0) return -1;
  }
  if ((byteAt(at) | 0x20) != LOWER_E) return at;
  at++;
  if (at < limit && (byteAt(at) == PLUS || byteAt(at) == MINUS)) at++;
  return digitsEnd(at, limit);
}

const TRUE: u32 = 0x65757274;
const NULL_WORD: u32 = 0x6c6c756e;
const ALSE: u32 = 0x65736c61;

function wordEnd(from: i32, limit: i32): i32 {
  const byte = byteAt(from);
  if (byte == LOWER_F) return from + 5 <= limit && load<u32>(from + 1) == ALSE ? from + 5 : -1;
  return from + 4 <= limit && load<u32>(from) == (byte == LOWER_T ? TRUE : NULL_WORD) ? from + 4 : -1;
}

export function keyEnd(from: i32, limit: i32): i32 {
  return from < limit && byteAt(from) == QUOTE ? stringEnd(from, limit) : -1;
}

/** Behind the key at `from`, the colon and the space around it. */
function memberValue(from: i32, limit: i32): i32 {
  const end = keyEnd(from, limit);
  if (end < 0) return -1;
  const at = spaceEnd(end, limit);
  return at < limit && byteAt(at) == COLON ? spaceEnd(at + 1, limit) : -1;
}

/** Of `[…]` or `{…}`. */
function nestedEnd(from: i32, limit: i32, depth: i32): i32 {
  const isObject = byteAt(from) == OPEN_BRACE;
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  let at = spaceEnd(from + 1, limit);
  if (at < limit && byteAt(at) == close) return at + 1;
  while (true) {
    at = spaceEnd(at, limit);
    if (isObject) at = memberValue(at, limit);
    if (at < 0) return -1;
    at = valueEnd(at, limit, depth + 1);
    if (at < 0) return -1;
    at = spaceEnd(at, limit);
    if (at >= limit) return -1;
    const byte = byteAt(at);
    if (byte == close) return at + 1;
    if (byte != COMMA) return -1;
    at++;
  }
}

export function valueEnd(from: i32, limit: i32, depth: i32 = 0): i32 {
  if (depth > MAX_DEPTH || from >= limit) return -1;
  switch (kindOf(byteAt(from))) {
    case STRING:
      return stringEnd(from, limit);
    case NESTED:
      return nestedEnd(from, limit, depth);
    case NUMBER:
      return numberEnd(from, limit);
    default:
      return wordEnd(from, limit);
  }
}
