// One pass over the whole CSV: proves its structure, counts its rows, and notes everything that is not as it should be.
import { Fault } from '../../core/fault.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import {
  type Dialect,
  fieldText,
  INCOMPLETE,
  isBlank,
  type Recording,
  type RecordReader,
  recordReader,
} from './records.ts';
import { cellLimit, explainLarge, nameLimit } from '../formats/cells.ts';
import { type Place, requireBounds } from './bounds.ts';
import { behindBroken, BrokenRecord, explainBroken } from './broken.ts';
import { type Sampler, sampler } from './sample.ts';

export interface CsvSource extends WindowSource {
  readonly size: number;
  readonly maxColumns: number;
  /** Of what is written out in a form that is simpler to read. */
  readonly maxBytes: number;
  /** Of CSV: the row of the header, from 1, blank ones counted; 0: none. The first that is not blank by default. */
  readonly headerRow?: number | undefined;
  /** Of CSV and NDJSON: what becomes of a record that is broken or, of CSV, wider than the header; refused, or a column of its own. */
  readonly onBadRecord?: 'reject' | undefined;
}

/** The first case of something and how many there are. */
export interface Finding {
  readonly row: number;
  readonly example: string;
  count: number;
}

export interface Survey {
  readonly dialect: Dialect;
  /** Empty where the file has none. */
  readonly header: readonly string[];
  /** Records above the header. */
  readonly above: Finding | undefined;
  /** Fields of the header, or of the first row where there is none. */
  readonly width: number;
  /** Data rows: no header, no blank lines. */
  readonly rows: number;
  /** Of the widest record, the header included. */
  readonly columns: number;
  readonly short: Finding | undefined;
  readonly long: Finding | undefined;
  readonly strayQuotes: Finding | undefined;
  readonly blankLines: Finding | undefined;
  /** Records that are left out: with broken quotes, and with more fields than the header. */
  readonly broken: Finding | undefined;
  readonly wide: Finding | undefined;
  readonly longestRecord: number;
  readonly quotedNewlines: boolean;
  readonly emptyQuoted: number;
  /** Every field of every data row stands in quotes. */
  readonly allQuoted: boolean;
  /** DuckDB's reader reads the file itself the same way, so that it need not be written out anew. */
  readonly regular: boolean;
  /** Of a regular file. */
  readonly newline: 'lf' | 'crlf';
  readonly sample: Buffer;
  readonly sampleIsAll: boolean;
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
const newlineBits = { lf: 1, crlf: 2, cr: 4, end: 0 } as const;

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

function note(tally: Tally, what: Note, bytes: Buffer, from: number, to: number): void {
  const known = tally.notes[what];
  if (known !== undefined) known.count++;
  else tally.notes[what] = { row: Math.max(tally.rows, 1), example: lineText(bytes, from, to), count: 1 };
}

const lineText = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('utf8', from, Math.min(to, from + EXAMPLE_BYTES)).replace(/[\r\n]+$/, '');

/** Tells the tally of the record just read; true for a data row. */
function count(
  { tally, source, leftOut }: Stretch,
  { record }: RecordReader,
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

const fieldsOf = (record: Recording, bytes: Buffer): string[] =>
  Array.from({ length: Math.min(record.fields, record.starts.length) }, (_, index) => fieldText(bytes, record, index));

/** The places of the header's fields are wanted. */
const readNext = (reader: RecordReader, { bytes, end, last }: Window, at: number, skims: boolean): number =>
  skims ? reader.skim(bytes, at, end, last) : reader.read(bytes, at, end, last);

const tooManyColumns = (columns: number, limit: number): Fault =>
  new Fault('TOO_MANY_COLUMNS', `A row has ${columns} fields; the limit is ${limit}.`, { extra: { columns, limit } });

/** The first record that is too wide ends it: what follows is not read. */
function surveyWindow(window: Window, reader: RecordReader, stretch: Stretch): number {
  const { tally, sample, source } = stretch;
  const small = Math.min(nameLimit(source), cellLimit(source));
  let at = 0;
  while (at < window.end) {
    const next = readNext(reader, window, at, tally.header !== undefined);
    if ((next < 0 ? window.end : next) - at > small)
      requireBounds(window, reader, { source, header: tally.header }, { at, read: next });
    const behind = next < 0 ? leaveOut(window, reader, stretch, { at, read: next }) : next;
    if (behind === INCOMPLETE) return at;
    const isRow = next >= 0 && count(stretch, reader, window, at, next);
    if (tally.columns > source.maxColumns) throw tooManyColumns(tally.columns, source.maxColumns);
    if (isRow) sample.offer(window.bytes, at, next, window.offset + at);
    at = behind;
  }
  return at;
}

/** Where reading goes on behind a record that is broken, where such ones are left out; the header is not. */
function leaveOut(
  window: Window,
  { record }: RecordReader,
  { source, dialect, tally, leftOut }: Stretch,
  { at, read }: Place,
): number {
  if (source.onBadRecord !== 'reject' || tally.header === undefined) {
    if (read === INCOMPLETE) return INCOMPLETE;
    throw new BrokenRecord(window.offset + at, window.offset + record.brokenAt);
  }
  const behind = behindBroken(window, dialect, record, { at, read, maxRecordBytes: source.maxRecordBytes });
  if (behind === INCOMPLETE) return INCOMPLETE;
  note(tally, 'broken', window.bytes, at, behind);
  leftOut?.('broken', window.bytes, at, behind, window.offset + at);
  return behind;
}

/** The stretch of the file that the tally goes on with. */
export interface Stretch {
  readonly source: CsvSource;
  readonly dialect: Dialect;
  readonly tally: Tally;
  readonly sample: Pick<Sampler, 'offer'>;
  /** Is told of each record that is left out. */
  readonly leftOut?: ((why: BadRecord, bytes: Buffer, start: number, end: number, offset: number) => void) | undefined;
}

/** Reads the records of a file into the tally, and answers where the first byte stands that was left. Faults: those of `surveyCsv`. */
export async function tallyRecords(stretch: Stretch): Promise<number> {
  const { source, dialect } = stretch;
  const reader = recordReader(dialect, source.maxColumns);
  try {
    return await eachWindow(source, (window) => surveyWindow(window, reader, stretch));
  } catch (thrown) {
    throw await explainBroken(source, await explainLarge(source, thrown));
  }
}

/** The fields of the header, empty where the file has none. Faults: EMPTY_FILE, OPTION_MISFIT, TOO_MANY_COLUMNS. */
export function headerOf({ header, columns }: Tally, { headerRow, maxColumns }: CsvSource): readonly string[] {
  if (header === undefined) throw withoutHeader(headerRow);
  if (columns <= maxColumns) return header;
  throw tooManyColumns(columns, maxColumns);
}

/** Reads the whole file under one dialect. Faults: PARSE_ERROR, LINE_TOO_LONG, CELL_TOO_LARGE, ENCODING_INVALID, TOO_MANY_COLUMNS, EMPTY_FILE. */
export async function surveyCsv(source: CsvSource, dialect: Dialect): Promise<Survey> {
  const tally = freshTally(source.headerRow);
  const sample = sampler(source.size);
  await tallyRecords({ source, dialect, tally, sample });
  const header = headerOf(tally, source);
  return { ...surveyOf(dialect, tally, header), sample: sample.bytes(), sampleIsAll: sample.isAll() };
}

function withoutHeader(headerRow = 1): Fault {
  if (headerRow <= 1) return new Fault('EMPTY_FILE', 'The file holds blank lines only.');
  return new Fault('OPTION_MISFIT', `The file has no row ${headerRow}, which is to be its header.`, {
    extra: { option: 'headerRow' },
  });
}

/** What the tally of some of the records, or of all, says of them. */
export function surveyOf(
  dialect: Dialect,
  tally: Tally,
  header: readonly string[],
): Omit<Survey, 'sample' | 'sampleIsAll'> {
  const { above, short, long, strayQuotes, blankLines, broken, wide } = tally.notes;
  const crlf = tally.newlines === newlineBits.crlf;
  const oneNewline = crlf ? !tally.quotedNewlines : (tally.newlines & ~newlineBits.lf) === 0;
  const clean =
    above === undefined &&
    short === undefined &&
    long === undefined &&
    strayQuotes === undefined &&
    blankLines === undefined &&
    broken === undefined &&
    wide === undefined;
  const headerIsPlain = !header.some((name) => /["\r\n]/.test(name));
  return {
    dialect,
    header,
    above,
    width: tally.width,
    rows: tally.rows,
    columns: tally.columns,
    short,
    long,
    strayQuotes,
    blankLines,
    broken,
    wide,
    longestRecord: tally.longestRecord,
    quotedNewlines: tally.quotedNewlines,
    emptyQuoted: tally.emptyQuoted,
    allQuoted: tally.rows > 0 && tally.unquotedFields === 0,
    regular: clean && oneNewline && headerIsPlain && !tally.bareCr && dialect.quoting === 'rfc4180',
    newline: crlf ? 'crlf' : 'lf',
  };
}
