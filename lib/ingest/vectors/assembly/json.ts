// Records of JSON whose keys are known and stand in the order of their columns, proven and written as rows of fields in one go.
import { byteAt, COMMA, LF, QUOTE, STEP } from './bytes';
import { beginRow, hasLineEnd, putByte, putEscaped, putNested, putRaw, used, usedUp } from './json-fields';
import {
  CLOSE_BRACE,
  escapeEnd,
  kindOf,
  markedInText,
  NESTED,
  NULL,
  spaceEnd,
  STRING,
  treatLineEnds,
  valueEnd,
} from './json-values';

const OPEN_BRACE: i32 = 0x7b;
const KINDS: i32 = 5;
const WORD: i32 = 4;
/** Of three words. */
const TRIPLE: i32 = 12;

/** Of each key: where its leads begin in their table, how many there are, its column. That of what stands before the first key is first. */
let keys: i32 = 0;
/** Of each lead, which is what stands before a value: its address, its bytes, its key. */
let leads: i32 = 0;
/** A byte for each kind of value of each column: whether there was one; 0 where all are taken. */
let seen: i32 = 0;
/** A word for each: how many there are. */
let counts: i32 = 0;
/** A byte for each column: whether all its values are written as JSON; 0 where only nested ones are. */
let asJson: i32 = 0;
/** Room for a word for each column. */
let slots: i32 = 0;
let columns: i32 = 0;
/** Room for three words a record: where it begins and ends, and where its row ends. */
let index: i32 = 0;
let mostRecords: i32 = 0;
/** Room for rows. */
let rows: i32 = 0;
let rowsEnd: i32 = 0;
/** Whether each record ends with its line. */
let isLines: bool = false;
/** Bytes of a record. */
let longest: i32 = 0;

export function jsonTables(keysAt: i32, leadsAt: i32): void {
  keys = keysAt;
  leads = leadsAt;
}

export function jsonColumns(count: i32, seenAt: i32, countsAt: i32, asJsonAt: i32, slotsAt: i32): void {
  columns = count;
  seen = seenAt;
  counts = countsAt;
  asJson = asJsonAt;
  slots = slotsAt;
}

export function jsonRoom(indexAt: i32, records: i32, rowsAt: i32, rowsEndAt: i32): void {
  index = indexAt;
  mostRecords = records;
  rows = rowsAt;
  rowsEnd = rowsEndAt;
}

export function jsonForm(lines: bool, most: i32): void {
  isLines = lines;
  longest = most;
  treatLineEnds(!lines);
}

let taken: i32 = 0;
let lineEnds: bool = false;

/** How many records were taken. */
export function jsonTaken(): i32 {
  return taken;
}
/** Whether a field of their rows has a line end. */
export function jsonLineEnds(): bool {
  return lineEnds;
}

/** Members of the record at hand, and where it ends. */
let members: i32 = 0;
let recordEnd: i32 = 0;

function startsWith(at: i32, bytes: i32, length: i32): bool {
  let place = 0;
  for (; place + 8 <= length; place += 8) if (load<u64>(at + place) != load<u64>(bytes + place)) return false;
  for (; place < length; place++) if (load<u8>(at + place) != load<u8>(bytes + place)) return false;
  return true;
}

/** The lead behind the key that stands at `at`, as its address; 0 where none is known. */
function knownLead(key: i32, at: i32, limit: i32): i32 {
  const entry = keys + key * TRIPLE;
  const first = leads + load<i32>(entry) * TRIPLE;
  const end = first + load<i32>(entry, WORD) * TRIPLE;
  for (let lead = first; lead < end; lead += TRIPLE) {
    const length = load<i32>(lead, WORD);
    if (limit - at >= length && startsWith(at, load<i32>(lead), length)) return lead;
  }
  return 0;
}

function putCommas(count: i32): void {
  for (let place = 0; place < count; place++) putByte(COMMA);
}

