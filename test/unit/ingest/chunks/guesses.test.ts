// Chunks that are surveyed beside each other say of the file what chunks say that are surveyed one after the other.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surveyAll, type SurveyedAll, type Text, threadsHere } from './side-by-side.ts';

const csv = { kind: 'csv', dialect: { delimiter: ',', newline: 'lf', quoting: 'rfc4180' }, nullWords: [] } as const;
const ndjson = { kind: 'json', format: 'ndjson' } as const;

/** Whether rows of JSON could be written with the survey is no matter of what they are. */
const told = ({ chunks, hash, fault }: SurveyedAll) => ({
  ...{ hash, fault },
  chunks: chunks.map(({ json, ...chunk }) => (json === undefined ? chunk : { ...chunk, json: { ...json, flat: 0 } })),
});

/** Answers how many chunks were guessed rightly. */
async function compare(text: Text, atOnce: number): Promise<number> {
  const limits = { ...text.limits, chunksAtOnce: atOnce };
  const { threads, free } = threadsHere(atOnce - 1);
  const beside = await surveyAll({ ...text, limits }, threads);
  const alone = await surveyAll({ ...text, limits });
  expect(told(beside)).toEqual(told(alone));
  if (alone.fault === undefined) {
    const isChunk = (name: string): boolean => !name.endsWith('.csv');
    expect(beside.left.filter(isChunk).sort()).toEqual(alone.left.filter(isChunk).sort());
  }
  expect(free()).toBe(atOnce - 1);
  return beside.guessed;
}

const atOnce = fc.constantFrom(2, 3, 5);
const chunkBytes = fc.integer({ min: 1, max: 80 });
const onBadRecord = fc.constantFrom({}, { onBadRecord: 'reject' } as const);

describe('chunks that are surveyed side by side', () => {
  const cell = fc.constantFrom('1', '2.50', '', 'x', '""', 'é', '"a, b"', '"a ""b"', '"a\nb"', '"c\n\nd,e\n"', 'a"b');
  const odd = fc.constantFrom('', '"x"y', 'a,b,c,d,e,f', '\r', '\u0000', '\xff', '"');
  const record = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
  const records = fc.array(fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: odd }), {
    maxLength: 40,
  });
  const lineEnd = fc.constantFrom('\n', '\r\n');

  it('are those of any CSV, whatever was guessed', async () => {
    const headerRow = fc.constantFrom(undefined, 0, 1, 3);
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.record({ lineEnd, atOnce, chunkBytes, options: onBadRecord, headerRow }),
        async (lines, { lineEnd: end, atOnce: most, options, headerRow: header, ...limits }) => {
          const content = Buffer.from(`h,i,j${end}${lines.join(end)}${end}`, 'latin1');
          const reading = { ...csv, headerRow: header };
          await compare({ content, reading, limits, options }, most);
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);

  const value = fc.constantFrom('1', '2.50', '"x"', '"é"', 'null', 'true', '[1,2]', '{"k":"\\n"}');
  const key = fc.constantFrom('a', 'b', 'c', 'd', '\\u0061');
  const object = fc.array(fc.tuple(key, value), { maxLength: 4 }).map((members) => {
    const written = members.map(([name, of]) => `"${name}": ${of}`);
    return `{${written.join(', ')}}`;
  });
  const line = fc.oneof(
    { weight: 20, arbitrary: object },
    { weight: 1, arbitrary: fc.constantFrom('', '  ', '3', '{"a":1} x', '{"a":') },
  );

  it('are those of any NDJSON, whatever was guessed', async () => {
    const maxColumns = fc.constantFrom(3, 10_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 25 }),
        fc.record({ lineEnd, atOnce, chunkBytes, options: onBadRecord, maxColumns }),
        async (lines, { lineEnd: end, atOnce: most, options, ...limits }) => {
          const content = `${lines.join(end)}${end}`;
          await compare({ content, reading: ndjson, limits, options }, most);
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);

  it('are guessed all but the first where no record has a line end inside', async () => {
    const content = `a,b\n${Array.from({ length: 400 }, (_, n) => `${n},x\n`).join('')}`;
    const limits = { chunkBytes: Math.ceil(content.length / 3.5) };
    expect(await compare({ content, reading: csv, limits }, 4)).toBe(3);
    const lines = Array.from({ length: 400 }, (_, n) => `${JSON.stringify({ n, text: 'xyz' })}\n`).join('');
    expect(await compare({ content: lines, reading: ndjson, limits: { chunkBytes: 3000 } }, 2)).toBe(2);
  });

  it('are hashed as the whole that they are, the last one too, whoever read it', async () => {
    const content = `a,b\n${Array.from({ length: 400 }, (_, n) => `${n},x\n`).join('')}`;
    const { threads } = threadsHere(1);
    const text = { content, reading: csv, limits: { chunkBytes: 700, chunksAtOnce: 2 }, blockBytes: Infinity };
    const { hash, chunks, guessed } = await surveyAll(text, threads);
    expect([chunks.length, guessed]).toEqual([4, 2]);
    expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it('have the rows of JSON that were written with the survey where all have the same keys', async () => {
    const content = Array.from({ length: 400 }, (_, n) => `${JSON.stringify({ n, text: 'x' })}\n`).join('');
    const { threads } = threadsHere(1);
    const { left, chunks } = await surveyAll({ content, reading: ndjson, limits: { chunkBytes: 3000 } }, threads);
    expect(left.filter((name) => name.endsWith('.csv'))).toHaveLength(chunks.length);
  });

  it('are guessed no more where guesses go wrong', async () => {
    const content = `a,b\n${'1,"\n\n\n\n\n\n\n\n\n"\n'.repeat(200)}`;
    const { threads, found } = threadsHere(1);
    const limits = { chunkBytes: 100, chunksAtOnce: 2 };
    const { chunks, guessed } = await surveyAll({ content, reading: csv, limits }, threads);
    expect(chunks.length).toBeGreaterThan(20);
    expect(found()).toBeLessThan(guessed + 4);
  });

  it('are those of a JSON array too, of which none is guessed', async () => {
    const content = `[${Array.from({ length: 50 }, (_, n) => `{"n":${n}}`).join(',\n')}]`;
    const text = { content, reading: { kind: 'json', format: 'json' }, limits: { chunkBytes: 100 } } as const;
    expect(await compare(text, 2)).toBe(0);
  });
});
