// One chunk that is surveyed in another thread before it is known where the one before it ends.
import { join } from 'node:path';
import { bytesIn } from '../formats/bytes.ts';
import { beginFetch } from './arriving.ts';
import { behindKnown } from './behind.ts';
import { chunkBytes } from './chunk-bytes.ts';
import { bytesOf, endOf, fetchStretch, rowsBeside, type Stretch } from './plain.ts';
import { surveyChunk, type Surveyed, type ToSurvey } from './survey-chunk.ts';
import type { SurveyThread } from './survey-threads.ts';
import type { Surveying } from './surveying.ts';

/** Bytes of the beginning of a file that show what it takes to read it from another place on. */
const HEAD_BYTES = 1 << 16;
/** Bytes before a place in which a line end is looked for. */
const TAIL_BYTES = 1 << 16;
const LF = 10;

export interface Guess {
  readonly path: string;
  /** Undefined where no line end was found, or nothing is left. */
  readonly stretch: Promise<Stretch | undefined>;
  /** Whether all of it came to lie on the disk. */
  readonly fetched: Promise<boolean>;
  /** What the chunk says of itself, by what was assumed of the file before it; undefined where it could not be read so. */
  readonly found: Promise<{ readonly assumed: Surveyed; readonly alone: Surveyed } | undefined>;
}

export interface ToGuess {
  /** Where the stretch before it ends, of which it takes the last record if that is not whole. */
  readonly behind: Promise<number | undefined>;
  readonly known: Promise<Surveyed | undefined>;
  /** Is released in the end. */
  readonly thread: SurveyThread;
  readonly path: string;
  readonly signal: AbortSignal;
}

const nothing = (): undefined => undefined;

/** Nothing of it rejects. */
export function beginGuess(surveying: Surveying, { behind, known, thread, path, signal }: ToGuess): Guess {
  const stretch = behind.then((end) => stretchBehind(surveying, end)).catch(nothing);
  const arriving = stretch.then((of) => of && beginFetch({ ...surveying, signal }, of, path)).catch(nothing);
  const fetched = arriving
    .then((file) => file?.upTo(Infinity))
    .then(
      (bytes) => bytes !== undefined,
      () => false,
    );
  const survey = async () => {
    await using file = await arriving;
    const [of, from] = [await stretch, await known];
    const assumed = of && from && behindKnown(from, of.start);
    if (file === undefined || of === undefined || assumed === undefined) return undefined;
    const watching = { signal, arrived: file.upTo };
    const alone = await thread.survey(toSurvey(surveying, assumed, of, path), watching);
    return alone && { assumed, alone };
  };
  const found = survey().catch(nothing).finally(thread.release);
  return { path, stretch, fetched, found };
}

/** From the last line end before `end` on. */
async function stretchBehind(surveying: Surveying, end: number | undefined): Promise<Stretch | undefined> {
  const { objects, plain } = surveying;
  if (end === undefined || end >= endOf(plain)) return undefined;
  const from = Math.max(0, end - TAIL_BYTES);
  const tail = await bytesIn((start = 0, to = end) => bytesOf(objects, plain, { start, end: to }), from, end);
  const start = from + tail.lastIndexOf(LF) + 1;
  return start === from ? undefined : { start, end: Math.min(endOf(plain), start + chunkBytes(surveying, start)) };
}

/** What a survey of this stretch is told. */
export function toSurvey(
  { plain, options, limits, reading, leave }: Surveying,
  before: Surveyed | undefined,
  { start, end }: Stretch,
  path: string,
): ToSurvey {
  const aheadPath = leave && rowsBeside(path);
  const { within, size } = plain;
  const text = { size, end: endOf(plain), skipped: within === undefined ? plain.start : 0, lines: within?.lines ?? 0 };
  return { text, options, limits, reading, before, start, end, path, aheadPath };
}

/** The beginning of the file, which shows its header, or keys of it; undefined where it cannot be read by itself. */
export async function surveyHead(surveying: Surveying): Promise<Surveyed | undefined> {
  const { plain, workDir, signal } = surveying;
  const start = plain.within?.start ?? 0;
  const stretch = { start, end: Math.min(endOf(plain), start + HEAD_BYTES) };
  const path = join(workDir, 'known');
  try {
    await fetchStretch(surveying, stretch, path);
    const of = toSurvey({ ...surveying, leave: undefined }, undefined, stretch, path);
    return await surveyChunk(of, { signal, arrived: async () => Infinity });
  } catch {
    return undefined;
  }
}
