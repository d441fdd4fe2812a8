// Records whose keys are known and stand in the order of their columns are read and written out as a row in one go: most are. Any other
// is left as it is, for the reader that reads them all and says what is wrong with what it cannot.
import type { Family } from '../typing/relation.ts';
import type { KeyColumns } from './columns.ts';
import { FIELD_SLACK, type Fields, putByte, putNested, putRaw, putText } from './fields.ts';
import { type Cursor, incomplete, JsonProblem, kindOf, kinds, NESTED, NULL, spaceEnd, valueEnd } from './grammar.ts';
import type { Leads } from './leads.ts';
import type { RowBuffer } from './rows.ts';
import { firstOf, markedInText } from './words.ts';

const [LF, QUOTE, COMMA, CLOSE_BRACE] = [10, 34, 44, 125] as const;
const WORD_BYTES = 4;
/** A longer record is left. */
const LONGEST = 1 << 16;
/** Records that are left without a look, at most, behind one that was left. */
const MOST_LEFT = 64;

/** Takes the record at the cursor, of at most so many bytes, and writes its row; whether it did, else nothing has happened. */
export type Take = (cursor: Cursor, most: number) => boolean;

export interface Taking {
  readonly columns: KeyColumns;
  readonly buffer: RowBuffer;
  /** Of each column; absent while they are being found: a value is then written as its own kind says, and counted. */
  readonly families?: readonly Family[] | undefined;
}

/** Writes the text at `start`, if it ends before `limit` and has no escape; answers its end, or -1. */
function putPlainText(fields: Fields, { bytes, view }: Cursor, start: number, limit: number): number {
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

/** Writes the value at `start`, which is a text or not, and answers its end; -1 where that is behind `limit`. */
function putAny(fields: Fields, cursor: Cursor, start: number, limit: number): number {
  const isText = cursor.bytes[start] === QUOTE;
  if (isText) {
    const end = putPlainText(fields, cursor, start, limit);
    if (end >= 0) return end;
  }
  const end = valueEnd(cursor, start);
  if (end > limit) return -1;
  if (isText) putText(fields, cursor, start, end);
  else putRaw(fields, cursor, start, end);
  return end;
}

/** The same of a value that is written as JSON. */
function putJson(fields: Fields, cursor: Cursor, start: number, limit: number): number {
  const end = valueEnd(cursor, start);
  if (end > limit) return -1;
  putNested(fields, cursor, start, end);
  return end;
}

function putCommas(fields: Fields, count: number): void {
  for (let place = 0; place < count; place++) putByte(fields, COMMA);
}

/** Whether a record that ends at `from` may end there: of NDJSON, its line has to. */
function mayEnd(cursor: Cursor, from: number): boolean {
  if (cursor.lines === 'space') return true;
  const at = spaceEnd(cursor, from);
  return at < cursor.end && cursor.bytes[at] === LF;
}

/** What says that a record is to be read again: it is not whole, or no JSON. */
const isOfRecord = (thrown: unknown): boolean => thrown === incomplete || thrown instanceof JsonProblem;

export function recordTaker({ columns, buffer, families }: Taking, leads: Leads): Take {
  const { list } = columns;
  /** Of each member of the record: where its kind of value is counted for its column. */
  let slots = new Int32Array(list.length);
  let [count, left, pause] = [0, 0, 0];

  /** Behind the record that is written; -1 where it is left. */
  const write = (cursor: Cursor, limit: number): number => {
    const { bytes } = cursor;
    const fields = buffer.room(2 * LONGEST + list.length * FIELD_SLACK);
    let [at, before, column] = [cursor.at + 1, leads.first, 0];
    for (count = 0; at < limit && bytes[at] !== CLOSE_BRACE; count++) {
      const lead = leads.known(before, cursor, at);
      if (lead === undefined) return -1;
      before = lead.key;
      at += lead.length;
      if (at >= limit || before.column < column + Math.min(count, 1)) return -1;
      putCommas(fields, before.column - column);
      ({ column } = before);
      const kind = kindOf(bytes[at] as number);
      slots[count] = column * kinds.length + kind;
      const isJson = families === undefined ? kind === NESTED : families[column] === 'json';
      if (kind === NULL) at = valueEnd(cursor, at);
      else at = isJson ? putJson(fields, cursor, at, limit) : putAny(fields, cursor, at, limit);
      if (at < 0) return -1;
    }
    putCommas(fields, list.length - 1 - column);
    return at < limit && mayEnd(cursor, at + 1) ? at + 1 : -1;
  };
  const areSeen = (): boolean => {
    const { tallies } = columns;
    for (let place = 0; place < count; place++) if (tallies[slots[place] as number] === 0) return false;
    return true;
  };
  const tryWrite = (cursor: Cursor, limit: number): number => {
    if (slots.length < list.length) slots = new Int32Array(2 * list.length);
    try {
      const end = write(cursor, limit);
      return end >= 0 && (families !== undefined || areSeen()) ? end : -1;
    } catch (thrown) {
      if (isOfRecord(thrown)) return -1;
      throw thrown;
    }
  };
  const tally = (): void => {
    const { tallies } = columns;
    for (let place = 0; place < count; place++) {
      const slot = slots[place] as number;
      tallies[slot] = (tallies[slot] as number) + 1;
    }
  };
  return (cursor, most) => {
    if (left-- > 0) return false;
    const end = tryWrite(cursor, Math.min(cursor.end, cursor.at + Math.min(most, LONGEST)));
    if (end < 0) {
      pause = Math.min(2 * pause + 1, MOST_LEFT);
      left = pause;
      return false;
    }
    pause = 0;
    if (families === undefined) tally();
    cursor.at = end;
    return true;
  };
}
