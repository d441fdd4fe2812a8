// Pass one over a large text: chunk by chunk, each a stretch of whole records, with what it says of the file kept as it is found. A run
// that dies goes on at the first chunk that is not kept.
import { rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Dialect } from '../csv/records.ts';
import { type Sampler, sampler, type SamplerState } from '../csv/sample.ts';
import { type CsvSource, freshTally, type Tally } from '../csv/survey.ts';
import type { JsonFormat, Phase } from '../json/records.ts';
import { badRecords } from '../csv/choose.ts';
import { bytesAt } from '../formats/head.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import * as csv from './csv.ts';
import * as json from './json.ts';
import { type Arriving, beginFetch } from './arriving.ts';
import { chunkBytes } from './chunk-bytes.ts';
import { eachPiece, lineCounter } from './local-bytes.ts';
import { bytesOf, endOf, type Fetching, fetchStretch, type Stretch, rowsName, stretchName } from './plain.ts';
import type { CsvChunk } from './plan.ts';
import { catchUp, type TextHash } from './text-hash.ts';

/** How the text is read. */
export type Reading =
  | {
      readonly kind: 'csv';
      readonly dialect: Dialect;
      readonly headerRow?: number | undefined;
      readonly nullWords: readonly string[];
    }
  | { readonly kind: 'json'; readonly format: JsonFormat };

/** A chunk and what is known of the file up to its end; JSON, and with the one before it all that the next one needs. */
export interface Surveyed extends Stretch {
  readonly rows: number;
  /** Rows and lines of the chunks before. */
  readonly rowsBefore: number;
  readonly linesBefore: number;
  readonly lines: number;
  /** Records of it that are left out. */
  readonly bad?: number;
  /** Records of the sample, Base64 each. */
  readonly sample: readonly string[];
  readonly sampler: SamplerState;
  /** The hashes of the blocks of the text that end in it, where it is hashed in blocks. */
  readonly blocks?: readonly string[];
  readonly csv?: { readonly chunk: CsvChunk; readonly tally: Tally };
  readonly json?: json.JsonState & { readonly begins: Phase };
}

export interface Surveying extends Fetching {
  readonly options: ReadOptions;
  readonly limits: ReadLimits;
  readonly reading: Reading;
  readonly workDir: string;
  /** Where chunks are left for pass two; they are dropped where it is absent. */
  readonly leave?: string | undefined;
  /** Takes the bytes of all chunks. */
  readonly hash: TextHash;
}

/** Surveys the chunk behind `before`. Faults: those of `readTable` that concern the text. */
export async function surveyNext(surveying: Surveying, before: Surveyed | undefined): Promise<Surveyed> {
  const { plain, limits, workDir } = surveying;
  const start = before?.end ?? plain.within?.start ?? 0;
  await hashUpTo(surveying, start);
  const path = join(workDir, 'chunk');
  // A record may be longer than a chunk; one that is too long is refused while it is read.
  for (let bytes = chunkBytes(surveying, start); ; bytes = 2 * bytes) {
    const stretch = { start, end: Math.min(endOf(plain), start + bytes) };
    await using arriving = await beginFetch(surveying, stretch, path);
    const surveyed = await surveyLocal(surveying, before, stretch, { path, arriving });
    if (surveyed !== undefined) return surveyed;
    if (bytes > 2 * limits.maxRecordBytes) throw new Fault('INTERNAL', 'A chunk holds no whole record.');
  }
}

async function surveyLocal(
  surveying: Surveying,
  before: Surveyed | undefined,
  { start, end }: Stretch,
  { path, arriving }: { readonly path: string; readonly arriving: Arriving },
): Promise<Surveyed | undefined> {
  const { plain } = surveying;
  const rowsBefore = (before?.rowsBefore ?? 0) + (before?.rows ?? 0);
  const linesBefore = (before?.linesBefore ?? plain.within?.lines ?? 0) + (before?.lines ?? 0);
  const skipped = before === undefined && plain.within === undefined ? plain.start : 0;
  const base = { offset: start, lines: linesBefore, records: rowsBefore };
  const digest = digestFrom(start, surveying.hash);
  await arriving.upTo(skipped);
  digest.add(await bytesAt(path, 0, skipped), 0);
  const local = { start: skipped, size: plain.size, goesOn: end < endOf(plain), base };
  const source = { ...sourceOf(surveying, path), ...local, arrived: arriving.upTo, consumed: digest.add };
  const sample = sampler(plain.size, before?.sampler);
  const ahead = surveying.leave === undefined ? undefined : { path: `${path}.csv`, maxBytes: end - start };
  const found = await surveyFormat({ ...surveying, ahead }, source, before, behind(sample, start));
  if (found.end === skipped && source.goesOn) return undefined;
  // DuckDB reads a file to its end. That of a chunk is the end of a record of CSV; what JSON awaits there stands in the next one.
  await truncate(path, found.end);
  const stretch = { start: start + skipped, end: start + found.end };
  if (skipped === 0) await leaveChunk(surveying, path, stretch);
  if (ahead !== undefined && found.state.json?.flat !== undefined) await leaveRows(surveying, ahead.path, stretch);
  return {
    ...{ ...stretch, rows: found.rows, rowsBefore, linesBefore },
    ...(found.bad > 0 && { bad: found.bad }),
    ...digest.found(stretch),
    sample: sample.taken().map((record) => record.toString('base64')),
    sampler: sample.state(),
    ...found.state,
  };
}

