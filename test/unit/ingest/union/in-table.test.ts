// Rows of a file stand under the columns of all files, whatever number of statements these take.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csvRows } from '../../../../lib/ingest/csv/slices.ts';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { namesOf, rowsInTable } from '../../../../lib/ingest/union/in-table.ts';
import { inFolder } from '../world.ts';

const COLUMNS = 300;
const COUNT = 401;

it('a wide file in the columns of a wider table, and its name behind them', async () => {
  await inFolder(async (workDir) => {
    const path = join(workDir, 'wide.csv');
    const line = (row: number) => Array.from({ length: COLUMNS }, (_, at) => `${row}.${at}`).join();
    await writeFile(path, `${line(1)}\n${line(2)}\n`);
    const shape = { delimiter: ',', longestRecord: 3000, quotedNewlines: 'lines', header: 'no header' } as const;
    const rows = await csvRows({ ...shape, path, columns: COLUMNS, newline: 'lf' }, { workDir });
    expect(rows).toHaveLength(2);
    const places = Array.from({ length: COLUMNS }, (_, at) => (at * 7) % COUNT);
    const found = await withEngine({ workDir, limits: defaultReadLimits }, async (engine) => {
      const slices: (string | null)[][][] = [];
      for (const slice of rowsInTable(rows, { places, count: COUNT, file: "it's.csv" })) {
        const columns = Array.from({ length: slice.columns }, (_, at) => `c${slice.first + at}`);
        slices.push(await engine.texts(`SELECT ${columns.join(', ')} FROM ${slice.from}`));
      }
      return [0, 1].map((row) => slices.flatMap((slice) => slice[row] ?? []));
    });
    const wanted = (row: number) => {
      const cells = Array.from({ length: COUNT + 1 }, (): string | null => null);
      for (const [at, place] of places.entries()) cells[place] = `${row}.${at}`;
      cells[COUNT] = "it's.csv";
      return cells;
    };
    expect(found).toEqual([wanted(1), wanted(2)]);
  });
});

it('a file that has all columns in their order is read as it is', () => {
  const rows = [{ from: 'x', first: 0, columns: 2 }];
  expect(rowsInTable(rows, { places: [0, 1], count: 2 })).toBe(rows);
  expect(rowsInTable(rows, { places: [1, 0], count: 2 })).not.toBe(rows);
  expect(rowsInTable(rows, { places: [0, 1], count: 2, file: 'f' })).not.toBe(rows);
});

it('names go together without regard to the case of ASCII letters, up to a limit', () => {
  const files = [
    [{ name: 'a' }, { name: 'É' }],
    [{ name: 'é' }, { name: 'A' }],
  ];
  expect(namesOf(files, 3)).toEqual({
    names: ['a', 'É', 'é'],
    places: [
      [0, 1],
      [2, 0],
    ],
  });
  expect(() => namesOf(files, 2)).toThrow('3 columns together');
});
