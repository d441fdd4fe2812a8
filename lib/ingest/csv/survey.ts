// One pass over the whole CSV: proves its structure, counts its rows, and notes everything that is not as it should be.
import { Fault } from '../../core/fault.ts';
import { parseError } from '../formats/place.ts';
import { eachWindow, type Window } from '../formats/windows.ts';
import {
  BROKEN,
  type Dialect,
  fieldText,
  INCOMPLETE,
  isBlank,
  type Recording,
  type RecordReader,
  recordReader,
} from './records.ts';
import { type Sampler, sampler } from './sample.ts';

export interface CsvSource {
  readonly path: string;
  /** Bytes to pass over at the start. */
  readonly start: number;
  readonly size: number;
  readonly maxRecordBytes: number;
  readonly maxColumns: number;
  /** Of what is written out in a form that is simpler to read. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Of CSV: the row of the header, from 1, blank ones counted; 0: none. The first that is not blank by default. */
  readonly headerRow?: number | undefined;
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

type Note = 'above' | 'short' | 'long' | 'strayQuotes' | 'blankLines';

interface Tally {
  /** Records that still stand above the header. */
  above: number;
  readonly hasHeader: boolean;
  header: string[] | undefined;
  width: number;
  rows: number;
  columns: number;
  readonly notes: Partial<Record<Note, Finding>>;
  longestRecord: number;
  quotedNewlines: boolean;
  emptyQuoted: number;
  unquotedFields: number;
  bareCr: boolean;
  newlines: number;
}

const EXAMPLE_BYTES = 400;
const newlineBits = { lf: 1, crlf: 2, cr: 4, end: 0 } as const;

const freshTally = (headerRow = 1): Tally => ({
  above: Math.max(0, headerRow - 1),
  hasHeader: headerRow > 0,
  header: undefined,
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
function count(tally: Tally, reader: RecordReader, bytes: Buffer, from: number, to: number): boolean {
  const { record } = reader;
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

/** The header's fields are wanted, so that it is never skimmed. */
function readNext(reader: RecordReader, window: Window, at: number, skims: boolean): number {
  const next = skims ? reader.skim(window.bytes, at, window.end) : INCOMPLETE;
  return next === INCOMPLETE ? reader.read(window.bytes, at, window.end, window.last) : next;
}

function surveyWindow(window: Window, reader: RecordReader, tally: Tally, sample: Sampler): number {
  let at = 0;
  while (at < window.end) {
    const next = readNext(reader, window, at, tally.header !== undefined);
    if (next === INCOMPLETE) return at;
    if (next === BROKEN) throw new BrokenRecord(window.offset + at, window.offset + reader.record.brokenAt);
    if (count(tally, reader, window.bytes, at, next)) sample.offer(window.bytes, at, next, window.offset + at);
    at = next;
  }
  return at;
}

/** Carries the place out of the synchronous loop; where the line is has yet to be looked up. */
class BrokenRecord extends Error {
  readonly recordAt: number;
  readonly brokenAt: number;

  constructor(recordAt: number, brokenAt: number) {
    super('broken record');
    this.recordAt = recordAt;
    this.brokenAt = brokenAt;
  }
}

async function explain(source: CsvSource, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof BrokenRecord)) return thrown;
  const { recordAt, brokenAt } = thrown;
  return parseError(
    source.path,
    brokenAt,
    `a quote is opened and never closed, or followed by text (in the record at byte ${recordAt}).`,
  );
}

/** Reads the whole file under one dialect. Faults: PARSE_ERROR, LINE_TOO_LONG, ENCODING_INVALID, TOO_MANY_COLUMNS, EMPTY_FILE. */
export async function surveyCsv(source: CsvSource, dialect: Dialect): Promise<Survey> {
  const reader = recordReader(dialect, source.maxColumns);
  const tally = freshTally(source.headerRow);
  const sample = sampler(source.size);
  try {
    await eachWindow(source, (window) => surveyWindow(window, reader, tally, sample));
  } catch (thrown) {
    throw await explain(source, thrown);
  }
  if (tally.header === undefined) throw withoutHeader(source);
  if (tally.columns > source.maxColumns) {
    throw new Fault('TOO_MANY_COLUMNS', `A row has ${tally.columns} fields; the limit is ${source.maxColumns}.`, {
      extra: { columns: tally.columns, limit: source.maxColumns },
    });
  }
  return surveyOf(dialect, tally, tally.header, sample);
}

function withoutHeader({ headerRow = 1 }: CsvSource): Fault {
  if (headerRow <= 1) return new Fault('EMPTY_FILE', 'The file holds blank lines only.');
  return new Fault('OPTION_MISFIT', `The file has no row ${headerRow}, which is to be its header.`, {
    extra: { option: 'headerRow' },
  });
}

function surveyOf(dialect: Dialect, tally: Tally, header: string[], sample: Sampler): Survey {
  const { above, short, long, strayQuotes, blankLines } = tally.notes;
  const crlf = tally.newlines === newlineBits.crlf;
  const oneNewline = crlf ? !tally.quotedNewlines : (tally.newlines & ~newlineBits.lf) === 0;
  const clean =
    above === undefined &&
    short === undefined &&
    long === undefined &&
    strayQuotes === undefined &&
    blankLines === undefined;
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
    longestRecord: tally.longestRecord,
    quotedNewlines: tally.quotedNewlines,
    emptyQuoted: tally.emptyQuoted,
    allQuoted: tally.rows > 0 && tally.unquotedFields === 0,
    regular: clean && oneNewline && headerIsPlain && !tally.bareCr && dialect.quoting === 'rfc4180',
    newline: crlf ? 'crlf' : 'lf',
    sample: sample.bytes(),
    sampleIsAll: sample.isAll(),
  };
}