/** A sampler of the file for what stands in a stretch of it. */
const behind = (sample: Sampler, start: number): Sampler => ({
  ...sample,
  offer: (bytes, from, to, at) => sample.offer(bytes, from, to, start + at),
});

/** A local file as the readers want it. */
export function sourceOf(
  { limits, reading, options, signal }: Pick<Surveying, 'limits' | 'reading' | 'options' | 'signal'>,
  path: string,
) {
  const { maxRecordBytes, maxCellBytes, maxColumns, maxDecompressedBytes: maxBytes } = limits;
  const headerRow = reading.kind === 'csv' ? reading.headerRow : undefined;
  const bounds = { maxRecordBytes, maxCellBytes, maxColumns, maxBytes };
  const onBadRecord = badRecords(options);
  return { path, start: 0, size: 0, ...bounds, headerRow, onBadRecord, signal } satisfies CsvSource;
}

interface Found {
  /** Where the first byte stands that was left. */
  readonly end: number;
  readonly rows: number;
  readonly bad: number;
  readonly state: Pick<Surveyed, 'csv' | 'json'>;
}

async function surveyFormat(
  { reading, ahead }: Pick<Surveying, 'reading'> & { readonly ahead: json.AheadTarget | undefined },
  source: CsvSource,
  before: Surveyed | undefined,
  sample: Sampler,
): Promise<Found> {
  if (reading.kind === 'json') {
    const state = before?.json ?? json.startJson(reading.format);
    const { end, rows, state: next } = await json.surveyChunk(source, reading.format, state, sample, ahead);
    const bad = (next.bad?.count ?? 0) - (state.bad?.count ?? 0);
    return { end, rows, bad, state: { json: { ...next, begins: state.phase } } };
  }
  const tally = before?.csv?.tally ?? freshTally(reading.headerRow);
  const { end, bad, ...state } = await csv.surveyChunk(source, reading.dialect, tally, sample);
  return { end, rows: state.tally.rows - tally.rows, bad, state: { csv: state } };
}

/** What an earlier invocation took of the text and did not keep. */
export const hashUpTo = ({ objects, plain, hash, signal }: Pick<Surveying, keyof Fetching | 'hash'>, end: number) =>
  catchUp(hash, (from = 0, to = plain.size) => bytesOf(objects, plain, { start: from, end: to }), end, signal);

/** Takes the bytes of the chunk that begins at `start`: its line ends, and the hash of all bytes up to its end. */
function digestFrom(start: number, hash: TextHash) {
  const counter = lineCounter();
  return {
    add: (bytes: Buffer, offset: number): void => {
      counter.add(bytes);
      hash.add(bytes, start + offset);
    },
    found: (stretch: Stretch): Pick<Surveyed, 'lines' | 'blocks'> => {
      const blocks = hash.blocksIn(stretch);
      return { lines: counter.lines(), ...(blocks.length > 0 && { blocks }) };
    },
  };
}

async function leaveChunk({ leave }: Pick<Surveying, 'leave'>, path: string, stretch: Stretch): Promise<void> {
  if (leave !== undefined) await rename(path, join(leave, stretchName(stretch)));
}

async function leaveRows({ leave }: Pick<Surveying, 'leave'>, path: string, stretch: Stretch): Promise<void> {
  if (leave !== undefined) await rename(path, join(leave, rowsName(stretch)));
}

/** Fetches a chunk that another invocation surveyed, for the hash, and leaves it for pass two, which would fetch it otherwise. */
export async function takeAgain(surveying: Omit<Surveying, 'reading'>, { start, end }: Stretch): Promise<void> {
  const { hash, workDir } = surveying;
  const path = join(workDir, 'chunk');
  const stretch = { start: Math.min(hash.taken(), start), end };
  await fetchStretch(surveying, stretch, path);
  await eachPiece(path, (bytes, at) => hash.add(bytes, stretch.start + at));
  if (stretch.start === start) await leaveChunk(surveying, path, stretch);
}
