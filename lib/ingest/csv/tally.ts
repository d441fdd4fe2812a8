// What is known of the records of a CSV so far: how many there are, and everything about them that is not as it should be.
import type { Window } from '../formats/windows.ts';
import type { Passed } from './plain-records.ts';
import { fieldText, isBlank, type Recording } from './records.ts';

/** The first case of something and how many there are. */
export interface Finding {
  readonly row: number;
  readonly example: string;
  count: number;
}

type Note = 'above' | 'short' | 'long' | 'strayQuotes' | 'blankLines' | BadRecord;
/** Why a record is left out. */
export type BadRecord = 'broken' | 'wide';

/** What is known of the records so far; JSON. */
export interface Tally {
  /** Records that still stand above the header. */
  above: number;
  readonly hasHeader: boolean;
  header?: string[];
  width: number;
  rows: number;
  columns: number;
  readonly notes: { [K in Note]?: Finding };
  longestRecord: number;
  quotedNewlines: boolean;
  emptyQuoted: number;
  unquotedFields: number;
  bareCr: boolean;
  newlines: number;
}

const EXAMPLE_BYTES = 400;
/** Of the line ends that were met. */
export const newlineBits = { lf: 1, crlf: 2, cr: 4, end: 0 } as const;

export const freshTally = (headerRow = 1): Tally => ({
  above: Math.max(0, headerRow - 1),
  hasHeader: headerRow > 0,
  width: 0,
  rows: 0,
  columns: 0,
  notes: {},
  longestRecord: 0,
  quotedNewlines: false,
  emptyQuoted: 0,
  unquotedFields: 0,
  bareCr: false,
  newlines: 0,
});

/** One more of its kind. */
export function note(tally: Tally, what: Note, bytes: Buffer, from: number, to: number): void {
  const known = tally.notes[what];
  if (known !== undefined) known.count++;
  else tally.notes[what] = { row: Math.max(tally.rows, 1), example: lineText(bytes, from, to), count: 1 };
}

const lineText = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('utf8', from, Math.min(to, from + EXAMPLE_BYTES)).replace(/[\r\n]+$/, '');

/** Is told of each record that is left out. */
export type LeftOut = (why: BadRecord, bytes: Buffer, start: number, end: number, offset: number) => void;

interface Counting {
  readonly tally: Tally;
  readonly source: { readonly onBadRecord?: 'reject' | undefined };
  readonly leftOut?: LeftOut | undefined;
}

/** Tells the tally of the record just read; true for a data row. */
export function count(
  { tally, source, leftOut }: Counting,
  record: Recording,
  window: Window,
  from: number,
  to: number,
) {
  const { bytes } = window;
  tally.newlines |= newlineBits[record.newline];
  if (to - from > tally.longestRecord) tally.longestRecord = to - from;
  if (tally.above > 0) {
    tally.above--;
    note(tally, 'above', bytes, from, to);
    return false;
  }
  if (isBlank(record) && tally.width !== 1) {
    note(tally, 'blankLines', bytes, from, to);
    return false;
  }
  if (source.onBadRecord === 'reject' && tally.header !== undefined && record.fields > tally.width) {
    note(tally, 'wide', bytes, from, to);
    leftOut?.('wide', bytes, from, to, window.offset + from);
    return false;
  }
  if (record.fields > tally.columns) tally.columns = record.fields;
  if (record.bareCr) tally.bareCr = true;
  if (tally.header === undefined) {
    tally.width = record.fields;
    tally.header = tally.hasHeader ? fieldsOf(record, bytes) : [];
    if (tally.hasHeader) return false;
  }
  tally.rows++;
  tally.emptyQuoted += record.emptyQuoted;
  tally.unquotedFields += record.fields - record.quotedFields;
  if (record.quotedNewline) tally.quotedNewlines = true;
  if (record.strayQuote) note(tally, 'strayQuotes', bytes, from, to);
  if (record.fields < tally.width) note(tally, 'short', bytes, from, to);
  if (record.fields > tally.width) note(tally, 'long', bytes, from, to);
  return true;
}

/** The same of rows that were passed over together, none of them wider than the header. */
export function countPassed(tally: Tally, passed: Passed, { bytes }: Window): void {
  const { rows, fields, widest, short, quotedFields, emptyQuoted, quotedNewline, longest, newlines } = passed;
  if (short !== undefined) {
    const known = tally.notes.short;
    const example = lineText(bytes, short.from, short.to);
    tally.notes.short = { row: tally.rows + short.row, example, ...known, count: (known?.count ?? 0) + short.count };
  }
  tally.newlines |= newlines;
  tally.longestRecord = Math.max(tally.longestRecord, longest);
  tally.columns = Math.max(tally.columns, widest);
  tally.rows += rows;
  tally.emptyQuoted += emptyQuoted;
  tally.unquotedFields += fields - quotedFields;
  tally.quotedNewlines ||= quotedNewline;
}

const fieldsOf = (record: Recording, bytes: Buffer): string[] =>
  Array.from({ length: Math.min(record.fields, record.starts.length) }, (_, index) => fieldText(bytes, record, index));
