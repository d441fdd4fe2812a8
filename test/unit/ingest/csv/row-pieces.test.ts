import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddQuotes } from '../../../../lib/ingest/csv/odd-quotes.ts';
import { rowPieces } from '../../../../lib/ingest/csv/row-pieces.ts';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../world.ts';

const MARK = '\ufeff';

describe('quotes', () => {
  it('are counted as they are one by one, wherever the bytes begin and end', () => {
    const byte = fc.constantFrom(34, 34, 0, 33, 35, 0x22 ^ 0x80, 0xff, 65);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(40), fc.nat(40), fc.nat(7), (drawn, one, other, shift) => {
        const bytes = Buffer.alloc(drawn.length + shift).subarray(shift);
        bytes.set(drawn);
        const [from, to] = [one, other].map((at) => Math.min(at, drawn.length)).sort((a, b) => a - b) as [
          number,
          number,
        ];
        const count = drawn.slice(from, to).filter((each) => each === 34).length;
        expect(oddQuotes(bytes, from, to)).toBe(count % 2 === 1);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('rows in pieces', () => {
  const cell = fc.constantFrom('', '1', 'ab', '"x\ny"', '"\n"', '"a ""b"""', '""', '"é,\r\n"', '"\n\n\n\n\n\n"');

  it('are all of them in their order, each piece to the end of a row', async () => {
    await inFolder(async (folder) => {
      const row = fc.array(cell, { minLength: 2, maxLength: 3 }).map((cells) => `${cells.join(',')}\n`);
      const drawn = fc.record({
        rows: fc.array(row, { minLength: 1, maxLength: 12 }),
        hasHeader: fc.boolean(),
        hasMark: fc.boolean(),
        endsOpen: fc.boolean(),
        pieceBytes: fc.integer({ min: 1, max: 40 }),
        blockBytes: fc.integer({ min: 3, max: 40 }),
      });
      await fc.assert(
        fc.asyncProperty(drawn, async ({ rows, hasHeader, hasMark, endsOpen, pieceBytes, blockBytes }) => {
          const text = rows.join('').slice(0, endsOpen ? -1 : undefined);
          const path = join(folder, 'rows.csv');
          await writeFile(path, `${hasMark ? MARK : ''}${hasHeader ? 'a,b,c\n' : ''}${text}`);
          const header = hasHeader ? 'header' : 'no header';
          const shape = { path, delimiter: ',', columns: 3, longestRecord: 40, header, newline: 'lf' } as const;
          const file = { ...shape, quotedNewlines: 'quoted newlines' } as const;
          const into = { path: join(folder, 'piece'), pieceBytes, blockBytes };
          const { pieces, header: left } = await rowPieces(file, into);
          const read = await Promise.all(pieces.paths.map((each) => readFile(each, 'utf8')));
          const texts = read.map((each) => each.slice(MARK.length));
          expect(read.every((each) => each.startsWith(MARK))).toBe(true);
          expect(left).toBe('no header');
          expect(texts.join('')).toBe(text);
          const ends = rows.map((_, place) => rows.slice(0, place + 1).join('').length);
          let end = 0;
          for (const piece of texts.slice(0, -1)) {
            end += piece.length;
            expect(ends).toContain(end);
            expect(Buffer.byteLength(piece)).toBeGreaterThanOrEqual(pieceBytes);
          }
          expect(pieces.largest).toBe(Math.max(...texts.map((each) => Buffer.byteLength(each))));
        }),
        { numRuns: 300 },
      );
    });
  });

  it('are read in less memory than they have bytes, in their order, by two threads as by one', async () => {
    const rows = 700_000;
    function* lines() {
      yield 'id,note\n';
      for (let first = 0; first < rows; first += 10_000)
        yield Array.from(
          { length: 10_000 },
          (_, at) => `${first + at},"one of ${first + at}\r\nand ""two"", and\nsome more of it that takes room"\n`,
        ).join('');
    }
    await inFolder(async (folder) => {
      const path = join(folder, 'upload');
      await pipeline(Readable.from(lines()), createWriteStream(path));
      for (const engineThreads of [1, 2]) {
        const workDir = await mkdtemp(join(folder, 'work-'));
        const limits = { ...defaultReadLimits, engineMemoryBytes: engineThreads * 40 * 2 ** 20, engineThreads };
        const { parquetPath, rowCount } = await readTable({ path, name: 'notes.csv', workDir, limits });
        expect(rowCount).toBe(rows);
        const note = `'one of ' || id || chr(13) || chr(10) || 'and "two", and' || chr(10) || 'some more of it that takes room'`;
        const sql = `SELECT count(*) FILTER (file_row_number = id AND note = ${note}) AS held FROM read_parquet(${literal(parquetPath)}, file_row_number = true)`;
        const { held } = await withEngine({ workDir, limits: defaultReadLimits }, (engine) => engine.row(sql));
        expect(Number(held)).toBe(rows);
      }
    });
  }, 60_000);
});
