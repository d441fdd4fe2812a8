// Pass one over a large text: chunk by chunk, each a stretch of whole records, with what it says of the file kept as it is found. A run
// that dies goes on at the first chunk that is not kept.
import { rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import { beginFetch } from './arriving.ts';
import { chunkBytes } from './chunk-bytes.ts';
import { toSurvey } from './guess.ts';
import type { Guesses } from './guesses.ts';
import { eachPiece } from './local-bytes.ts';
import {
  bytesOf,
  endOf,
  type Fetching,
  fetchStretch,
  type Stretch,
  rowsBeside,
  rowsName,
  stretchName,
} from './plain.ts';
import { surveyChunk, type Surveyed } from './survey-chunk.ts';
import type { LocalChunk, Surveying } from './surveying.ts';
import { catchUp } from './text-hash.ts';

/** Surveys the chunk behind `before`. Faults: those of `readTable` that concern the text. */
export async function surveyNext(
  surveying: Surveying,
  before: Surveyed | undefined,
  guesses?: Guesses,
): Promise<Surveyed> {
  const { plain, limits, workDir } = surveying;
  const start = before?.end ?? plain.within?.start ?? 0;
  await hashUpTo(surveying, start);
  const guessed = before && (await guesses?.take(before));
  if (guessed !== undefined) return leaveChunk(surveying, guessed);
  const path = join(workDir, 'chunk');
  // A record may be longer than a chunk; one that is too long is refused while it is read.
  for (let bytes = chunkBytes(surveying, start); ; bytes = 2 * bytes) {
    const stretch = { start, end: Math.min(endOf(plain), start + bytes) };
    guesses?.begin(before, stretch);
    const surveyed = await surveyHere(surveying, before, stretch, path);
    if (surveyed !== undefined) return leaveChunk(surveying, { surveyed, path, start });
    if (bytes > 2 * limits.maxRecordBytes) throw new Fault('INTERNAL', 'A chunk holds no whole record.');
  }
}

async function surveyHere(surveying: Surveying, before: Surveyed | undefined, stretch: Stretch, path: string) {
  await using arriving = await beginFetch(surveying, stretch, path);
  const { hash, signal } = surveying;
  const watching = { signal, arrived: arriving.upTo, took: hash.add };
  return await surveyChunk(toSurvey(surveying, before, stretch, path), watching);
}

async function leaveChunk({ leave, hash }: Surveying, { surveyed, path, start }: LocalChunk): Promise<Surveyed> {
  const { end, json } = surveyed;
  if (leave === undefined) await rm(path);
  else {
    // DuckDB reads a file to its end. That of a chunk is the end of a record of CSV; what JSON awaits there stands in the next one.
    await truncate(path, end - start);
    if (start === surveyed.start) await rename(path, join(leave, stretchName(surveyed)));
    if (json?.flat !== undefined) await rename(rowsBeside(path), join(leave, rowsName(surveyed)));
    else await rm(rowsBeside(path), { force: true });
  }
  const blocks = hash.blocksIn(surveyed);
  return { ...surveyed, ...(blocks.length > 0 && { blocks }) };
}

/** Whether a chunk was left for pass two. */
export const isLeft = (leave: string, of: Stretch): Promise<boolean> =>
  stat(join(leave, stretchName(of))).then(
    () => true,
    () => false,
  );

/** The bytes of the last chunk, where it is left and was not hashed. */
export async function hashLast({ hash, leave }: Pick<Surveying, 'hash' | 'leave'>, last: Stretch): Promise<void> {
  if (leave === undefined || hash.taken() !== last.start || !(await isLeft(leave, last))) return;
  await eachPiece(join(leave, stretchName(last)), (bytes, at) => hash.add(bytes, last.start + at));
}

/** What an earlier invocation took of the text and did not keep. */
export const hashUpTo = ({ objects, plain, hash, signal }: Pick<Surveying, keyof Fetching | 'hash'>, end: number) =>
  catchUp(hash, (from = 0, to = plain.size) => bytesOf(objects, plain, { start: from, end: to }), end, signal);

/** Fetches a chunk that another invocation surveyed, for the hash, and leaves it for pass two, which would fetch it otherwise. */
export async function takeAgain(surveying: Omit<Surveying, 'reading'>, { start, end }: Stretch): Promise<void> {
  const { hash, leave, workDir } = surveying;
  const path = join(workDir, 'chunk');
  const stretch = { start: Math.min(hash.taken(), start), end };
  await fetchStretch(surveying, stretch, path);
  await eachPiece(path, (bytes, at) => hash.add(bytes, stretch.start + at));
  if (stretch.start === start && leave !== undefined) await rename(path, join(leave, stretchName(stretch)));
}
