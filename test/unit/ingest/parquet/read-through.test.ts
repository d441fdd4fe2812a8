import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { adoptParquet } from '../../../../lib/ingest/parquet/adopt.ts';
import { describeParquet } from '../../../../lib/ingest/parquet/describe.ts';
import { readThrough } from '../../../../lib/ingest/parquet/read-through.ts';
import { topColumns } from '../../../../lib/ingest/parquet/tops.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-read-through-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const asking = <T>(use: (engine: Engine) => Promise<T>) => withEngine({ workDir: folder, limits }, use);
const adopt = (path: string) => adoptParquet({ path, target: join(folder, 'part'), workDir: folder, limits });

/** Some 13,600 rows in groups of several sizes. Of the list there are no statistics that could be compared. */
async function written(name: string, more = ''): Promise<string> {
  const path = join(folder, name);
  const rows = 'SELECT i, [hash(i), hash(i + 1)] AS list FROM range(40960) t(i) WHERE hash(i) % 3 = 0';
  await asking((engine) =>
    engine.run(`COPY (${rows}) TO ${literal(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048${more})`),
  );
  return path;
}

const metadata = (path: string, asked: string) =>
  asking((engine) => engine.row(`SELECT ${asked} FROM parquet_metadata(${literal(path)})`));

async function overwrite(path: string, position: number, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, position);
}

it('counts the rows of groups of several sizes', async () => {
  const path = await written('sound.parquet');
  expect(Number((await metadata(path, 'count(DISTINCT row_group_num_rows) AS sizes'))['sizes'])).toBeGreaterThan(2);
  const { rowCount } = await adopt(path);
  expect(rowCount).toBe(
    await asking(async (engine) => Number((await engine.row(`SELECT count(*) AS n FROM ${literal(path)}`))['n'])),
  );
});

it('finds a list that cannot be read, of which nothing is compared, in a file of other columns that are', async () => {
  const path = await written('torn.parquet');
  const { start, bytes } = await metadata(
    path,
    `max(data_page_offset) FILTER (path_in_schema LIKE 'list%') AS start,
     arg_max(total_compressed_size, data_page_offset) FILTER (path_in_schema LIKE 'list%') AS bytes`,
  );
  await overwrite(path, Number(start) + 30, new Uint8Array(Number(bytes) - 30).fill(255));
  await expect(adopt(path)).rejects.toMatchObject({ code: 'PARSE_ERROR' });
});

it('finds a value that is not as the statistics of its group say, in whichever group it stands', async () => {
  const path = await written('lying.parquet', ', COMPRESSION uncompressed');
  const { start, groups } = await metadata(
    path,
    `max(data_page_offset) FILTER (path_in_schema = 'i') AS start, count(DISTINCT row_group_id) AS groups`,
  );
  expect(Number(groups)).toBeGreaterThan(5);
  // Behind the header of the page; of sixteen such bytes, eight are a value: -1.
  await overwrite(path, Number(start) + 800, new Uint8Array(16).fill(255));
  await expect(adopt(path)).rejects.toMatchObject({ code: 'PARSE_ERROR', extra: { column: 'i' } });
});

it.each([
  ['whose statistics are proven', (place: number) => `hash(i + ${place}) AS c${place}`],
  ['of which nothing is said', (place: number) => `{h: hash(i + ${place})} AS c${place}`],
])('reads no more columns at once than an engine holds pages of: columns %s', async (_, column) => {
  const path = join(folder, 'wide.parquet');
  const columns = Array.from({ length: 100 }, (_of, place) => column(place));
  await asking((engine) =>
    engine.run(`COPY (SELECT ${columns.join(', ')} FROM range(122880) t(i)) TO ${literal(path)} (FORMAT parquet)`),
  );
  const few = { ...limits, engineMemoryBytes: 48 * 2 ** 20 };
  const rows = await withEngine({ workDir: folder, limits: few }, async (engine) =>
    readThrough(engine, path, { columns: await describeParquet(engine, path), tops: await topColumns(engine, path) }),
  );
  expect(rows).toBe(122_880);
});
