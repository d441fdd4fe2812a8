// Records of CSV that are as all are: no more fields than the header, quotes only around a field, LF or CRLF at the end, no blank line.
import { before, byteAt, CR, equal, LF, QUOTE, STEP } from './bytes';

let rows: i32 = 0;
let longest: i32 = 0;
let fields: i32 = 0;
let widest: i32 = 0;
let short: i32 = 0;
let shortAt: i32 = 0;
let shortEnd: i32 = 0;
let shortRow: i32 = 0;
let quotedFields: i32 = 0;
let emptyQuoted: i32 = 0;
let quotedNewline: bool = false;
let ends: i32 = 0;

/** How many records there were. */
export function csvRows(): i32 {
  return rows;
}
/** Bytes of the longest. */
export function csvLongest(): i32 {
  return longest;
}
/** Of all together. */
export function csvFields(): i32 {
  return fields;
}
/** Fields of the widest. */
export function csvWidest(): i32 {
  return widest;
}
/** How many have fewer fields than the header. */
export function csvShort(): i32 {
  return short;
}
/** Where the first of those begins and ends, and which record it is, from 1. */
export function csvShortAt(): i32 {
  return shortAt;
}
export function csvShortEnd(): i32 {
  return shortEnd;
}
export function csvShortRow(): i32 {
  return shortRow;
}
export function csvQuotedFields(): i32 {
  return quotedFields;
}
/** Of those, how many are `""`. */
export function csvEmptyQuoted(): i32 {
  return emptyQuoted;
}
export function csvQuotedNewline(): bool {
  return quotedNewline;
}

const BY_LF: i32 = 1;
const BY_CRLF: i32 = 2;

/** The line ends that there were: 1 for LF, 2 for CRLF, 3 for both. */
export function csvEnds(): i32 {
  return ends;
}

/** Of the record at hand. */
let fieldsHere: i32 = 0;
let fieldsInQuotes: i32 = 0;
let empty: i32 = 0;
let hasNewline: bool = false;
let endedBy: i32 = 0;

/** Behind the closing quote of the field in quotes at `from`; -1 where that is not whole, or no delimiter or line end follows. */
function quotedEnd(from: i32, end: i32, delimiter: i32): i32 {
  let at = from + 1;
  while (true) {
    const quotes = before(equal(at, QUOTE), at, end);
    const passed = quotes == 0 ? -1 : (1 << ctz(quotes)) - 1;
    if (((equal(at, LF) | equal(at, CR)) & passed) != 0) hasNewline = true;
    if (quotes == 0) {
      at += STEP;
      if (at >= end) return -1;
      continue;
    }
    at += ctz(quotes) + 1;
    if (at >= end) return -1;
    const next = byteAt(at);
    if (next == QUOTE) {
      at++;
      continue;
    }
    if (next != delimiter && next != LF && next != CR) return -1;
    fieldsInQuotes++;
    if (at - from == 2) empty++;
    return at;
  }
}

/** Behind the line end at `at`, which it notes; -1 where there is none. */
function lineEnd(at: i32, end: i32): i32 {
  if (byteAt(at) == LF) {
    endedBy = BY_LF;
    return at + 1;
  }
  if (at + 1 >= end || byteAt(at + 1) != LF) return -1;
  endedBy = BY_CRLF;
  return at + 2;
}

/** Where the next record begins, behind the one at `from`; -1 where that is another kind of record, or not whole before `end`. */
function recordEnd(from: i32, end: i32, delimiter: i32, isQuoting: bool, width: i32): i32 {
  fieldsInQuotes = empty = 0;
  hasNewline = false;
  fieldsHere = 1;
  let startsField = true;
  for (let at = from; at < end; ) {
    if (startsField && isQuoting && byteAt(at) == QUOTE) {
      at = quotedEnd(at, end, delimiter);
      if (at < 0) return -1;
    }
    const delimiters = equal(at, delimiter);
    const stops = equal(at, LF) | equal(at, CR) | (isQuoting ? equal(at, QUOTE) : 0);
    if (stops == 0) {
      fieldsHere += popcnt(delimiters);
      startsField = delimiters >> (STEP - 1) != 0;
      at += STEP;
      continue;
    }
    const place = ctz(stops);
    fieldsHere += popcnt(delimiters & ((1 << place) - 1));
    at += place;
    if (at >= end) return -1;
    if (byteAt(at) != QUOTE) return fieldsHere > width || (at == from && width > 1) ? -1 : lineEnd(at, end);
    // A quote that does not open a field is a character of it.
    startsField = place > 0 && ((delimiters >> (place - 1)) & 1) != 0;
    if (!startsField) return -1;
  }
  return -1;
}

/** Counts the record at hand. */
function count(at: i32, next: i32, width: i32): void {
  rows++;
  fields += fieldsHere;
  longest = max(longest, next - at);
  widest = max(widest, fieldsHere);
  quotedFields += fieldsInQuotes;
  emptyQuoted += empty;
  ends |= endedBy;
  if (hasNewline) quotedNewline = true;
  if (fieldsHere == width || ++short > 1) return;
  shortAt = at;
  shortEnd = next;
  shortRow = rows;
}

/**
 * Reads records from `from` on, as long as each is of `width` fields at most, no longer than `most` bytes, whole before `end`, and begins before
 * `until`. Answers where the first begins that is left.
 */
export function csvRecords(
  from: i32,
  end: i32,
  until: i32,
  delimiter: i32,
  isQuoting: bool,
  width: i32,
  most: i32,
): i32 {
  rows = longest = fields = widest = short = quotedFields = emptyQuoted = ends = 0;
  quotedNewline = false;
  let at = from;
  while (at < until) {
    const next = recordEnd(at, end, delimiter, isQuoting, width);
    if (next < 0 || next - at > most) break;
    count(at, next, width);
    at = next;
  }
  return at;
}
