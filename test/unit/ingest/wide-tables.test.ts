import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRows, sliceBounds } from '../../../lib/ingest/csv/slices.ts';
import { withEngine } from '../../../lib/ingest/engine/engine.ts';
import { mergeColumns } from '../../../lib/ingest/parquet/merge.ts';
import { defaultReadLimits } from '../../../lib/ingest/reading/types.ts';
import { SLICE_COLUMNS } from '../../../lib/ingest/typing/relation.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { readChunked } from './chunks/read-chunked.ts';
import { readBack } from './world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-wide-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('slices of a wide CSV', () => {
  const columns = SLICE_COLUMNS + 2;
  const cell = fc.constantFrom(
    '',
    '1',
    '"a,b"',
    '"say ""no"""',
    '"two\nlines"',
    '""',
    'é',
    '" x"',
    '\ufeff',
    '"\ufeff"',
  );

  it('hold the values of all rows, in their order and their columns', async () => {
    await withEngine({ workDir: folder, limits: defaultReadLimits }, async (engine) => {
      const rows = fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(rows, fc.boolean(), fc.boolean(), async (drawn, hasHeader, endsOpen) => {
          const table = drawn.map((cells) => Array.from({ length: columns }, (_, at) => cells[(at * 7 + 3) % 4] ?? ''));
          const header = hasHeader ? [Array.from({ length: columns }, (_, at) => `"n,${at}"`)] : [];
          const text = [...header, ...table].map((cells) => cells.join(',')).join('\n');
          const path = join(folder, 'wide.csv');
          await writeFile(path, `\ufeff${text}${endsOpen ? '' : '\n'}`);
          const shape = { path, delimiter: ',', columns, longestRecord: 10_000, newline: 'lf' } as const;
          const file = {
            ...shape,
            header: hasHeader ? 'header' : 'no header',
            quotedNewlines: 'quoted newlines',
          } as const;
          const sliced = await csvRows(file, { workDir: folder });
          expect(sliced.map(({ first }) => first)).toEqual(sliceBounds(columns).slice(0, -1));
          const read = await Promise.all(sliced.map(({ from }) => engine.texts(`SELECT * FROM ${from}`)));
          const value = (raw: string) => (raw === '' ? null : raw.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'));
          expect(table.map((_, row) => read.flatMap((slice) => slice[row]))).toEqual(
            table.map((cells) => cells.map(value)),
          );
        }),
        { numRuns: 15 },
      );
    });
  });
});

describe('Parquet files that are merged', () => {
  it('are one file with the columns of all, nested ones too, in every row group', async () => {
    await withEngine({ workDir: folder, limits: defaultReadLimits }, async (engine) => {
      const [one, two, all] = ['one', 'two', 'all'].map((name) => join(folder, `${name}.parquet`));
      const write = (columns: string, to = '') =>
        engine.run(`COPY (SELECT ${columns} FROM range(5000) t(i)) TO '${to}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
      await write(`i AS a, 'x' || i AS "b""q", [i, i + 1] AS l, NULL::INT AS n`, one);
      await write(`{'s': i, 't': 'é'} AS s, i / 3 AS d, i % 7 = 0 AS z, DATE '2020-01-01' + i::INT AS dt`, two);
      await mergeColumns([one!, two!], all!);
      const held = `a = s.s AND l[2] = a + 1 AND "b""q" = 'x' || a AND d = a / 3 AND z = (a % 7 = 0) AND n IS NULL
        AND dt = DATE '2020-01-01' + a::INT AND s.t = 'é'`;
      expect(await engine.row(`SELECT count(*) AS "all", count(*) FILTER (${held}) AS held FROM '${all}'`)).toEqual({
        all: '5000',
        held: '5000',
      });
      // By the statistics of a row group in the middle.
      expect(await engine.row(`SELECT max(s.s) AS s FROM '${all}' WHERE a = 3000 AND dt > DATE '2020-01-01'`)).toEqual({
        s: '3000',
      });
    });
  });

  it('are refused where their rows are not the same', async () => {
    await withEngine({ workDir: folder, limits: defaultReadLimits }, async (engine) => {
      const [one, two] = ['short', 'long'].map((name) => join(folder, `${name}.parquet`));
      await engine.run(`COPY (SELECT 1 AS a) TO '${one}' (FORMAT parquet)`);
      await engine.run(`COPY (SELECT 2 AS b FROM range(2)) TO '${two}' (FORMAT parquet)`);
      await expect(mergeColumns([one!, two!], join(folder, 'none.parquet'))).rejects.toThrow(TypeError);
    });
  });
});

describe('a table of more columns than a slice', () => {
  const columns = SLICE_COLUMNS + 44;
  /** Types by turns, and one value that widens its column, far to the right. */
  const value = (row: number, column: number): string => {
    if (column === columns - 1) return row === 2 ? 'n/a' : String(row);
    return (
      [String(row + column), `${row}.5`, `w${row}`, `2024-01-1${row}`, row % 2 === 0 ? 'true' : 'false'][column % 5] ??
      ''
    );
  };
  const lines = [0, 1, 2, 3, 4].map((row) => Array.from({ length: columns }, (_, column) => value(row, column)));
  const header = Array.from({ length: columns }, (_, column) => `c_${column}`);

  it('has the types, values, warnings and rejects that narrow ones have', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 'wide.csv', [header, ...lines].map((row) => row.join(',')).join('\n'));
    expect(job.error).toBeUndefined();
    const { wide } = await app.tables(dataset);
    expect(wide.columnCount).toBe(columns);
    const types = wide.columns.map(({ type }: { type: string }) => type);
    const turn = ['BIGINT', 'DECIMAL(18,1)', 'VARCHAR', 'DATE', 'BOOLEAN'];
    expect(types).toEqual(header.map((_, at) => (at === columns - 1 ? 'VARCHAR' : turn[at % 5])));
    const last = `c_${columns - 1}`;
    expect(wide.warnings).toMatchObject([{ code: 'TYPE_WIDENED', column: last, row: 3, example: 'n/a' }]);
    expect(job.result.tables[0].rejects).toMatchObject({ total: 1 });
    expect(wide.columns.at(-2).profile).toMatchObject({ nulls: 0, distinct: 5, min: '2024-01-10' });
    const sql = `SELECT c_0, c_257 AS "c257", "${last}" AS last FROM wide WHERE c_255 >= 0 ORDER BY c_0`;
    const { body } = await app.query(dataset, sql);
    expect(body.rows).toHaveLength(5);
    expect(body.rows[2]).toEqual([2, 'w2', 'n/a']);
  });

  it('is the same where it is read in chunks', async () => {
    const text = [header, ...lines].map((row) => row.join(',')).join('\n');
    const [whole, chunked] = [
      await readBack('wide.csv', text),
      await readChunked('csv', text, { chunkBytes: 2 * lines[0]!.join(',').length }),
    ];
    expect(chunked.parts.length).toBeGreaterThan(2);
    const { schema, rows, rowCount, warnings, rejects } = whole;
    expect(chunked).toMatchObject({ schema, rows, rowCount, warnings, rejects });
  });
});
