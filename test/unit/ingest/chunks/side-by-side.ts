// Surveys a text chunk by chunk, with chunks behind guessed or without, and answers what each chunk says of the file.
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../../lib/core/fault.ts';
import { guessesFor } from '../../../../lib/ingest/chunks/guesses.ts';
import { hashLast, surveyNext } from '../../../../lib/ingest/chunks/survey.ts';
import { type Reading, surveyChunk, type Surveyed } from '../../../../lib/ingest/chunks/survey-chunk.ts';
import type { SurveyThreads } from '../../../../lib/ingest/chunks/survey-threads.ts';
import { textHash } from '../../../../lib/ingest/chunks/text-hash.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { defaultReadLimits, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { inFolder } from '../world.ts';

/** What threads do, in this one. `found` counts the chunks that they could survey. */
export function threadsHere(most: number) {
  let [free, found] = [most, 0];
  const threads: SurveyThreads = {
    take: () => {
      if (free === 0) return undefined;
      free--;
      return {
        survey: async (of, watching) => {
          const surveyed = await surveyChunk(structuredClone(of), watching).catch(() => undefined);
          if (surveyed !== undefined) found++;
          return structuredClone(surveyed);
        },
        release: () => {
          free++;
        },
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { threads, found: () => found, free: () => free };
}

export interface Text {
  readonly content: string | Uint8Array;
  readonly reading: Reading;
  readonly limits: Partial<ReadLimits>;
  readonly options?: ReadOptions;
  /** Of the hash. */
  readonly blockBytes?: number;
}

export interface SurveyedAll {
  readonly chunks: readonly Surveyed[];
  /** Files of chunks that pass two finds. */
  readonly left: readonly string[];
  /** Chunks that were guessed rightly. */
  readonly guessed: number;
  readonly hash: string | undefined;
  readonly fault?: Pick<Fault, 'code' | 'detail' | 'extra'>;
}

const BLOCK_BYTES = 16;

export const surveyAll = (
  { content, reading, limits: own, options = {}, blockBytes = BLOCK_BYTES }: Text,
  threads?: SurveyThreads,
) =>
  inFolder(async (outer): Promise<SurveyedAll> => {
    const workDir = await mkdtemp(join(outer, 'work-'));
    const leave = join(outer, 'left');
    await mkdir(leave);
    const objects = createMemoryObjects();
    const bytes = Buffer.from(content);
    await objects.putOnce('source', bytes);
    const plain = { pieces: [{ key: 'source', bytes: bytes.length }], start: 0, size: bytes.length };
    const { signal } = new AbortController();
    const limits = { ...defaultReadLimits, ...own };
    const hash = textHash(blockBytes);
    const surveying = { objects, plain, signal, options, limits, reading, workDir, leave, hash };
    await using guesses = guessesFor(surveying, threads);
    const chunks: Surveyed[] = [];
    let guessed = 0;
    const counting = guesses && {
      ...guesses,
      take: async (before: Surveyed) => {
        const taken = await guesses.take(before);
        if (taken !== undefined) guessed++;
        return taken;
      },
    };
    try {
      for (let end = 0; end < bytes.length; end = chunks.at(-1)?.end ?? 0) {
        const next = await surveyNext(surveying, chunks.at(-1), counting);
        // As it is kept, and read again.
        chunks.push(JSON.parse(JSON.stringify(next)) as Surveyed);
      }
      const last = chunks.at(-1);
      if (last !== undefined) await hashLast(surveying, last);
      return { chunks, left: await readdir(leave), guessed, hash: hash.end() };
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const { code, detail, extra } = thrown;
      return { chunks, left: [], guessed, hash: undefined, fault: { code, detail, extra } };
    }
  });
