// Writes records in the one form of CSV that DuckDB reads without a doubt: no header, comma-free of surprises, LF, every
// row of the same width; an unquoted empty field is NULL, a quoted one is empty text.
import { open, writeFile } from 'node:fs/promises';
import { type Dialect, INCOMPLETE, isBlank, type Recording, recordReader } from './records.ts';
import { behindBroken } from './broken.ts';
import { bytesAt } from '../formats/head.ts';
import { eachWindow } from '../formats/windows.ts';
import { type ByteSink, byteSink, intoFile } from './sink.ts';
import type { Survey } from './shape.ts';
import type { CsvSource } from './survey.ts';

const QUOTE = 34;
const LF = 10;
const CR = 13;
/** DuckDB drops one at the start of a file; without it, it would drop one that the first value begins with. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Opens what is written anew: its first value stays whole whatever it begins with. */
function canonicalSink(fd: number, maxBytes: number): ByteSink {
  const sink = byteSink(intoFile(fd, maxBytes));
  sink.copy(BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
  return sink;
}

/** Copies an unquoted field; quotes it where it holds what would end or open a field. */
function writeUnquoted(sink: ByteSink, bytes: Buffer, start: number, end: number): void {
  let plain = true;
  for (let at = start; at < end && plain; at++) {
    const byte = bytes[at];
    plain = byte !== QUOTE && byte !== CR && byte !== LF;
  }
  if (plain) sink.copy(bytes, start, end);
  else sink.quoted(bytes, start, end);
}

function writeRow(sink: ByteSink, bytes: Buffer, record: Recording, columns: number, delimiter: number): void {
  for (let index = 0; index < columns; index++) {
    if (index > 0) sink.byte(delimiter);
    if (index >= record.fields) continue;
    const start = record.starts[index] as number;
    const end = record.ends[index] as number;
    if (record.quoted[index] === 1) sink.copy(bytes, start, end);
    else writeUnquoted(sink, bytes, start, end);
  }
  sink.endRow();
}

/** Which records become rows, and how wide. */
export interface Rewrite {
  readonly dialect: Dialect;
  /** Width of every row written. */
  readonly columns: number;
  /** A table of one column by its header: a blank line is a row. */
  readonly blankIsRow: boolean;
  /** Records that are still to be passed over, whatever they hold. */
  above: number;
  /** The first record after those that is not blank is passed over. */
  headerPending: boolean;
}

const rewriteOf = (survey: Sampled, what: 'file' | 'rows'): Rewrite => ({
  dialect: survey.dialect,
  columns: survey.columns,
  blankIsRow: survey.width === 1,
  above: what === 'file' ? (survey.above?.count ?? 0) : 0,
  headerPending: what === 'file' && survey.header.length > 0,
});

type Leaving = Pick<CsvSource, 'onBadRecord' | 'maxRecordBytes'>;

/** Writes the whole records among `bytes` and answers how many bytes those were. */
function rowWriter(rewrite: Rewrite, sink: ByteSink, { onBadRecord, maxRecordBytes }: Leaving) {
  const { dialect, columns, blankIsRow } = rewrite;
  const reader = recordReader(dialect, columns);
  const delimiter = dialect.delimiter.charCodeAt(0);
  const write = (bytes: Buffer): void => {
    if (rewrite.above > 0) {
      rewrite.above--;
      return;
    }
    if (isBlank(reader.record) && (rewrite.headerPending || !blankIsRow)) return;
    const isWide = onBadRecord === 'reject' && reader.record.fields > columns;
    if (!rewrite.headerPending && !isWide) writeRow(sink, bytes, reader.record, columns, delimiter);
    rewrite.headerPending = false;
  };
  return (bytes: Buffer, end: number, last: boolean): number => {
    for (let at = 0; ; ) {
      const next = at < end ? reader.read(bytes, at, end, last) : INCOMPLETE;
      const leaves = next < 0 && onBadRecord === 'reject';
      const place = { at, read: next, maxRecordBytes };
      const behind = leaves ? behindBroken({ bytes, end, last }, dialect, reader.record, place) : next;
      if (behind === INCOMPLETE) return at;
      if (behind < 0) throw new TypeError('a record that was whole in the survey is broken now');
      if (next >= 0) write(bytes);
      at = behind;
    }
  };
}

/** Whether DuckDB would take a first value for a byte order mark and drop it: that of a stretch, or of text written out that begins with two. */
export const losesMark = async ({ path, start }: CsvSource): Promise<boolean> =>
  start === 0 && (await bytesAt(path, 0, BYTE_ORDER_MARK.length)).equals(BYTE_ORDER_MARK);

/** Writes all data rows of the surveyed file to `target`. Faults: DECOMPRESSION_LIMIT, when padding makes it too large. */
export const writeCanonical = (source: CsvSource, survey: Survey, target: string): Promise<void> =>
  writeRows(source, rewriteOf(survey, 'file'), target);

/** Writes rows of a file to `target`. Faults: those of `writeCanonical`. */
export async function writeRows(source: CsvSource, rewrite: Rewrite, target: string): Promise<void> {
  const file = await open(target, 'w');
  try {
    const sink = canonicalSink(file.fd, source.maxBytes);
    const write = rowWriter({ ...rewrite }, sink, source);
    await eachWindow(source, (window) => write(window.bytes, window.end, window.last));
    sink.drain();
  } finally {
    await file.close();
  }
}

type Sampled = Pick<Survey, 'dialect' | 'columns' | 'width' | 'above' | 'header' | 'regular' | 'newline' | 'sample'>;

/** Writes the survey's sample in the same form. */
export async function writeSample(source: CsvSource, survey: Sampled, target: string): Promise<void> {
  // It has that form already.
  if (survey.regular && survey.newline === 'lf')
    return writeFile(target, Buffer.concat([BYTE_ORDER_MARK, survey.sample]));
  const file = await open(target, 'w');
  try {
    const sink = canonicalSink(file.fd, source.maxBytes);
    rowWriter(rewriteOf(survey, 'rows'), sink, source)(survey.sample, survey.sample.length, true);
    sink.drain();
  } finally {
    await file.close();
  }
}
