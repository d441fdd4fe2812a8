// Chunks that are surveyed in other threads while the one before them is read: each begins where a line does, near the place where that one
// is to end. A guess counts only where that one did end there, and what was found is told without doubt; else the chunk is surveyed in its
// turn. What comes of it is the same, whichever way.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { surveyedBehind } from './behind.ts';
import { beginGuess, type Guess, surveyHead } from './guess.ts';
import { eachPiece } from './local-bytes.ts';
import { endOf, rowsBeside, type Stretch } from './plain.ts';
import type { Surveyed } from './survey-chunk.ts';
import type { SurveyThreads } from './survey-threads.ts';
import type { LocalChunk, Surveying } from './surveying.ts';

export interface Guesses extends AsyncDisposable {
  /** Begins to survey what stands behind a stretch that is read behind `before`. */
  readonly begin: (before: Surveyed | undefined, stretch: Stretch) => void;
  /** The chunk behind `before`, where it was guessed. */
  readonly take: (before: Surveyed) => Promise<LocalChunk | undefined>;
}

/** Guesses that may go wrong before as many were right: a text with many line ends inside of records is read in its order. */
const PATIENCE = 2;

/** Of a JSON array nobody knows what stands where. */
const hasLines = ({ reading }: Surveying): boolean => reading.kind === 'csv' || reading.format === 'ndjson';

/** Undefined where nothing is surveyed side by side. */
export function guessesFor(surveying: Surveying, threads: SurveyThreads | undefined): Guesses | undefined {
  const { plain, limits, workDir, hash, leave, signal } = surveying;
  if (threads === undefined || limits.chunksAtOnce <= 1 || !hasLines(surveying)) return undefined;
  let given = new AbortController();
  let open: Guess[] = [];
  let [made, luck] = [0, PATIENCE];

  const drop = async (guesses: readonly Guess[]): Promise<void> => {
    given.abort();
    given = new AbortController();
    for (const { path, found, fetched } of guesses) {
      await Promise.all([found, fetched]);
      for (const each of [path, rowsBeside(path)]) await rm(each, { force: true });
    }
  };
  const begin: Guesses['begin'] = (before, { end }) => {
    if (open.length > 0 || luck <= 0 || end >= endOf(plain)) return;
    const stops = AbortSignal.any([signal, given.signal]);
    let known: Promise<Surveyed | undefined> | undefined = before && Promise.resolve(before);
    let behind: Promise<number | undefined> = Promise.resolve(end);
    while (open.length < limits.chunksAtOnce - 1) {
      const thread = threads.take();
      if (thread === undefined) return;
      known ??= surveyHead({ ...surveying, signal: stops });
      const path = join(workDir, `ahead-${made++}`);
      const guess = beginGuess(surveying, { behind, known, thread, path, signal: stops });
      behind = guess.stretch.then((of) => of?.end);
      open.push(guess);
    }
  };
  /** The hash goes on with the bytes, wherever the chunk ends; with those of the last one, which stay on the disk, when there is time. */
  const hashed = async ({ path, fetched }: Guess, { start, end }: Stretch): Promise<void> => {
    const isLast = leave !== undefined && !hash.inBlocks && end >= endOf(plain);
    if ((await fetched) && !isLast) await eachPiece(path, (bytes, at) => hash.add(bytes, start + at));
  };
  const take: Guesses['take'] = async (before) => {
    const [guess, ...others] = open;
    open = others;
    const of = await guess?.stretch;
    if (guess === undefined || of === undefined) return undefined;
    const isRight = of.start === before.end;
    const [found] = isRight ? await Promise.all([guess.found, hashed(guess, of)]) : [];
    const surveyed = found && surveyedBehind(before, { ...found, maxColumns: limits.maxColumns });
    luck += surveyed === undefined ? -1 : 1;
    if (surveyed !== undefined) return { surveyed, path: guess.path, start: of.start };
    open = [];
    await drop([guess, ...others]);
    return undefined;
  };
  return { begin, take, [Symbol.asyncDispose]: () => drop(open.splice(0)) };
}
