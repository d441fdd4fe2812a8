import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Engine, withEngine } from '../../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../../lib/ingest/engine/sql.ts';
import { adoptParquet } from '../../../../../lib/ingest/parquet/adopt.ts';
import { footerOf } from '../../../../../lib/ingest/parquet/footer.ts';
import { fileFields } from '../../../../../lib/ingest/parquet/fields.ts';
import { groupPages, structsIn } from '../../../../../lib/ingest/parquet/groups/pages.ts';
import { pagesIn } from '../../../../../lib/ingest/parquet/pages/page-header.ts';
import { writeSmallPages } from '../../../../../lib/ingest/parquet/pages/small-pages.ts';
import { readStruct } from '../../../../../lib/ingest/parquet/thrift.ts';
import { defaultReadLimits as limits } from '../../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../../world.ts';

/** Pages that are large together, with so little that a test need not be. */
const few = { ...limits, pagesBytes: 2 ** 21 };
const ROWS = 5000;
/** 960 bytes, of which no two values are alike. */
const text = (salt: string): string =>
  `concat(${Array.from({ length: 15 }, (_, place) => `sha256(concat(i, '${salt}', ${place}))`).join(', ')})`;
const rows = (columns: string, count = ROWS): string => `SELECT ${columns} FROM range(${count}) r(i)`;

interface Written {
  readonly workDir: string;
  readonly path: string;
  readonly target: string;
  readonly engine: Engine;
}

const withParquet = <T>(sql: string, options: string, use: (written: Written) => Promise<T>): Promise<T> =>
  inFolder((workDir) =>
    withEngine({ workDir, limits: { ...limits, engineMemoryBytes: 2 ** 30 } }, async (engine) => {
      const [path, target] = [join(workDir, 'large.parquet'), join(workDir, 'small.parquet')];
      await engine.run(`COPY (${sql}) TO ${literal(path)} (FORMAT parquet, ${options})`);
      return use({ workDir, path, target, engine });
    }),
  );

/** The largest page of each column, in any row group. */
async function largestPages(path: string): Promise<number[]> {
  await using file = await open(path);
  const { bytes, start } = await footerOf(path);
  const largest: number[] = [];
  for (const group of structsIn(readStruct(bytes), fileFields.rowGroups))
    for (const [column, pages] of groupPages(group, start).columns.entries())
      for await (const { header } of pagesIn(file, pages.start, pages.end))
        largest[column] = Math.max(largest[column] ?? 0, header.uncompressed);
  return largest;
}

const differing = (engine: Engine, path: string, target: string): Promise<unknown> => {
  const pairs = `read_parquet(${literal(path)}) x POSITIONAL JOIN read_parquet(${literal(target)}) y`;
  return engine.row(`SELECT count(*) FILTER (x IS DISTINCT FROM y) AS n FROM ${pairs}`);
};

const statistics = (engine: Engine, path: string): Promise<unknown> =>
  engine.rows(`SELECT row_group_id, column_id, num_values, stats_min_value, stats_max_value, stats_null_count
    FROM parquet_metadata(${literal(path)}) ORDER BY ALL`);

const MIB = 2 ** 20;

describe('pages that are too large together', () => {
  const list = `list_transform(range(i % 7), lambda x: CASE WHEN x <> 3 THEN concat(${text('l')}, x) END) AS l`;
  const nested = `SELECT CASE WHEN i % 11 > 0 THEN {a: i, l: l, b: [{c: l[1]}, NULL]} END AS s, i FROM (${rows(`i, ${list}`, 3000)})`;
  it.each([
    ['as they are', 'COMPRESSION uncompressed', rows(`i, ${text('a')} AS a`)],
    ['Snappy', 'COMPRESSION snappy', rows(`i, ${text('a')} AS a`)],
    [
      'Snappy that repeats',
      'COMPRESSION snappy',
      rows("i, concat(repeat(sha256(i::VARCHAR), 15), repeat('ab', i % 300)) AS a"),
    ],
    ['gzip', 'COMPRESSION gzip', rows(`i, ${text('a')} AS a`)],
    ['Zstandard', 'COMPRESSION zstd', rows(`i, ${text('a')} AS a`)],
    ['Brotli', 'COMPRESSION brotli', rows("i, concat(repeat('ab', 400), i) AS a")],
    [
      'values that are missing',
      'COMPRESSION snappy',
      rows(`CASE WHEN i % 3 > 0 THEN i END AS i, CASE WHEN i % 5 > 0 THEN ${text('a')} END AS a`),
    ],
    ['lists and structs', 'COMPRESSION zstd', nested],
    ['several row groups', 'COMPRESSION snappy, ROW_GROUP_SIZE 4096', rows(`i, ${text('a')} AS a`, 8192)],
    [
      'numbers',
      'COMPRESSION snappy, ROW_GROUP_SIZE 1000000',
      rows('hash(i) AS a, hash(i + 1)::DOUBLE AS b, i::HUGEINT AS c, uuid() AS d', 245_760),
    ],
  ])('become small ones with the same values: %s', async (_, options, sql) => {
    await withParquet(sql, options, async ({ path, target, engine }) => {
      expect(Math.max(...(await largestPages(path)))).toBeGreaterThan(1.5 * MIB);
      expect(await writeSmallPages({ path, target, limits: few })).toBe(true);
      expect(Math.max(...(await largestPages(target)))).toBeLessThan(MIB);
      expect(await differing(engine, path, target)).toMatchObject({ n: '0' });
      expect(await statistics(engine, target)).toEqual(await statistics(engine, path));
      expect((await stat(target)).size).toBeLessThan(1.1 * (await stat(path)).size + 64 * 1024);
    });
  });

  it('stay as they are where they are no more than an engine holds', async () => {
    await withParquet(rows(`i, ${text('a')} AS a`, 2000), 'COMPRESSION zstd', async ({ path, target }) => {
      expect(await writeSmallPages({ path, target, limits: few })).toBe(false);
    });
  });

  it('stay as they are where a value is larger than a cell may be, which who reads them says', async () => {
    const sql = rows(`CASE WHEN i = 9 THEN repeat('x', ${11 * MIB}) ELSE ${text('a')} END AS a`, 2000);
    await withParquet(sql, 'COMPRESSION zstd', async ({ path, target, workDir }) => {
      expect(await writeSmallPages({ path, target, limits: few })).toBe(false);
      await expect(adoptParquet({ path, target, workDir, limits: few })).rejects.toMatchObject({
        code: 'CELL_TOO_LARGE',
        extra: { column: 'a', row: 10 },
      });
    });
  });

  it('stay as they are where their bytes are damaged, which who reads them says', async () => {
    await withParquet(rows(`i, ${text('a')} AS a`), 'COMPRESSION zstd', async ({ path, target, workDir }) => {
      await using file = await open(path, 'r+');
      await file.write(Buffer.alloc(300_000, 255), 0, 300_000, 500_000);
      expect(await writeSmallPages({ path, target, limits: few })).toBe(false);
      await expect(adoptParquet({ path, target, workDir, limits: few })).rejects.toMatchObject({ code: 'PARSE_ERROR' });
    });
  });

  it('are proven within the memory of an engine, which could not hold them', async () => {
    const sql = rows(`i, ${text('a')} AS a, ${text('b')} AS b`, 60_000);
    await withParquet(sql, 'COMPRESSION snappy', async ({ path, target, workDir }) => {
      const { rowCount, columns } = await adoptParquet({ path, target, workDir, limits });
      expect({ rowCount, columns: columns.map(({ name }) => name) }).toEqual({
        rowCount: 60_000,
        columns: ['i', 'a', 'b'],
      });
    });
  });
});
