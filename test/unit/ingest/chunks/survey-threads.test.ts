import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { surveyChunk, type ToSurvey } from '../../../../lib/ingest/chunks/survey-chunk.ts';
import { createSurveyThreads, type SurveyThread } from '../../../../lib/ingest/chunks/survey-threads.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../world.ts';
import { surveyAll } from './side-by-side.ts';

const entry = new URL('../../../../lib/ingest/chunks/survey-thread.ts', import.meta.url);
const reading = {
  kind: 'csv',
  nullWords: [],
  dialect: { delimiter: ',', newline: 'lf', quoting: 'rfc4180' },
} as const;

const { signal } = new AbortController();
const there = { signal, arrived: async () => Infinity };

function taken(thread: SurveyThread | undefined): SurveyThread {
  if (thread === undefined) throw new Error('no thread is free');
  return thread;
}

const inFile = (content: string, work: (of: ToSurvey) => Promise<void>) =>
  inFolder(async (folder) => {
    const path = join(folder, 'chunk');
    await writeFile(path, content);
    const size = content.length;
    const text = { size, end: size, skipped: 0, lines: 0 };
    const limits = defaultReadLimits;
    await work({ ...{ text, limits, reading, path, start: 0, end: size }, options: {}, before: undefined });
  });

describe('a thread that surveys chunks', () => {
  it('answers what is answered without it, and is taken again', () =>
    inFile('a,b\n1,"x\ny"\n', async (of) => {
      await using threads = createSurveyThreads({ entry, most: 1 });
      for (let turn = 0; turn < 2; turn++) {
        const thread = taken(threads.take());
        expect(threads.take()).toBeUndefined();
        expect(await thread.survey(of, there)).toEqual(await surveyChunk(of, there));
        thread.release();
      }
    }));

  it('waits for what has not arrived', () =>
    inFile('a,b\n1,2\n', async (of) => {
      await using threads = createSurveyThreads({ entry, most: 1 });
      const asked: number[] = [];
      const gate = Promise.withResolvers<number>();
      const waits = Promise.withResolvers<undefined>();
      const arrived = async (bytes: number) => {
        asked.push(bytes);
        waits.resolve(undefined);
        return gate.promise;
      };
      const found = taken(threads.take()).survey(of, { signal, arrived });
      await waits.promise;
      expect(asked).toHaveLength(1);
      gate.resolve(Infinity);
      expect(await found).toMatchObject({ rows: 1 });
      expect(asked).toHaveLength(1);
    }));

  it('finds nothing in what is refused, in what does not arrive, and where it is stopped', () =>
    inFile('a,b\n1,"x', async (of) => {
      await using threads = createSurveyThreads({ entry, most: 1 });
      const thread = taken(threads.take());
      expect(await thread.survey(of, there)).toBeUndefined();
      const arrived = async () => Promise.reject(new Error('gone'));
      expect(await thread.survey(of, { signal, arrived })).toBeUndefined();
      const stop = new AbortController();
      const stopped = thread.survey(of, { signal: stop.signal, arrived: () => new Promise(() => undefined) });
      stop.abort();
      expect(await stopped).toBeUndefined();
      expect(await thread.survey(of, { ...there, signal: AbortSignal.abort() })).toBeUndefined();
    }));

  it('that dies has found nothing, and another takes its place', () =>
    inFile('a,b\n1,2\n', async (of) => {
      const dies = new URL(`data:text/javascript,${encodeURIComponent("throw new Error('dies');")}`);
      await using threads = createSurveyThreads({ entry: dies, most: 1 });
      for (let turn = 0; turn < 2; turn++) {
        const thread = taken(threads.take());
        expect(await thread.survey(of, there)).toBeUndefined();
        thread.release();
      }
    }));

  it('surveys chunks of a text beside those of the caller', async () => {
    await using threads = createSurveyThreads({ entry, most: 1 });
    const content = `a,b\n${Array.from({ length: 400 }, (_, n) => `${n},x\n`).join('')}`;
    const text = { content, reading, limits: { chunkBytes: 700, chunksAtOnce: 2 } };
    const { guessed, ...beside } = await surveyAll(text, threads);
    expect(guessed).toBe(2);
    const { guessed: none, ...alone } = await surveyAll(text);
    expect(none).toBe(0);
    expect(beside).toEqual(alone);
  });
});
