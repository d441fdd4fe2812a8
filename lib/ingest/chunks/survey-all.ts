// The chunks of a large text, surveyed and put together. Each is a step of the job.
import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import { guessesFor } from './guesses.ts';
import { endOf, type Fetching } from './plain.ts';
import type { Chunk } from './plan.ts';
import { isLeft, surveyNext, takeAgain } from './survey.ts';
import type { Reading, Surveyed } from './survey-chunk.ts';
import type { SurveyThreads } from './survey-threads.ts';
import type { TextHash } from './text-hash.ts';

export interface PassOne extends Fetching {
  readonly ctx: Pick<StageContext, 'step' | 'progress'>;
  readonly limits: ReadLimits;
  readonly workDir: string;
  readonly options: ReadOptions;
  /** Columns whose texts stay as they are written. */
  readonly verbatim?: readonly string[] | undefined;
  /** Where chunks are left for pass two, if this invocation has room for them all. */
  readonly leave?: string | undefined;
  /** Survey chunks beside each other; one after the other where they are absent. */
  readonly threads?: SurveyThreads | undefined;
}

/** Of one call. */
export interface Passing extends PassOne {
  readonly hash: TextHash;
}

/** All chunks of a text, put together. */
export interface Whole {
  readonly chunks: Chunk[];
  readonly sample: Buffer[];
  readonly last: Surveyed;
}

function chunkOf({ start, end, rows, rowsBefore, linesBefore, bad, csv, json: ofJson }: Surveyed): Chunk {
  const chunk = { start, end, rows, rowsBefore, linesBefore, ...(bad !== undefined && { bad }) };
  return {
    ...chunk,
    ...(csv && { csv: csv.chunk }),
    ...(ofJson && { phase: ofJson.begins, ...(ofJson.flat && { flat: ofJson.flat }) }),
  };
}

function add(whole: Whole | undefined, last: Surveyed): Whole {
  const { chunks, sample }: Omit<Whole, 'last'> = whole ?? { chunks: [], sample: [] };
  chunks.push(chunkOf(last));
  sample.push(...last.sample.map((record) => Buffer.from(record, 'base64')));
  return { chunks, sample, last };
}

/** Under one reading. The hash may not have the last chunk yet. Faults: those of `surveyNext`. */
export async function surveyAll({ ctx, threads, ...pass }: Passing, name: string, reading: Reading): Promise<Whole> {
  const { plain, signal, hash, leave } = pass;
  await using guesses = guessesFor({ ...pass, reading }, threads);
  let whole: Whole | undefined;
  for (let place = 0; (whole?.last.end ?? 0) < endOf(plain); place++) {
    signal.throwIfAborted();
    const before = whole?.last;
    const last = await ctx.step(`${name} ${place}`, () => surveyNext({ ...pass, reading }, before, guesses));
    if (leave !== undefined && hash.taken() < last.end && !(await isLeft(leave, last))) await takeAgain(pass, last);
    hash.keep(last.blocks, last.end);
    whole = add(whole, last);
    ctx.progress(last.end, plain.size, 'survey');
  }
  return must(whole, 'a chunk');
}
