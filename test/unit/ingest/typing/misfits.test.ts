// Values that do not fit a type that is asked for: judged once, found with their places, and left out with their records, however many columns
// and rows there are.
import { describe, expect, it } from 'vitest';
import { type Engine, withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { MOST_REJECTS } from '../../../../lib/ingest/rejects/reject.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { SLICE_COLUMNS, type TextTable } from '../../../../lib/ingest/typing/relation.ts';
import { macros } from '../../../../lib/ingest/typing/rungs.ts';
import { typeTable } from '../../../../lib/ingest/typing/type-table.ts';
import { withoutMisfits } from '../../../../lib/ingest/typing/without-misfits.ts';
import { readChunked } from '../chunks/read-chunked.ts';
import { inFolder, readBack } from '../world.ts';

type OnMisfit = NonNullable<ReadOptions['onMisfit']>;

/** Texts that are asked to be whole numbers; in every second row none is, but where `cell` says otherwise: SQL of row `i`, from 0. */
function tableOf(
  columns: number,
  rows: number,
  onMisfit: OnMisfit,
  cell = (index: number): string => `if(i % 2 = 0, '1', 'x${index}')`,
): TextTable {
  const cells = Array.from({ length: columns }, (_, index) => `${cell(index)} AS c${index}`);
  const all = [{ from: `(SELECT ${cells.join(', ')} FROM range(${rows}) t(i))`, first: 0, columns }];
  return {
    ...{ all, sample: all, sampleIsAll: true, rows, bytes: rows * columns * 2, emptyIsNull: false },
    columns: Array.from({ length: columns }, (_, index) => ({
      ...{ name: `n${index}`, family: 'verbatim' as const },
      forced: { type: 'BIGINT', onMisfit },
    })),
  };
}

interface Watched {
  readonly engine: Engine;
  readonly statements: string[];
}

/** An engine whose statements are written down. */
const watching = <T>(use: (watched: Watched, folder: string) => Promise<T>): Promise<T> =>
  inFolder((workDir) =>
    withEngine({ workDir, limits: defaultReadLimits }, async (engine) => {
      const statements: string[] = [];
      const told =
        <R>(run: (sql: string) => Promise<R>) =>
        (sql: string): Promise<R> => {
          statements.push(sql);
          return run(sql);
        };
      const { rows, row, run, texts, values } = engine;
      const watched = { rows: told(rows), row: told(row), run: told(run), texts: told(texts), values: told(values) };
      return use({ engine: { ...engine, ...watched }, statements }, workDir);
    }),
  );

describe('records that are left out', () => {
  it('are left out of what later statements read, which do not judge them anew', () =>
    watching(async ({ engine }) => {
      await engine.run(macros);
      const [narrow, wide] = [tableOf(2, 4, 'reject'), tableOf(200, 4, 'reject')];
      const beside = async (table: TextTable) => {
        const { table: kept } = await withoutMisfits(engine, table);
        const [one] = kept.all;
        expect(await engine.texts(`SELECT row_number, c0, c1 FROM ${one?.numbered ?? ''}`)).toEqual([
          ['1', '1', '1'],
          ['3', '1', '1'],
        ]);
        return (one?.from.length ?? 0) - (table.all[0]?.from.length ?? 0);
      };
      expect(await beside(wide)).toBe(await beside(narrow));
    }));

  it('are those of the rows, though several threads read them', async () => {
    const rows = 300_000;
    const text = `a,b\n${Array.from({ length: rows }, (_, row) => `${row % 1000 === 7 ? 'x' : row},${row}`).join('\n')}\n`;
    const back = await readBack('t.csv', text, {}, { types: { a: 'BIGINT' }, onMisfit: 'reject' });
    expect(back.rejects?.found.map(({ row, line, value }) => [row, line, value])).toEqual(
      Array.from({ length: rows / 1000 }, (_, place) => [place * 1000 + 8, place * 1000 + 9, 'x']),
    );
    expect(back.rowCount).toBe(rows - rows / 1000);
    const rest = Array.from({ length: rows }, (_, row) => String(row)).filter((_, row) => row % 1000 !== 7);
    expect(back.rows.map(([a]) => a)).toEqual(rest);
    expect(back.rows.map(([, b]) => b)).toEqual(rest);
  });

  it('are left out of a table of several slices, by what any of their columns holds', async () => {
    const columns = SLICE_COLUMNS + 20;
    const header = Array.from({ length: columns }, (_, at) => `c_${at}`);
    const last = columns - 1;
    const odd = new Map([
      ['1,2', 'x'],
      [`1,${last}`, 'y'],
      [`3,${last}`, '1.5'],
      ['5,0', '-'],
    ]);
    const lines = Array.from({ length: 8 }, (_, row) => header.map((_, at) => odd.get(`${row},${at}`) ?? String(row)));
    const text = [header, ...lines].map((cells) => cells.join(',')).join('\n');
    const types = Object.fromEntries(['c_2', `c_${last}`].map((name) => [name, 'BIGINT']));
    const options: ReadOptions = { types, onMisfit: 'reject' };
    const whole = await readBack('t.csv', text, {}, options);
    expect(whole.rows.map(([, one]) => one)).toEqual(['0', '2', '4', '5', '6', '7']);
    expect(whole.rows.map((row) => row[last])).toEqual(['0', '2', '4', '5', '6', '7']);
    expect(whole.rejects?.found).toEqual([
      { reason: 'MISFIT_REJECTED', row: 2, line: 3, column: 'c_2', value: 'x' },
      { reason: 'MISFIT_REJECTED', row: 4, line: 5, column: `c_${last}`, value: '1.5' },
      { reason: 'TYPE_WIDENED', row: 6, line: 7, column: 'c_0', value: '-' },
    ]);
    const chunked = await readChunked('csv', text, { chunkBytes: Math.ceil(text.length / 4) }, options);
    expect(chunked.chunks.length).toBeGreaterThan(2);
    expect(chunked.rows).toEqual(whole.rows);
    expect(chunked.rejects.counts).toEqual(whole.rejects?.counts);
  });
});

describe('values that become NULL', () => {
  it('are named by as many statements as there are groups of columns, not columns, and no more of them than a report has', () =>
    watching(async ({ engine, statements }, folder) => {
      const rows = 2 * MOST_REJECTS;
      const { rejects } = await typeTable(engine, tableOf(65, rows, 'null'), `${folder}/table.parquet`);
      expect(rejects.counts).toEqual({ MISFIT_AS_NULL: 65 * MOST_REJECTS });
      expect(rejects.found).toHaveLength(MOST_REJECTS);
      expect(rejects.found.slice(63, 67).map(({ row, column, value }) => [row, column, value])).toEqual([
        [2, 'n63', 'x63'],
        [2, 'n64', 'x64'],
        [4, 'n0', 'x0'],
        [4, 'n1', 'x1'],
      ]);
      expect(statements.filter((sql) => sql.includes(`LIMIT ${MOST_REJECTS}`))).toHaveLength(2);
    }));
});

describe('a file that is refused', () => {
  it('is told with the first value of all columns, for which all are judged at once', () =>
    watching(async ({ engine, statements }, folder) => {
      const table = tableOf(40, 4, 'refuse', (index) => `if(i = ${index === 0 ? 3 : 1}, 'x${index}', '1')`);
      await expect(typeTable(engine, table, `${folder}/table.parquet`)).rejects.toMatchObject({
        code: 'VALUE_MISFIT',
        extra: { column: 'n1', row: 2, value: 'x1' },
      });
      const behind = statements.slice(statements.findIndex((sql) => sql.includes('millrace:contradicted')) + 1);
      expect(behind.length).toBeLessThan(4);
    }));
});
