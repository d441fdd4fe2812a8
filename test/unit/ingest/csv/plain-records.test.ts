// Records that are passed over together are counted as they are one by one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../../lib/ingest/csv/records.ts';
import { tallyRecords } from '../../../../lib/ingest/csv/survey.ts';
import { freshTally } from '../../../../lib/ingest/csv/tally.ts';
import { inFolder } from '../world.ts';

type Way = 'together' | 'one by one';

interface Asked {
  readonly dialect: Dialect;
  readonly onBadRecord?: 'reject' | undefined;
  readonly maxCellBytes?: number;
}

/** All that is counted, or what was thrown, and how many records were looked at by themselves. */
const counted = (content: string | Buffer, { dialect, ...bounds }: Asked, way: Way) =>
  inFolder(async (folder) => {
    const path = join(folder, 'in');
    await writeFile(path, content);
    const source = { path, start: 0, size: content.length, maxRecordBytes: 1 << 20, maxColumns: 6, maxBytes: 1e9 };
    const tally = freshTally();
    const left: unknown[] = [];
    let offered = 0;
    const sample = {
      offer: () => offered++,
      ...(way === 'together' && { restsUntil: () => Infinity }),
    };
    const end = await tallyRecords({
      ...{ source: { ...source, ...bounds }, dialect, tally, sample },
      leftOut: (why, bytes, from, to, offset) => left.push([why, bytes.toString('utf8', from, to), offset]),
    }).catch((thrown: unknown) => thrown);
    return { found: { end, tally, left }, offered };
  });

const plain = fc.constantFrom('', 'x', '12.5', 'Köln', 'a longer text of some twenty', '😀');
const awkward = fc.constantFrom(
  '"',
  'a"b',
  '"a"b',
  '"open',
  '\r',
  'a\rb',
  '"a\rb"',
  '"a\nb"',
  '"a\r\nb"',
  '""',
  '"a""b"',
  '""""',
);
const quoted = fc.constantFrom('"x"', '""', '"a, b"', '"say ""hi"" to all that come"', '"two\nlines"');
const fields = fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: quoted });
const rows = fc.oneof(
  { weight: 40, arbitrary: fc.array(fields, { minLength: 3, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(fields, awkward), { minLength: 3, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fields, { minLength: 1, maxLength: 8 }) },
);
const dialects = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  newline: fc.constantFrom('lf', 'lf', 'cr'),
  quoting: fc.constantFrom('rfc4180', 'rfc4180', 'none'),
}) as fc.Arbitrary<Dialect>;

describe('plain records', () => {
  it('are counted, and refused, as one by one', async () => {
    const files = fc.record({
      some: fc.array(rows, { minLength: 10, maxLength: 40 }),
      lineEnd: fc.constantFrom('\n', '\n', '\r\n', '\r'),
      dialect: dialects,
      onBadRecord: fc.constantFrom(undefined, 'reject' as const),
      maxCellBytes: fc.constantFrom(32, 64, 1 << 20),
      isWhole: fc.boolean(),
      width: fc.constantFrom(1, 3, 3),
    });
    let together = 0;
    await fc.assert(
      fc.asyncProperty(files, async ({ some, lineEnd, isWhole, width, ...asked }) => {
        const wide = width === 3 ? some : some.map((row) => row.slice(0, Math.max(1, row.length - 2)));
        const header = ['a', 'b', 'c'].slice(0, width);
        const lines = [header, ...wide].map((row) => row.join(asked.dialect.delimiter));
        const content = lines.join(lineEnd) + (isWhole ? lineEnd : '');
        const expected = await counted(content, asked, 'one by one');
        const actual = await counted(content, asked, 'together');
        expect(actual.found).toEqual(expected.found);
        together += expected.offered - actual.offered;
      }),
      { numRuns: 300 },
    );
    expect(together).toBeGreaterThan(1000);
  });

  it.each([
    ['LF', 'a,b,c\n', '1,"two, or ""three""",\n'],
    ['CRLF', 'a,b,c\r\n', '1,"",x\r\n'],
  ])('are nearly all records of a large file: %s', async (_, header, row) => {
    const content = header + row.repeat(200_000);
    const asked = { dialect: { delimiter: ',', newline: 'lf', quoting: 'rfc4180' } } as const;
    const actual = await counted(content, asked, 'together');
    expect(actual.found.tally.rows).toBe(200_000);
    expect(actual.offered).toBeLessThan(100);
    expect(actual.found).toEqual((await counted(content, asked, 'one by one')).found);
  });

  it('leaves each record that is cut off by the end of what is at hand, and goes on behind it', async () => {
    const long = `1,${'x'.repeat(100_000)},y\n`;
    const content = `a,b,c\n${`${long}1,2,3\n`.repeat(40)}`;
    const asked = { dialect: { delimiter: ',', newline: 'lf', quoting: 'rfc4180' } } as const;
    expect((await counted(content, asked, 'together')).found).toEqual(
      (await counted(content, asked, 'one by one')).found,
    );
  });
});
