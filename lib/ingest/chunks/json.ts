// A chunk of a large JSON array or of NDJSON: surveyed in the first pass, with the keys that the chunks before have, and flattened for
// DuckDB, in that pass already where all of its keys are known by then.
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sampler } from '../csv/sample.ts';
import { csvRows } from '../csv/slices.ts';
import type { CsvSource, Finding } from '../csv/survey.ts';
import { findingOf } from '../json/bad-lines.ts';
import { type KeptColumn, keptColumn, keyColumns } from '../json/columns.ts';
import { fits, type Flat, flatCsv, flatten, writeAhead } from '../json/flatten.ts';
import { tally } from '../json/kinds.ts';
import { firstPhase, type JsonFormat, type Phase, readRecords, type Taken, type Visit } from '../json/records.ts';
import type { Rows } from '../typing/relation.ts';
import { tookLeft } from './plain.ts';

export interface JsonState {
  readonly keys: readonly KeptColumn[];
  /** What is awaited next. */
  readonly phase: Phase;
  /** Lines that are left out. */
  readonly bad?: Finding | undefined;
  /** What was written of the chunk ahead, if it may be of use. */
  readonly flat?: Flat | undefined;
}

export const startJson = (format: JsonFormat): JsonState => ({ keys: [], phase: firstPhase(format) });

export interface JsonSurveyed {
  /** Where the first byte stands that was left. */
  readonly end: number;
  readonly rows: number;
  readonly state: JsonState;
}

/** Where rows are written ahead, of at most so many bytes. */
export interface AheadTarget {
  readonly path: string;
  readonly maxBytes: number;
}

/** Reads the whole records of a chunk. Faults: those of `prepareJson`. */
export async function surveyChunk(
  source: CsvSource,
  format: JsonFormat,
  before: JsonState,
  sample: Sampler,
  target?: AheadTarget,
): Promise<JsonSurveyed> {
  const columns = keyColumns(source.maxColumns, before.keys);
  await using file = target && (await open(target.path, 'w'));
  const ahead = writeAhead(columns, target && file && { fd: file.fd, maxBytes: target.maxBytes });
  let row = source.base?.records ?? 0;
  const bad = findingOf(() => row, before.bad);
  const visit: Visit = (bytes, members, offset) => {
    tally(columns, bytes, members, ++row);
    ahead.add(bytes, members);
    sample.offer(bytes, members.start, members.end, offset);
  };
  const taken: Taken = (bytes, from, to, offset) => {
    row++;
    ahead.took();
    sample.offer(bytes, from, to, offset);
  };
  const reading = { phase: before.phase, leaveOut: bad.leaveOut, taking: ahead.taking, taken };
  const { records, phase, end } = await readRecords(source, format, visit, reading);
  const state = { keys: columns.list.map(keptColumn), phase, bad: bad.found(), flat: ahead.end() };
  return { end, rows: records, state };
}

interface ToRelate {
  readonly source: CsvSource;
  readonly format: JsonFormat;
  readonly keys: readonly KeptColumn[];
  readonly phase: Phase;
  readonly workDir: string;
  /** What the survey wrote ahead, and where it left it. */
  readonly ahead?: { readonly flat: Flat; readonly path: string } | undefined;
}

/** The rows of a chunk, in columns of these keys. */
export async function relationOf({ source, format, keys, phase, workDir, ahead }: ToRelate): Promise<Rows> {
  const path = join(workDir, 'flat.csv');
  const isThere = ahead !== undefined && fits(ahead.flat, keys) && (await tookLeft(ahead.path, path));
  const columns = keyColumns(source.maxColumns, keys);
  const flat = isThere ? ahead.flat : await flatten({ source, format, columns, seen: 0, target: path, phase });
  return csvRows(flatCsv(path, flat), { workDir, maxBytes: source.maxBytes, signal: source.signal });
}

/** Writes records, as they stood in the file, as one JSON array. */
export const writeRecords = (records: readonly Buffer[], path: string): Promise<void> =>
  writeFile(path, ['[', ...records.flatMap((record, place) => (place === 0 ? [record] : [',', record])), ']']);