/** Writes the text at `start`, and answers where it ends; -1 where it is none. */
function putText(start: i32, limit: i32): i32 {
  putByte(QUOTE);
  for (let at = start + 1; at < limit; ) {
    v128.store(used, v128.load(at));
    const marks = markedInText(at);
    const plain = marks == 0 ? STEP : ctz(marks);
    usedUp(plain);
    at += plain;
    if (marks == 0) continue;
    if (at >= limit) return -1;
    if (byteAt(at) == QUOTE) {
      putByte(QUOTE);
      return at + 1;
    }
    const end = escapeEnd(at, limit);
    if (end < 0) return -1;
    putEscaped(at);
    at = end;
  }
  return -1;
}

/** Writes the value at `at`, and answers where it ends; -1 where it is left. */
function putValue(at: i32, limit: i32, column: i32): i32 {
  const kind = kindOf(byteAt(at));
  const slot = column * KINDS + kind;
  if (seen != 0 && load<u8>(seen + slot) == 0) return -1;
  store<i32>(slots + members * WORD, slot);
  members++;
  const isJson = asJson == 0 ? kind == NESTED : load<u8>(asJson + column) != 0;
  if (kind == STRING && !isJson) return putText(at, limit);
  const end = valueEnd(at, limit);
  if (end < 0 || kind == NULL) return end;
  if (isJson) putNested(at, end);
  else putRaw(at, end);
  return end;
}

/** Behind what ends the record at `at`: its line, or the comma behind it; -1 where something else stands there. */
function separatorEnd(at: i32, limit: i32, end: i32): i32 {
  const brace = spaceEnd(at, limit);
  if (brace >= limit || byteAt(brace) != CLOSE_BRACE) return -1;
  recordEnd = brace + 1;
  const separator = spaceEnd(recordEnd, end);
  return separator < end && byteAt(separator) == (isLines ? LF : COMMA) ? separator + 1 : -1;
}

/** Writes the row of the record at `start`; answers what is behind it and its separator, -1 where it is left. */
function putRecord(start: i32, end: i32): i32 {
  const limit = min(end, start + longest);
  let at = start + 1;
  let key = 0;
  let column = -1;
  members = 0;
  while (at < limit) {
    const lead = knownLead(key, at, limit);
    if (lead == 0) {
      putCommas(columns - 1 - max(column, 0));
      return separatorEnd(at, limit, end);
    }
    key = load<i32>(lead, 2 * WORD);
    at += load<i32>(lead, WORD);
    const next = load<i32>(keys + key * TRIPLE, 2 * WORD);
    if (at >= limit || next <= column) return -1;
    putCommas(next - max(column, 0));
    column = next;
    at = putValue(at, limit, column);
    if (at < 0) return -1;
  }
  return -1;
}

function countMembers(): void {
  for (let place = 0; place < members; place++) {
    const count = counts + load<i32>(slots + place * WORD) * WORD;
    store<i32>(count, load<i32>(count) + 1);
  }
}

/** Takes records from `from` on, each whole before `end` with what separates it from the next. Answers where the first begins that is left. */
export function jsonRecords(from: i32, end: i32): i32 {
  taken = 0;
  lineEnds = false;
  let row = rows;
  const roomy = rowsEnd - 2 * longest - columns * 8;
  let at = from;
  while (true) {
    const start = spaceEnd(at, end);
    if (start >= end || byteAt(start) != OPEN_BRACE || taken >= mostRecords || row >= roomy) return at;
    beginRow(row);
    const next = putRecord(start, end);
    if (next < 0) return at;
    putByte(LF);
    row = used;
    if (hasLineEnd) lineEnds = true;
    countMembers();
    const entry = index + taken * TRIPLE;
    store<i32>(entry, start);
    store<i32>(entry, recordEnd, WORD);
    store<i32>(entry, row, 2 * WORD);
    taken++;
    at = next;
  }
}
