// What a chunk says of itself alone, put behind those before it, is what it says when it is surveyed behind them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { behindKnown, surveyedBehind } from '../../../../lib/ingest/chunks/behind.ts';
import { type Reading, surveyChunk, type Surveyed } from '../../../../lib/ingest/chunks/survey-chunk.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../world.ts';

const watching = { signal: new AbortController().signal, arrived: async () => Infinity };

interface Text {
  readonly bytes: Buffer;
  readonly reading: Reading;
  readonly rejects: boolean;
  readonly maxColumns: number;
}

/** Surveys a stretch of a text behind `before`; undefined where that is refused. */
const survey = ({ bytes, reading, rejects, maxColumns }: Text, before: Surveyed | undefined, end: number) =>
  inFolder(async (folder) => {
    const path = join(folder, 'chunk');
    const start = before?.end ?? 0;
    await writeFile(path, bytes.subarray(start, end));
    const text = { size: bytes.length, end: bytes.length, skipped: 0, lines: 0 };
    const limits = { ...defaultReadLimits, maxColumns };
    const options = rejects ? ({ onBadRecord: 'reject' } as const) : {};
    const of = { text, limits, options, reading, before, path, start, end, aheadPath: `${path}.csv` };
    return surveyChunk(of, watching).catch(() => undefined);
  });

/** True where the chunk behind a part of the text, surveyed alone, told what it says; it never tells anything else. */
async function compare(text: Text, part: number, knownPart: number): Promise<boolean> {
  const { bytes, maxColumns } = text;
  const before = await survey(text, undefined, Math.round(part * bytes.length));
  const known = await survey(text, undefined, Math.round(knownPart * part * bytes.length));
  const assumed = before && known && behindKnown(known, before.end);
  if (before === undefined || assumed === undefined) return false;
  const alone = await survey(text, assumed, bytes.length);
  const behind = alone && surveyedBehind(before, { assumed, alone, maxColumns });
  if (behind === undefined) return false;
  const told = await survey(text, before, bytes.length);
  if (told?.json !== undefined) Object.assign(told.json, { flat: behind.json?.flat });
  expect(behind).toEqual(told);
  return true;
}

const parts = fc.record({
  part: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  knownPart: fc.double({ min: 0.1, max: 1, noNaN: true }),
  rejects: fc.boolean(),
  maxColumns: fc.constantFrom(6, 10_000),
});
const lineEnd = fc.constantFrom('\n', '\r\n');

async function share(texts: fc.Arbitrary<{ text: string; reading: Reading }>): Promise<number> {
  let [runs, told] = [0, 0];
  await fc.assert(
    fc.asyncProperty(texts, parts, async ({ text, reading }, { part, knownPart, rejects, maxColumns }) => {
      runs++;
      if (await compare({ bytes: Buffer.from(text), reading, rejects, maxColumns }, part, knownPart)) told++;
    }),
    { numRuns: 100 },
  );
  return told / runs;
}

