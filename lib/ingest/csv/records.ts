// The grammar of CSV, one record at a time over bytes (RFC 4180, with LF, CRLF or CR). Everything that reads CSV here
// reads it through this one machine; DuckDB is only given what it has proven to be regular.

export interface Dialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** `cr`: a bare CR ends a record. `lf`: LF and CRLF do, and a bare CR is data. */
  readonly newline: 'lf' | 'cr';
  /** `none`: quotes are ordinary characters. */
  readonly quoting: 'rfc4180' | 'none';
}

/** The record just read; its arrays are used again for the next one. */
export interface Recording {
  /** Fields, also those past the capacity of the arrays. */
  fields: number;
  /** Byte ranges of the fields, quotes included. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly quoted: Uint8Array;
  quotedFields: number;
  /** Of those, how many are `""`. */
  emptyQuoted: number;
  /** A quote inside an unquoted field. */
  strayQuote: boolean;
  /** A CR inside an unquoted field. */
  bareCr: boolean;
  /** A quoted field holds a line end. */
  quotedNewline: boolean;
  /** How it ended. */
  newline: 'lf' | 'crlf' | 'cr' | 'end';
  /** Where the grammar was broken, or where a quote was opened that is not closed yet; -1 otherwise. */
  brokenAt: number;
  /** Of a record that is not whole: where the field starts at which reading stopped. */
  openAt: number;
}

export const INCOMPLETE = -1;
export const BROKEN = -2;

const ORDINARY = 0;
const DELIMITER = 1;
const QUOTE_KIND = 2;
const LF_KIND = 3;
const CR_KIND = 4;
const QUOTE = 34;
const LF = 10;
const CR = 13;

export interface RecordReader {
  readonly record: Recording;
  /**
   * Reads the record that starts at `from` and answers where the next one starts; INCOMPLETE when `end` comes first and
   * more may follow (`last` is false); BROKEN, with `brokenAt`, for a quote that is never closed or is followed by text.
   */
  readonly read: (bytes: Uint8Array, from: number, end: number, last: boolean) => number;
}

function kindsOf(dialect: Dialect): Uint8Array {
  const kinds = new Uint8Array(256);
  kinds[dialect.delimiter.charCodeAt(0)] = DELIMITER;
  if (dialect.quoting === 'rfc4180') kinds[QUOTE] = QUOTE_KIND;
  kinds[LF] = LF_KIND;
  kinds[CR] = CR_KIND;
  return kinds;
}

function blankRecording(capacity: number): Recording {
  return {
    fields: 0,
    starts: new Int32Array(capacity),
    ends: new Int32Array(capacity),
    quoted: new Uint8Array(capacity),
    quotedFields: 0,
    emptyQuoted: 0,
    strayQuote: false,
    bareCr: false,
    quotedNewline: false,
    newline: 'end',
    brokenAt: -1,
    openAt: -1,
  };
}

function reset(record: Recording): void {
  record.fields = 0;
  record.quotedFields = 0;
  record.emptyQuoted = 0;
  record.strayQuote = false;
  record.bareCr = false;
  record.quotedNewline = false;
  record.brokenAt = -1;
}

/** The record so far and what the dialect makes of each byte. */
interface Machine {
  readonly kinds: Uint8Array;
  readonly crEnds: boolean;
  readonly record: Recording;
}

/** Whether the CR at `at` ends the record: 1, 0, or INCOMPLETE when the next byte decides and is not there yet. */
function endsAtCr(machine: Machine, bytes: Uint8Array, at: number, end: number, last: boolean): number {
  if (at + 1 >= end) return last ? 1 : INCOMPLETE;
  return machine.crEnds || bytes[at + 1] === LF ? 1 : 0;
}

/** Where the unquoted field that starts at `from` ends. */
function unquoted(machine: Machine, bytes: Uint8Array, from: number, end: number, last: boolean): number {
  const { kinds, record } = machine;
  for (let at = from; ; at++) {
    while (at < end && kinds[bytes[at] as number] === ORDINARY) at++;
    if (at >= end) return last ? at : INCOMPLETE;
    const kind = kinds[bytes[at] as number];
    if (kind === DELIMITER || kind === LF_KIND) return at;
    const ends = kind === CR_KIND ? endsAtCr(machine, bytes, at, end, last) : 0;
    if (ends !== 0) return ends === 1 ? at : INCOMPLETE;
    if (kind === CR_KIND) record.bareCr = true;
    else record.strayQuote = true;
  }
}

