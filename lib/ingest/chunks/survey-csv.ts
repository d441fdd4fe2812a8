// A chunk of a large CSV, surveyed in the first pass with what the chunks before said of the file.
import type { Dialect } from '../csv/records.ts';
import type { Sampler } from '../csv/sample.ts';
import { surveyOf } from '../csv/shape.ts';
import { type CsvSource, tallyRecords } from '../csv/survey.ts';
import type { Finding, Tally } from '../csv/tally.ts';
import type { CsvChunk } from './plan.ts';

/** Goes on with the header and the row number, and counts everything else anew. */
const openTally = (before: Tally): Tally => ({
  ...before,
  ...{ columns: 0, notes: {}, longestRecord: 0, quotedNewlines: false, emptyQuoted: 0 },
  ...{ unquotedFields: 0, bareCr: false, newlines: 0 },
});

/** Two findings of the same, the first of which is known by where it stands. */
export function joined(first: Finding | undefined, second: Finding | undefined): Finding | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...first, count: first.count + second.count };
}

/** Of the chunks before, and of one alone that knew their header and their rows. */
export function addTallies(before: Tally, chunk: Tally): Tally {
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
