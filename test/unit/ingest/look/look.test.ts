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
    const drawn: number[] = [];
    const run: Engine['run'] = (sql) => {
      const columns = sql.startsWith('CREATE OR REPLACE TABLE drawn_') ? sql.split(' of ').length : 0;
      const names = new Set(sql.match(/"c \d+"/g) ?? []).size;
      if (names > 3) return Promise.reject(new Fault('INGEST_MEMORY', `${names} columns`));
      if (columns > 0) drawn.push(names);
      return engine.run(sql);
    };
    const looking = { engines: [engine] as const, request, seed: 5n, values: 1000, bytes: new Map<string, number>() };
    const source = sourceOf([path], table.columns);
    const tight = { ...looking, engines: [{ ...engine, run }] as const };
    expect(await lookAtLarge(tight, source)).toEqual(await lookAtLarge(looking, source));
    expect(drawn).toEqual([3, 3, 3, 2]);
  });
});

it('of long values only some columns are drawn at once, and of each value no more than is looked at, where it is', () => {
  const columns = Array.from({ length: 3 }, (_, at) => `repeat('${at} long ', 150 + i % 2) || i AS "c ${at}"`);
  const nested = `[repeat('deep ', 240) || i] AS deep`;
  return written(
    `SELECT ${[...columns, nested].join(', ')} FROM range(11000) t(i)`,
    async ({ path, engine, ...table }) => {
      const small = { ...limits, engineMemoryBytes: 64 * 2 ** 20 };
      const request = { ...table, parquetPaths: [path], limits: small, seed: '', wanted: new Set(findings) };
      const bytes = new Map(table.columns.map(({ name }) => [name, (name === 'deep' ? 4000 : 2000) * 11_000]));
      const held: { columns: number; bytes: number }[] = [];
      const run: Engine['run'] = async (sql) => {
        await engine.run(sql);
        const [, drawn] = /^CREATE OR REPLACE TABLE (drawn_\d+)/.exec(sql) ?? [];
        if (drawn === undefined) return;
        const texts = await engine.texts(`SELECT sum(strlen(COLUMNS(* EXCLUDE row)::VARCHAR)) FROM ${drawn}`);
        const sum = (texts[0] ?? []).reduce((all, some) => all + Number(some), 0);
        held.push({ columns: new Set(sql.match(/"(c \d+|deep)"/g)).size, bytes: sum });
      };
      const looking = { engines: [{ ...engine, run }] as const, request, seed: 5n, values: 1000, bytes };
      const { columns: found } = await lookAtLarge(looking, sourceOf([path], table.columns));
      expect(held.map(({ columns: some }) => some)).toEqual([2, 1, 1]);
      // A thousand texts of a thousand characters, of the 10,000 others their start and their hash.
      for (const { columns: some, bytes: all } of held) expect(all).toBeLessThan(some * (1200 * 1001 + 11_000 * 90));
      expect(found.at(-1)).toMatchObject({ profile: { distinct: 11_000, distinctIs: 'exact' } });
      expect(found.at(-1)?.profile?.topValues[0]?.value).toMatch(/^\["deep deep .*…$/);
    },
  );
});

it('the same is said of values that are counted and of values that are measured where they lie', async () => {
  const number = 'CASE WHEN i % 10 = 0 THEN NULL ELSE 1e9 + hash(i) % 1000 / 8 END';
  const select = `SELECT ${number} AS few, ${number} + i / 1e6 AS many, 'w' || repeat('é', i % 7) AS word,
    'w' || repeat('é', i % 7) || i AS words, (i % 9) * 1e300 AS far, [i % 4] AS list, i % 3 = 0 AS flag FROM range(150000) t(i)`;
  await written(select, async ({ path, engine, ...table }) => {
    const request = { ...table, parquetPaths: [path], limits, seed: '', wanted: new Set(findings) };
    const { profile } = await lookAtTable(request);
    expect(profile.map(({ distinctIs }) => distinctIs)).toEqual([
      'exact',
      'approximate',
      'exact',
      'approximate',
      'exact',
      'exact',
      'exact',
    ]);
    for (const { name, mean = NaN, deviation = NaN, min, max, nulls } of profile.slice(0, 2)) {
      const [truth] = await engine.texts(
        `SELECT min(${name}), max(${name}), count(*) - count(${name}), avg(${name}), stddev_samp(${name}) FROM read_parquet('${path}')`,
      );
      expect([min, max, String(nulls)]).toEqual(truth?.slice(0, 3));
      expect(mean / Number(truth?.[3])).toBeCloseTo(1, 12);
      expect(deviation / Number(truth?.[4])).toBeCloseTo(1, 6);
    }
    const lengths = profile.map((column) => column.lengths);
    expect([lengths[2]?.min, lengths[2]?.max, lengths[2]?.mean.toFixed(4)]).toEqual([1, 7, '4.0000']);
    expect([lengths[3]?.min, lengths[3]?.max]).toEqual([2, 13]);
    expect([profile[4]?.mean, profile[4]?.deviation]).toEqual([expect.any(Number), undefined]);
    expect(profile[6]).toMatchObject({
      topValues: [
        { value: 'false', count: 100_000 },
        { value: 'true', count: 50_000 },
      ],
    });
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