/** Where the quoted field that starts at `from` ends. */
function quoted(machine: Machine, bytes: Uint8Array, from: number, end: number, last: boolean): number {
  for (let at = from + 1; ; at += 2) {
    at = nextQuote(machine.record, bytes, at, end);
    if (at + 1 >= end) return unfinishedQuote(machine.record, from, at, end, last);
    if (bytes[at + 1] !== QUOTE) return afterQuote(machine, bytes, at + 1, end, last);
  }
}

function nextQuote(record: Recording, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end && bytes[at] !== QUOTE; at++) {
    if (bytes[at] === LF || bytes[at] === CR) record.quotedNewline = true;
  }
  return at;
}

function unfinishedQuote(record: Recording, from: number, at: number, end: number, last: boolean): number {
  if (!last || at >= end) record.brokenAt = from;
  if (!last) return INCOMPLETE;
  return at < end ? end : BROKEN;
}

function afterQuote(machine: Machine, bytes: Uint8Array, at: number, end: number, last: boolean): number {
  const kind = machine.kinds[bytes[at] as number];
  if (kind === DELIMITER || kind === LF_KIND) return at;
  const ends = kind === CR_KIND ? endsAtCr(machine, bytes, at, end, last) : 0;
  if (ends !== 0) return ends === 1 ? at : INCOMPLETE;
  machine.record.brokenAt = at;
  return BROKEN;
}

function keep(record: Recording, from: number, at: number, isQuoted: boolean): void {
  const index = record.fields++;
  if (isQuoted) {
    record.quotedFields++;
    if (at - from === 2) record.emptyQuoted++;
  }
  if (index >= record.starts.length) return;
  record.starts[index] = from;
  record.ends[index] = at;
  record.quoted[index] = isQuoted ? 1 : 0;
}

/** Notes how the record ended at `at` and answers where the next one starts. */
function finish(record: Recording, bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) record.newline = 'end';
  else if (bytes[at] === LF) record.newline = 'lf';
  else record.newline = at + 1 < end && bytes[at + 1] === LF ? 'crlf' : 'cr';
  return at + { end: 0, lf: 1, cr: 1, crlf: 2 }[record.newline];
}

/** Reads on with the field that starts at `from`, behind the fields that the record has. */
function readRest(machine: Machine, bytes: Uint8Array, from: number, end: number, last: boolean): number {
  const { kinds, record } = machine;
  for (let start = from; ; ) {
    const isQuoted = start < end && kinds[bytes[start] as number] === QUOTE_KIND;
    const at = isQuoted ? quoted(machine, bytes, start, end, last) : unquoted(machine, bytes, start, end, last);
    if (at < 0) {
      record.openAt = start;
      return at;
    }
    keep(record, start, at, isQuoted);
    if (at >= end || kinds[bytes[at] as number] !== DELIMITER) return finish(record, bytes, at, end);
    start = at + 1;
  }
}

/** A reader of one dialect; fields past `capacity` are counted, but their places are not kept. */
export function recordReader(dialect: Dialect, capacity: number): RecordReader {
  const record = blankRecording(capacity);
  const machine: Machine = { kinds: kindsOf(dialect), crEnds: dialect.newline === 'cr', record };
  return {
    record,
    read: (bytes, from, end, last) => {
      reset(record);
      return readRest(machine, bytes, from, end, last);
    },
  };
}

/** A line with nothing on it. */
export const isBlank = (record: Recording): boolean =>
  record.fields === 1 && record.quoted[0] === 0 && record.starts[0] === record.ends[0];

/** The text of a field: quotes taken off, doubled ones made single. */
export function fieldText(bytes: Buffer, record: Recording, index: number): string {
  const start = record.starts[index] ?? 0;
  const end = record.ends[index] ?? 0;
  if (record.quoted[index] !== 1) return bytes.toString('utf8', start, end);
  return bytes.toString('utf8', start + 1, end - 1).replaceAll('""', '"');
}
