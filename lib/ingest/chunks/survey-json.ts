// A chunk of a large JSON array or of NDJSON, surveyed in the first pass with the keys that the chunks before have, and flattened for DuckDB
// with it where all of its keys are known by then.
import { open } from 'node:fs/promises';
import type { Sampler } from '../csv/sample.ts';
import { eachTaken, type TakenRecords } from '../json/taking.ts';
import type { CsvSource } from '../csv/survey.ts';
import type { Finding } from '../csv/tally.ts';
import { findingOf } from '../json/finding.ts';
import { type KeptColumn, keptColumn, keyColumns } from '../json/columns.ts';
import { type Flat, writeAhead } from '../json/flatten.ts';
import { tally } from '../json/kinds.ts';
import { firstPhase, type JsonFormat, type Phase, readRecords, type Taken, type Visit } from '../json/records.ts';

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

/** Offers records that were taken, unless the sampler rests for as long as they go. */
function offerTaken(sample: Sampler, records: TakenRecords, offset: number): void {
  const { bytes, count, startOf } = records;
  if (sample.restsUntil(offset + startOf(0)) > offset + startOf(count - 1)) sample.rested();
  else eachTaken(records, (start, end) => sample.offer(bytes, start, end, offset + start));
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
  const taken: Taken = (records, offset) => {
    row += records.count;
    ahead.tookAll();
    offerTaken(sample, records, offset);
  };
  const reading = { phase: before.phase, leaveOut: bad.leaveOut, taking: ahead.taking, taken };
  const { records, phase, end } = await readRecords(source, format, visit, reading);
  const state = { keys: columns.list.map(keptColumn), phase, bad: bad.found(), flat: ahead.end() };
  return { end, rows: records, state };
}
