// A chunk of a large CSV: surveyed in the first pass, with what the chunks before said of the file, and given to DuckDB in both.
import { join } from 'node:path';
import { losesMark, writeRows } from '../csv/canonical.ts';
import type { Dialect } from '../csv/records.ts';
import type { Sampler } from '../csv/sample.ts';
import { findBad } from '../csv/bad-records.ts';
import { linesOfRows } from '../csv/lines.ts';
import { csvRows } from '../csv/slices.ts';
import { type CsvSource, type Finding, freshTally, surveyOf, type Tally, tallyRecords } from '../csv/survey.ts';
import type { Rows } from '../typing/relation.ts';
import type { CsvChunk, CsvLayout } from './plan.ts';

/** Goes on with the header and the row number, and counts everything else anew. */
const openTally = (before: Tally): Tally => ({
  ...before,
  ...{ columns: 0, notes: {}, longestRecord: 0, quotedNewlines: false, emptyQuoted: 0 },
  ...{ unquotedFields: 0, bareCr: false, newlines: 0 },
});

function joined(first: Finding | undefined, second: Finding | undefined): Finding | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...first, count: first.count + second.count };
}

function addTallies(before: Tally, chunk: Tally): Tally {
  const names = [...Object.keys(before.notes), ...Object.keys(chunk.notes)] as (keyof Tally['notes'])[];
  const notes = names.map((name) => [name, joined(before.notes[name], chunk.notes[name])] as const);
  return {
    ...chunk,
    columns: Math.max(before.columns, chunk.columns),
    notes: Object.fromEntries(notes),
    longestRecord: Math.max(before.longestRecord, chunk.longestRecord),
    quotedNewlines: before.quotedNewlines || chunk.quotedNewlines,
    emptyQuoted: before.emptyQuoted + chunk.emptyQuoted,
    unquotedFields: before.unquotedFields + chunk.unquotedFields,
    bareCr: before.bareCr || chunk.bareCr,
    newlines: before.newlines | chunk.newlines,
  };
}

export interface CsvSurveyed {
  /** Where the first byte stands that was left. */
  readonly end: number;
  /** Records that are left out of it. */
  readonly bad: number;
  readonly chunk: CsvChunk;
  /** Of all records up to here. */
  readonly tally: Tally;
}

/** Reads the whole records of a chunk. Faults: those of `surveyCsv`. */
export async function surveyChunk(
  source: CsvSource,
  dialect: Dialect,
  before: Tally,
  sample: Sampler,
): Promise<CsvSurveyed> {
  const tally = openTally(before);
  const end = await tallyRecords({ source, dialect, tally, sample });
  const headerPending = before.hasHeader && before.header === undefined;
  const hasHeader = headerPending && tally.header !== undefined;
  const shape = surveyOf(dialect, tally, hasHeader ? (tally.header ?? []) : []);
  const { regular, columns, newline, quotedNewlines, longestRecord } = shape;
  const above = shape.above?.count ?? 0;
  const chunk = { above, headerPending, hasHeader, regular, columns, newline, quotedNewlines, longestRecord };
  const bad = (shape.broken?.count ?? 0) + (shape.wide?.count ?? 0);
  return { end, bad, chunk, tally: addTallies(before, tally) };
}

type Again = Omit<ToRelate, 'columns' | 'workDir'>;

/** The chunk, to be read again. */
function stretchOf({ source, layout, chunk }: Again) {
  const { above, headerPending } = chunk;
  const known = headerPending ? {} : { header: [], width: layout.width };
  const tally = { ...freshTally(headerPending ? 1 : 0), above, hasHeader: headerPending, ...known };
  return { source, dialect: layout.dialect, tally };
}

/** The lines of a chunk on which some of its rows begin. */
export const linesOf = (again: Again, rows: readonly number[]) => linesOfRows(stretchOf(again), rows);

/** The records of a chunk that are left out. */
export const badIn = (again: Again) => findBad(stretchOf(again));

interface ToRelate {
  readonly source: CsvSource;
  readonly layout: CsvLayout;
  readonly chunk: CsvChunk;
  /** Of the rows. */
  readonly columns: number;
  readonly workDir: string;
}

/** The rows of a chunk, over the chunk itself where DuckDB reads it the same way, else over a canonical copy. */
export async function relationOf({ source, layout, chunk, columns, workDir }: ToRelate): Promise<Rows> {
  const { longestRecord, newline } = chunk;
  const quotedNewlines = chunk.quotedNewlines ? 'quoted newlines' : 'lines';
  const { dialect, nullWords, width } = layout;
  const shape = { delimiter: dialect.delimiter, columns, longestRecord, quotedNewlines, nullWords } as const;
  const header = chunk.hasHeader ? 'header' : 'no header';
  const asItIs = chunk.regular && chunk.columns === columns && (chunk.hasHeader || !(await losesMark(source)));
  const slicing = { workDir, maxBytes: source.maxBytes, signal: source.signal };
  if (asItIs) return csvRows({ ...shape, path: source.path, header, newline }, slicing);
  const path = join(workDir, 'canonical.csv');
  const { above, headerPending } = chunk;
  const rewrite = { dialect, columns, blankIsRow: width === 1, above, headerPending };
  await writeRows(source, rewrite, path);
  return csvRows({ ...shape, path, header: 'no header', newline: 'lf' }, slicing);
}
