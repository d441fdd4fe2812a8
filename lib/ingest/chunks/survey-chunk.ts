// One chunk of a large text, surveyed where it lies on the disk: what it says of the file, with what is known of the file before it.
import { badRecords } from '../csv/choose.ts';
import type { Dialect } from '../csv/records.ts';
import { type Sampler, sampler, type SamplerState } from '../csv/sample.ts';
import type { CsvSource } from '../csv/survey.ts';
import { freshTally, type Tally } from '../csv/tally.ts';
import { bytesAt } from '../formats/head.ts';
import type { JsonFormat, Phase } from '../json/records.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import { lineCounter } from './local-bytes.ts';
import type { Stretch } from './plain.ts';
import type { CsvChunk } from './plan.ts';
import * as csv from './survey-csv.ts';
import * as json from './survey-json.ts';
import type { AddBytes } from './text-hash.ts';

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

/** What is surveyed; JSON. */
export interface ToSurvey extends Stretch {
  readonly text: {
    readonly size: number;
    /** Where what is read of it ends. */
    readonly end: number;
    /** Bytes to pass over where the first chunk begins, and lines of the text before that. */
    readonly skipped: number;
    readonly lines: number;
  };
  readonly options: ReadOptions;
  readonly limits: ReadLimits;
  readonly reading: Reading;
  readonly before: Surveyed | undefined;
  /** Of the local file that holds the stretch, and of one for rows that are written ahead, where they are. */
  readonly path: string;
  readonly aheadPath?: string | undefined;
}

/** While a chunk is surveyed. */
export interface Watching {
  readonly signal: AbortSignal;
  /** Resolves once the local file has this many bytes, or all that it will have, and answers how many. */
  readonly arrived: (bytes: number) => Promise<number>;
  /** Takes the bytes of the chunk, in order. */
  readonly took?: AddBytes | undefined;
}

/** The whole records of a stretch; undefined where it holds none. Faults: those of `readTable` that concern the text. */
export async function surveyChunk(of: ToSurvey, { signal, arrived, took }: Watching): Promise<Surveyed | undefined> {
  const { text, before, path, start, end } = of;
  const rowsBefore = (before?.rowsBefore ?? 0) + (before?.rows ?? 0);
  const linesBefore = (before?.linesBefore ?? text.lines) + (before?.lines ?? 0);
  const skipped = before === undefined ? text.skipped : 0;
  const base = { offset: start, lines: linesBefore, records: rowsBefore };
  const lines = lineCounter();
  const consumed: AddBytes = (bytes, offset) => {
    lines.add(bytes);
    took?.(bytes, start + offset);
  };
  await arrived(skipped);
  consumed(await bytesAt(path, 0, skipped), 0);
  const local = { start: skipped, size: text.size, goesOn: end < text.end, base };
  const source = { ...sourceOf({ ...of, signal }, path), ...local, arrived, consumed };
  const sample = sampler(text.size, before?.sampler);
  const found = await surveyFormat(of, source, behind(sample, start));
  if (found.end === skipped && source.goesOn) return undefined;
  return {
    ...{ start: start + skipped, end: start + found.end, rows: found.rows, rowsBefore, linesBefore },
    ...(found.bad > 0 && { bad: found.bad }),
    lines: lines.lines(),
    sample: sample.taken().map((record) => record.toString('base64')),
    sampler: sample.state(),
    ...found.state,
  };
}

/** A sampler of the file for what stands in a stretch of it. */
const behind = (sample: Sampler, start: number): Sampler => ({
  ...sample,
  offer: (bytes, from, to, at) => sample.offer(bytes, from, to, start + at),
  restsUntil: (at) => sample.restsUntil(start + at) - start,
});

/** A local file as the readers want it. */
export function sourceOf(
  { limits, reading, options, signal }: Pick<ToSurvey, 'limits' | 'reading' | 'options'> & Pick<Watching, 'signal'>,
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
  { reading, before, aheadPath, start, end: stretchEnd }: ToSurvey,
  source: CsvSource,
  sample: Sampler,
): Promise<Found> {
  if (reading.kind === 'json') {
    const state = before?.json ?? json.startJson(reading.format);
    const ahead = aheadPath === undefined ? undefined : { path: aheadPath, maxBytes: stretchEnd - start };
    const { end, rows, state: next } = await json.surveyChunk(source, reading.format, state, sample, ahead);
    const bad = (next.bad?.count ?? 0) - (state.bad?.count ?? 0);
    return { end, rows, bad, state: { json: { ...next, begins: state.phase } } };
  }
  const tally = before?.csv?.tally ?? freshTally(reading.headerRow);
  const { end, bad, ...state } = await csv.surveyChunk(source, reading.dialect, tally, sample);
  return { end, rows: state.tally.rows - tally.rows, bad, state: { csv: state } };
}