describe('a chunk put behind those before it', () => {
  it('of CSV', async () => {
    const cell = fc.constantFrom('1', '2.50', '', 'x', '""', 'é', '"a, b"', '"a ""b"', '"a\nb"', 'a"b', 'a\rb');
    const odd = fc.constantFrom('', '"x"y', 'a,b,c,d,e,f', '1,2,3,4', '\r', '""');
    const record = fc.array(cell, { minLength: 2, maxLength: 3 }).map((cells) => cells.join(','));
    const line = fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: odd });
    const texts = fc.record({
      lines: fc.array(line, { minLength: 4, maxLength: 20 }),
      end: lineEnd,
      headerRow: fc.constantFrom(undefined, 0, 1, 2),
      quoting: fc.constantFrom('rfc4180' as const, 'none' as const),
    });
    const files = texts.map(({ lines, end, headerRow, quoting }) => ({
      text: `h,i,j${end}${lines.join(end)}${end}`,
      reading: {
        ...{ kind: 'csv' as const, headerRow, nullWords: [] },
        dialect: { delimiter: ',', newline: 'lf' as const, quoting },
      },
    }));
    expect(await share(files)).toBeGreaterThan(0.2);
  });

  it('of NDJSON', async () => {
    const value = fc.constantFrom('1', '2.50', '"x"', '"é"', 'null', 'true', '[1,2]', '{"k":"\\n"}');
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', '\\u0061');
    const object = fc
      .array(fc.tuple(key, value), { maxLength: 4 })
      .map((members) => `{${members.map(([name, of]) => `"${name}": ${of}`).join(', ')}}`);
    const odd = fc.constantFrom('', '  ', '3', '{"a":1} x', '{"a":');
    const line = fc.oneof({ weight: 20, arbitrary: object }, { weight: 1, arbitrary: odd });
    const texts = fc.record({ lines: fc.array(line, { minLength: 4, maxLength: 20 }), end: lineEnd });
    const files = texts.map(({ lines, end }) => ({
      text: `${lines.join(end)}${end}`,
      reading: { kind: 'json' as const, format: 'ndjson' as const },
    }));
    expect(await share(files)).toBeGreaterThan(0.1);
  });

  /** Of a text in two parts, of which it takes `known` bytes to know how it is read. */
  const inTwo = async (reading: Reading, [first, second]: readonly [string, string], known: number) => {
    const text = { bytes: Buffer.from(first + second), reading, rejects: false, maxColumns: 9 };
    const before = await survey(text, undefined, first.length);
    const head = await survey(text, undefined, known);
    const assumed = before && head && behindKnown(head, before.end);
    const alone = assumed && (await survey(text, assumed, text.bytes.length));
    if (before === undefined || assumed === undefined || alone === undefined) throw new Error('no chunk');
    return surveyedBehind(before, { assumed, alone, maxColumns: 9 });
  };
  const ndjson = { kind: 'json', format: 'ndjson' } as const;
  const csv = {
    ...{ kind: 'csv' as const, nullWords: [] },
    dialect: { delimiter: ',', newline: 'lf' as const, quoting: 'rfc4180' as const },
  };

  it('counts rows from 1 where none stands before it', async () => {
    const behind = await inTwo(csv, ['a,b\n', '\n1,2\n'], 4);
    expect(behind?.csv?.tally).toMatchObject({ rows: 1, notes: { blankLines: { row: 1 } } });
  });

  it('is not told where it assumed keys that no record before it has', async () => {
    const parts = ['{"a":1}\n', '{"c":1}\n{"b":1}\n'] as const;
    expect(await inTwo(ndjson, parts, 24)).toBeUndefined();
    expect((await inTwo(ndjson, parts, 8))?.json?.keys.map(({ key }) => key)).toEqual(['a', 'c', 'b']);
  });

  it('has rows that were written with it where their columns are in the order of the file', async () => {
    const first = '{"a":1}\n{"a":1,"b":2,"c":3}\n';
    const flatOf = async (second: string) => (await inTwo(ndjson, [first, second], 8))?.json?.flat;
    expect(await flatOf('{"a":1,"b":2,"c":3}\n')).toMatchObject({ columns: 3, rows: 1 });
    expect(await flatOf('{"a":1,"c":2,"b":3}\n')).toBeUndefined();
  });

  it('is not told where the other ends elsewhere, or has no header yet', async () => {
    const reading = {
      ...{ kind: 'csv' as const, headerRow: 2, nullWords: [] },
      dialect: { delimiter: ',', newline: 'lf' as const, quoting: 'rfc4180' as const },
    };
    const text = { bytes: Buffer.from('by hand\na,b\n1,2\n3,4\n'), reading, rejects: false, maxColumns: 9 };
    const [title, header] = [await survey(text, undefined, 8), await survey(text, undefined, 12)];
    if (title === undefined || header === undefined) throw new Error('no chunks');
    expect(behindKnown(title, 8)).toBeUndefined();
    const assumed = behindKnown(header, 16);
    const alone = assumed && (await survey(text, assumed, 20));
    if (assumed === undefined || alone === undefined) throw new Error('no chunk');
    const behind = (before: Surveyed) => surveyedBehind(before, { assumed, alone, maxColumns: 9 });
    expect(behind(header)).toBeUndefined();
    expect(behind({ ...title, end: 16 })).toBeUndefined();
    expect(behind({ ...header, end: 16 })).toMatchObject({ start: 16, rows: 1 });
  });
});
