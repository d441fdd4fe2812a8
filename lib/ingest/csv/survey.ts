// One pass over the whole CSV: proves its structure, counts its rows, and notes everything that is not as it should be.
import { Fault } from '../../core/fault.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { type Dialect, INCOMPLETE, type RecordReader, recordReader } from './records.ts';
import { cellLimit, explainLarge, nameLimit } from '../formats/cells.ts';
import { type PlainRecords, plainRecords } from './plain-records.ts';
import { type Place, requireBounds } from './bounds.ts';
import { behindBroken, BrokenRecord, explainBroken } from './broken.ts';
import { type Sampler, sampler } from './sample.ts';
import { type Survey, surveyOf } from './shape.ts';
import { count, countPassed, freshTally, type LeftOut, note, type Tally } from './tally.ts';

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

const tooManyColumns = (columns: number, limit: number): Fault =>
  new Fault('TOO_MANY_COLUMNS', `A row has ${columns} fields; the limit is ${limit}.`, { extra: { columns, limit } });

/** The first record that is too wide ends it: what follows is not read. */
function surveyWindow(window: Window, reader: RecordReader, stretch: Stretch): number {
  const { tally, sample, source } = stretch;
  const small = Math.min(nameLimit(source), cellLimit(source));
  const plain = plainRecords(window, stretch.dialect);
  let at = 0;
  while (at < window.end) {
    const behindPlain = passPlain(window, plain, stretch, { at, most: small });
    if (behindPlain > at) {
      at = behindPlain;
      continue;
    }
    const next = reader.read(window.bytes, at, window.end, window.last);
    if ((next < 0 ? window.end : next) - at > small)
      requireBounds(window, reader, { source, header: tally.header }, { at, read: next });
    const behind = next < 0 ? leaveOut(window, reader, stretch, { at, read: next }) : next;
    if (behind === INCOMPLETE) return at;
    const isRow = next >= 0 && count(stretch, reader.record, window, at, next);
    if (tally.columns > source.maxColumns) throw tooManyColumns(tally.columns, source.maxColumns);
    if (isRow) sample.offer(window.bytes, at, next, window.offset + at);
    at = behind;
  }
  return at;
}

/** Passes over plain rows that nobody wants more of than their number; answers where the first record begins that is left. */
function passPlain(
  window: Window,
  plain: PlainRecords,
  { tally, sample, source, dialect }: Stretch,
  { at, most }: { readonly at: number; readonly most: number },
): number {
  const { offset } = window;
  const until = (sample.restsUntil?.(offset + at) ?? 0) - offset;
  const isHeaderRead = tally.header !== undefined && tally.width <= source.maxColumns;
  if (until <= at || !isHeaderRead || dialect.newline === 'cr') return at;
  const behind = plain.pass(at, until, { fields: tally.width, most });
  if (behind === at) return at;
  countPassed(tally, plain.passed(), window);
  sample.rested?.();
  return behind;
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
  /** Where it says when it rests, rows are passed over meanwhile. */
  readonly sample: Pick<Sampler, 'offer'> & Partial<Pick<Sampler, 'restsUntil' | 'rested'>>;
  readonly leftOut?: LeftOut | undefined;
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
