// Values of JSON that have been proven, written as fields of a CSV. The caller has made room.
import { byteAt, CR, equal, before, LF, QUOTE, STEP } from './bytes';
import { isSurrogate, LETTER_U, unitAt } from './json-values';

/** Where the next byte is written. */
export let used: i32 = 0;
/** A field of the row at hand has a line end. */
export let hasLineEnd: bool = false;

export function beginRow(at: i32): void {
  used = at;
  hasLineEnd = false;
}

/** Bytes were written. */
export function usedUp(bytes: i32): void {
  used += bytes;
}

export function putByte(byte: i32): void {
  store<u8>(used++, byte as u8);
}

/** A byte of a field in quotes. */
function putQuotable(byte: i32): void {
  if (byte == QUOTE) putByte(QUOTE);
  if (byte == LF || byte == CR) hasLineEnd = true;
  putByte(byte);
}

/** As it stands. */
export function putRaw(start: i32, end: i32): void {
  for (let at = start; at < end; at += STEP) v128.store(used + at - start, v128.load(at));
  used += end - start;
}

/** A value as it stands, in quotes, with those inside doubled. */
export function putNested(start: i32, end: i32): void {
  putByte(QUOTE);
  for (let at = start; at < end; ) {
    v128.store(used, v128.load(at));
    const marks = before(equal(at, QUOTE) | equal(at, LF) | equal(at, CR), at, end);
    const plain = marks == 0 ? min(STEP, end - at) : ctz(marks);
    used += plain;
    at += plain;
    if (marks != 0) putQuotable(byteAt(at++));
  }
  putByte(QUOTE);
}

/** What the escape at `at` stands for; answers where it ends. */
export function putEscaped(at: i32): i32 {
  const letter = byteAt(at + 1);
  if (letter != LETTER_U) {
    putQuotable(escapedByte(letter));
    return at + 2;
  }
  const unit = unitAt(at, at + 6);
  if (!isSurrogate(unit)) {
    putCodePoint(unit);
    return at + 6;
  }
  putCodePoint(0x10000 + ((unit & 0x3ff) << 10) + (unitAt(at + 6, at + 12) & 0x3ff));
  return at + 12;
}

/** What the letter behind a backslash stands for. */
function escapedByte(letter: i32): i32 {
  switch (letter) {
    case 0x62: // b
      return 0x08;
    case 0x66: // f
      return 0x0c;
    case 0x6e: // n
      return LF;
    case 0x72: // r
      return CR;
    case 0x74: // t
      return 0x09;
    default:
      return letter;
  }
}

/** In UTF-8. */
function putCodePoint(point: i32): void {
  if (point < 0x80) {
    putQuotable(point);
    return;
  }
  if (point < 0x800) putByte(0xc0 | (point >> 6));
  else {
    if (point < 0x10000) putByte(0xe0 | (point >> 12));
    else {
      putByte(0xf0 | (point >> 18));
      putByte(0x80 | ((point >> 12) & 0x3f));
    }
    putByte(0x80 | ((point >> 6) & 0x3f));
  }
  putByte(0x80 | (point & 0x3f));
}
