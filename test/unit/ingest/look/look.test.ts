import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { type Engine, withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { lookAtLarge } from '../../../../lib/ingest/look/large.ts';
import { lookAtTable } from '../../../../lib/ingest/look/look-at-table.ts';
import { findings, type FindingName, type Looked } from '../../../../lib/ingest/look/request.ts';
import { lookAtSmall } from '../../../../lib/ingest/look/small.ts';
import { sourceOf } from '../../../../lib/ingest/look/source.ts';
import { type Column, defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../world.ts';

interface Written {
  readonly workDir: string;
  readonly engine: Engine;
  readonly path: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
}

/** Calls `use` with what a SELECT gives, written as Parquet. */
const written = <T>(select: string, use: (table: Written) => Promise<T>): Promise<T> =>
  inFolder((workDir) =>
    withEngine({ workDir, limits }, async (engine) => {
      const path = join(workDir, 'part.parquet');
      await engine.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet, ROW_GROUP_SIZE 20000)`);
      const described = await engine.texts(`DESCRIBE FROM read_parquet(${literal(path)})`);
      const columns = described.map(([name, type]) => ({ name: name ?? '', type: type ?? '' }));
      const [[rows] = []] = await engine.texts(`SELECT count(*) FROM read_parquet(${literal(path)})`);
      return use({ workDir, engine, path, columns, rowCount: Number(rows) });
    }),
  );

const looked = (select: string, wanted: readonly FindingName[] = findings, seed = 'a job'): Promise<Looked> =>
  written(select, ({ path, engine: _, ...table }) =>
    lookAtTable({ ...table, parquetPaths: [path], limits, seed, wanted: new Set(wanted) }),
  );

it('an estimate of how many values differ is within 5 %, however often each is there', async () => {
  const { profile } = await looked(
    `SELECT i AS every, i % 150000 AS some, (i * 7919) % 250000 || ' x' AS word, CASE WHEN i % 2 = 0 THEN 0 ELSE i END AS half
     FROM range(400000) t(i)`,
    ['profile'],
  );
  const truth = [400_000, 150_000, 250_000, 200_001];
  for (const [at, { distinct, distinctIs }] of profile.entries()) {
    expect(distinctIs).toBe('approximate');
    expect(Math.abs(distinct / (truth[at] ?? 0) - 1)).toBeLessThan(0.05);
  }
});

it('the values of a column that is nearly empty, or has one value in nearly all rows, are all looked at', async () => {
  const { values } = await looked(
    `SELECT CASE WHEN i % 20000 = 7 THEN 'rare ' || i END AS rare, CASE WHEN i = 12345 THEN 'one' ELSE 'most' END AS most,
       i AS n FROM range(120000) t(i)`,
    ['values'],
  );
  expect(values[0]).toHaveLength(6);
  expect(values[1]?.toSorted()).toEqual(['most', 'one']);
  expect(values[2]?.length).toBeGreaterThan(500);
  expect(values[2]?.length).toBeLessThanOrEqual(1200);
});

it('a table of many rows and one of few are told the same of the same rows', async () => {
  const select = `SELECT i AS n, 'w' || i % 7 AS word, CASE WHEN i % 3 = 0 THEN i / 8 END AS x, [i % 5] AS list, i % 2 = 0 AS flag,
    TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS stamp, repeat('ä', 900 + i % 200) AS long FROM range(900) t(i)`;
  await written(select, async ({ engine, path, ...table }) => {
    const request = { ...table, parquetPaths: [path], limits, seed: '', wanted: new Set(findings) };
    const looking = { engines: [engine] as const, request, seed: 5n, values: 1000, bytes: new Map<string, number>() };
    const source = sourceOf([path], table.columns);
    const [few, many] = [await lookAtSmall(looking, source), await lookAtLarge(looking, source)];
    const plain = ({ columns, rows }: typeof few) => ({
      rows,
      columns: columns.map(({ profile, values, texts }) => {
        // Of so few rows the sample is all, and not the number that it would be of many.
        const { sampled: _, mean, deviation, ...others } = { sampled: 0, mean: 0, deviation: 0, ...profile };
        const numbers = [mean, deviation].map((number) => number.toPrecision(9));
        return { ...others, numbers, values, texts: texts.toSorted() };
      }),
    });
    expect(plain(few)).toEqual(plain(many));
    expect(few.rows).toHaveLength(40);
    expect(few.columns[6]?.texts).toHaveLength(504);
  });
});

it.each([500, 30_000])('whole rows of %i are those of the table, whatever its columns are called', async (rows) => {
  const names = [
    'file_row_number',
    'File_Index',
    'row',
    'lot',
    'place',
    'v',
    'x',
    'y',
    'c0',
    'drawn',
    'value',
    'times',
  ];
  const select = `SELECT ${names.map((name, at) => `i * ${at + 1} AS "${name}"`).join(', ')} FROM range(${rows}) t(i)`;
  const { rows: drawn, profile, values } = await looked(select);
  expect(drawn.length).toBeGreaterThan(10);
  for (const row of drawn)
    for (const [at, value] of row.entries()) expect(Number(value)).toBe(Number(row[0]) * (at + 1));
  expect(profile.map(({ name }) => name)).toEqual(names);
  expect(values).toHaveLength(names.length);
});

/** Threads add up in whatever order they come: the last digits of a mean and a spread are not the same each time. */
const rounded = ({ mean, deviation, ...profile }: Looked['profile'][number]) => ({
  ...profile,
  numbers: [mean, deviation].map((number) => number?.toPrecision(9)),
});

it('another seed looks at other values and rows, the same one at the same', async () => {
  const select = `SELECT i AS n FROM range(50000) t(i)`;
  const [one, again, other] = [await looked(select), await looked(select), await looked(select, findings, 'another')];
  const settled = ({ profile, ...found }: Looked) => ({ ...found, profile: profile.map(rounded) });
  expect(settled(one)).toEqual(settled(again));
  expect(one.values).not.toEqual(other.values);
  expect(one.rows).not.toEqual(other.rows);
  expect(one.profile).toMatchObject([{ sampled: 10_000, quantiles: other.profile[0]?.quantiles }]);
});

it('only what is wanted is answered', async () => {
  for (const rows of [100, 20_000])
    for (const wanted of findings) {
      const found = await looked(`SELECT i AS n, 'w' || i AS w FROM range(${rows}) t(i)`, [wanted]);
      const answered = findings.filter((name) => found[name].length > 0);
      expect(answered).toEqual([wanted]);
    }
});

it('a table without files has no values', () =>
  inFolder(async (workDir) => {
    const columns = [
      { name: 'n', type: 'BIGINT' },
      { name: 's', type: 'STRUCT(a VARCHAR)' },
    ];
    const request = { parquetPaths: [], columns, rowCount: 0, workDir, limits, seed: '', wanted: new Set(findings) };
    const { profile, ...others } = await lookAtTable(request);
    expect(profile).toMatchObject([{ nulls: 0, distinct: 0, min: null }, { topValues: [] }]);
    expect(others).toEqual({ values: [[], []], rows: [], texts: [[], []] });
  }));

it('columns that are too wide for the memory together are looked at some at a time', () => {
  const wide = Array.from({ length: 11 }, (_, at) => `'${at} of ' || i AS "c ${at}"`).join(', ');
  return written(`SELECT ${wide} FROM range(11000) t(i)`, async ({ path, engine, ...table }) => {
    const request = { ...table, parquetPaths: [path], limits, seed: '', wanted: new Set(findings) };
    const texts: Engine['texts'] = (sql) => {
      const columns = sql.split('avg(length(').length - 1;
      return columns > 3 ? Promise.reject(new Fault('INGEST_MEMORY', `${columns} columns`)) : engine.texts(sql);
    };
    const looking = { engines: [engine] as const, request, seed: 5n, values: 1000, bytes: new Map<string, number>() };
    const source = sourceOf([path], table.columns);
    const tight = { ...looking, engines: [{ ...engine, texts }] as const };
    expect(await lookAtLarge(tight, source)).toEqual(await lookAtLarge(looking, source));
  });
});

it('long values are told from each other by all of their characters, and few rows of them need little memory', async () => {
  await inFolder(async (workDir) => {
    const parquetPaths = Array.from({ length: 12 }, (_, at) => join(workDir, `part-${at}.parquet`));
    await withEngine({ workDir, limits }, async (engine) => {
      for (const [at, path] of parquetPaths.entries()) {
        const long = `repeat('a long beginning ', 120000) || (${5 * at} + i) % 20`;
        await engine.run(`COPY (SELECT ${long} AS long FROM range(5) t(i)) TO ${literal(path)} (FORMAT parquet)`);
      }
    });
    const small = { ...limits, engineMemoryBytes: 96 * 2 ** 20, engineThreads: 1 };
    const table = { workDir, parquetPaths, columns: [{ name: 'long', type: 'VARCHAR' }], rowCount: 60 };
    const { profile, rows, values } = await lookAtTable({
      ...table,
      limits: small,
      seed: 'a job',
      wanted: new Set(findings),
    });
    expect(profile[0]).toMatchObject({
      distinct: 20,
      distinctIs: 'exact',
      lengths: { min: 2_040_001, max: 2_040_002 },
    });
    expect(profile[0]?.topValues[0]).toEqual({ value: `${'a long beginning '.repeat(15)}…`, count: 3 });
    expect(values[0]).toEqual(['a long beginning '.repeat(59).slice(0, 1000).trim()]);
    expect(rows.length).toBeGreaterThan(0);
  });
});
