// Records whose keys are known and stand in the order of their columns are read and written out as a row in one go: most are. Any other
// is left as it is, for the reader that reads them all and says what is wrong with what it cannot.
import type { Family } from '../typing/relation.ts';
import type { KeyColumns } from './columns.ts';
import { FIELD_SLACK, type Fields, putByte, putNested, putRaw, putText } from './fields.ts';
import { type Cursor, incomplete, JsonProblem, kindOf, kinds, NESTED, NULL, spaceEnd, valueEnd } from './grammar.ts';
import type { Leads } from './leads.ts';
import { putPlainNumber, putPlainText } from './plain-fields.ts';
import type { RowBuffer } from './rows.ts';

const [LF, QUOTE, COMMA, CLOSE_BRACE] = [10, 34, 44, 125] as const;
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

/** Writes the value at `start` and answers its end; -1 where that is behind `limit`. */
function putAny(fields: Fields, cursor: Cursor, start: number, limit: number): number {
  const isText = cursor.bytes[start] === QUOTE;
  const plain = isText ? putPlainText(fields, cursor, start, limit) : putPlainNumber(fields, cursor, start, limit);
  if (plain >= 0) return plain;
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

/** Behind the brace that ends a record at `at`, whose line ends there as well if it is NDJSON; else -1. */
function endOf(cursor: Cursor, at: number, limit: number): number {
  const brace = spaceEnd(cursor, at);
  if (brace >= limit || cursor.bytes[brace] !== CLOSE_BRACE) return -1;
  if (cursor.lines === 'space') return brace + 1;
  const end = spaceEnd(cursor, brace + 1);
  return end < cursor.end && cursor.bytes[end] === LF ? brace + 1 : -1;
}

/** Writes rows from records. */
function rowWriter({ columns, buffer, families }: Taking, leads: Leads) {
  const { list } = columns;
  /** Of each member of the record: where its kind of value is counted for its column. */
  let slots = new Int32Array(list.length);
  let count = 0;

  const put = (fields: Fields, cursor: Cursor, start: number, limit: number, column: number): number => {
    const kind = kindOf(cursor.bytes[start] as number);
    slots[count++] = column * kinds.length + kind;
    if (kind === NULL) return valueEnd(cursor, start);
    const isJson = families === undefined ? kind === NESTED : families[column] === 'json';
    return isJson ? putJson(fields, cursor, start, limit) : putAny(fields, cursor, start, limit);
  };
  return {
    /** Behind the record; -1 where it is left. */
    write: (cursor: Cursor, limit: number): number => {
      if (slots.length < list.length) slots = new Int32Array(2 * list.length);
      const fields = buffer.room(2 * LONGEST + list.length * FIELD_SLACK);
      let [at, before, column] = [cursor.at + 1, leads.first, -1];
      for (count = 0; at >= 0 && at < limit; ) {
        const lead = leads.known(before, cursor, at);
        if (lead === undefined) {
          putCommas(fields, list.length - 1 - Math.max(column, 0));
          return endOf(cursor, at, limit);
        }
        before = lead.key;
        at += lead.length;
        if (at >= limit || before.column <= column) return -1;
        putCommas(fields, before.column - Math.max(column, 0));
        ({ column } = before);
        at = put(fields, cursor, at, limit, column);
      }
      return -1;
    },
    /** Whether there was a value of each kind that the record has in the same column. */
    areSeen: (): boolean => {
      const { tallies } = columns;
      for (let place = 0; place < count; place++) if (tallies[slots[place] as number] === 0) return false;
      return true;
    },
    /** Counts the values of the record. */
    tally: (): void => {
      const { tallies } = columns;
      for (let place = 0; place < count; place++) {
        const slot = slots[place] as number;
        tallies[slot] = (tallies[slot] as number) + 1;
      }
    },
  };
}

/** What says that a record is to be read again: it is not whole, or no JSON. */
const isOfRecord = (thrown: unknown): boolean => thrown === incomplete || thrown instanceof JsonProblem;

export function recordTaker(taking: Taking, leads: Leads): Take {
  const writer = rowWriter(taking, leads);
  const isCounting = taking.families === undefined;
  let [left, pause] = [0, 0];

  const tryWrite = (cursor: Cursor, limit: number): number => {
    try {
      const end = writer.write(cursor, limit);
      return !isCounting || writer.areSeen() ? end : -1;
    } catch (thrown) {
      if (isOfRecord(thrown)) return -1;
      throw thrown;
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
    if (isCounting) writer.tally();
    cursor.at = end;
    return true;
  };
}
