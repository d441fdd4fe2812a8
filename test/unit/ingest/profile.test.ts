import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../lib/ingest/engine/sql.ts';
import { shapeOf } from '../../../lib/ingest/profile/patterns.ts';
import { profileTable } from '../../../lib/ingest/profile/profile-table.ts';
import { type ColumnProfile, defaultReadLimits as limits } from '../../../lib/ingest/reading/types.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { inFolder } from './world.ts';

/** Profiles what a SELECT gives, written as Parquet and taken `parts` times. */
const profileOf = (select: string, parts = 1): Promise<ColumnProfile[]> =>
  inFolder(async (workDir) => {
    const paths = Array.from({ length: parts }, (_, part) => join(workDir, `${part}.parquet`));
    const [first = ''] = paths;
    const table = await withEngine({ workDir, limits }, async (engine) => {
      await engine.run(`COPY (${select}) TO ${literal(first)} (FORMAT parquet)`);
      const columns = await engine.rows(`DESCRIBE FROM read_parquet(${literal(first)})`);
      const { n } = await engine.row(`SELECT count(*) AS n FROM read_parquet(${literal(first)})`);
      return {
        columns: columns.map((row) => ({ name: row.column_name as string, type: row.column_type as string })),
        n,
      };
    });
    for (const path of paths.slice(1)) await copyFile(first, path);
    return profileTable({
      parquetPaths: paths,
      columns: table.columns,
      rowCount: parts * Number(table.n),
      workDir,
      limits,
    });
  });

const sum = (counts: readonly number[] = []): number => counts.reduce((all, count) => all + count, 0);

describe('profileTable', () => {
  it('counts nulls and different values, and gives range and most frequent values as exact texts', async () => {
    const [n, price, day, at, flag, word] = await profileOf(`SELECT * FROM (VALUES
      (9223372036854775807, 1.50::DECIMAL(18,2), DATE '2024-02-29', TIMESTAMP '2024-01-01 10:00:00.5', true, 'b'),
      (1, 0.10, DATE '0999-01-01', TIMESTAMP '2024-01-01 10:00:00.5', true, 'a'),
      (1, NULL, NULL, NULL, false, 'a'), (NULL, NULL, NULL, NULL, NULL, '')) t(n, price, day, stamp, flag, word)`);
    expect(n).toMatchObject({
      name: 'n',
      type: 'BIGINT',
      nulls: 1,
      nullFraction: 0.25,
      distinct: 2,
      distinctIs: 'exact',
      min: '1',
      max: '9223372036854775807',
      topValues: [
        { value: '1', count: 2 },
        { value: '9223372036854775807', count: 1 },
      ],
    });
    expect(price).toMatchObject({ min: '0.10', max: '1.50', nulls: 2 });
    expect(day).toMatchObject({ min: '0999-01-01', max: '2024-02-29' });
    expect(at).toMatchObject({ distinct: 1, topValues: [{ count: 2 }] });
    expect(at?.min).toMatch(/^2024-01-01T10:00:00\.5/);
    expect(flag).toMatchObject({
      min: 'false',
      max: 'true',
      topValues: [
        { value: 'true', count: 2 },
        { value: 'false', count: 1 },
      ],
    });
    expect(word).toMatchObject({
      min: '',
      max: 'b',
      topValues: [
        { value: 'a', count: 2 },
        { value: '', count: 1 },
        { value: 'b', count: 1 },
      ],
    });
  });

  it('reads the parts of a table as one', async () => {
    const [n] = await profileOf('SELECT 1 AS n', 3);
    expect(n).toMatchObject({ distinct: 1, topValues: [{ value: '1', count: 3 }] });
  });

  it('knows nested values and JSON, which have no range', async () => {
    const profiles = await profileOf(
      `SELECT [1, 2] AS l, {'a': 1.10::DECIMAL(3,2)} AS s, MAP {'k': 1} AS m, '{"a": 1}'::JSON AS j, '\\xAA'::BLOB AS b`,
    );
    for (const profile of profiles)
      expect(profile).toMatchObject({ distinct: 1, distinctIs: 'exact', min: null, max: null });
    expect(profiles.map(({ topValues }) => topValues[0]?.value)).toEqual([
      '[1,2]',
      '{"a":"1.10"}',
      '{"k":1}',
      '{"a":1}',
      'qg==',
    ]);
  });

  it('estimates where there are too many different values to count, and says so', async () => {
    const [n] = await profileOf('SELECT range AS n FROM range(200000)');
    expect(n).toMatchObject({ distinctIs: 'approximate', topValues: [], min: '0', max: '199999' });
    expect(n?.distinct).toBeGreaterThan(180_000);
    expect(n?.distinct).toBeLessThanOrEqual(200_000);
  });

  it('measures numbers: mean, spread, quantiles and a histogram, as far as they are finite', async () => {
    const [n, d, x, big] = await profileOf(`SELECT range AS n, (range / 2)::DECIMAL(18,1) AS d,
      CASE range WHEN 0 THEN 'inf'::DOUBLE WHEN 1 THEN 'nan' WHEN 2 THEN NULL ELSE range END AS x,
      CASE WHEN range < 2 THEN 1e308 ELSE 1 END AS big FROM range(101)`);
    expect(n).toMatchObject({ mean: 50, deviation: expect.closeTo(29.3, 1), sampled: 101 });
    expect(n?.quantiles).toEqual([
      { at: 0.05, value: '5' },
      { at: 0.25, value: '25' },
      { at: 0.5, value: '50' },
      { at: 0.75, value: '75' },
      { at: 0.95, value: '95' },
    ]);
    expect(n?.histogram).toHaveLength(20);
    expect([n?.histogram?.[0], n?.histogram?.[19], sum(n?.histogram)]).toEqual([5, 6, 101]);
    expect(d).toMatchObject({ mean: 25, quantiles: expect.arrayContaining([{ at: 0.5, value: '25.0' }]) });
    expect([x?.mean, x?.deviation, x?.histogram]).toEqual([undefined, undefined, undefined]);
    expect(x?.quantiles?.[2]).toEqual({ at: 0.5, value: '52' });
    expect([big?.mean, big?.deviation]).toEqual([undefined, undefined]);
  });

  it('measures times by quantiles and a histogram, and texts by their characters', async () => {
    const [day, at, word, endless] = await profileOf(`SELECT DATE '2024-01-01' + range::INTEGER AS day,
      TIMESTAMP '2024-01-01' + INTERVAL (range) HOUR AS stamp, repeat('é', range::INTEGER) AS word,
      CASE range WHEN 0 THEN 'infinity'::DATE ELSE DATE '2024-01-01' END AS endless FROM range(41)`);
    expect(day?.quantiles?.[2]).toEqual({ at: 0.5, value: '2024-01-21' });
    expect([day?.mean, sum(day?.histogram), at?.histogram?.[0]]).toEqual([undefined, 41, 2]);
    expect(at?.quantiles?.[2]?.value).toMatch(/^2024-01-01T20:00:00/);
    expect(word).toMatchObject({ lengths: { min: 0, max: 40, mean: 20 } });
    expect([word?.quantiles, word?.histogram, word?.mean]).toEqual([undefined, undefined, undefined]);
    expect(endless?.histogram).toBeUndefined();
  });

  it('measures days and times of years that no ISO date of four digits has', async () => {
    const [day, all, at] = await profileOf(`SELECT DATE '12024-01-01' + range::INTEGER AS day,
      [DATE '5877641-06-25 (BC)', DATE '2024-01-01', DATE '5881580-07-10'][range % 3 + 1] AS extremes,
      [TIMESTAMP '0044-03-15 (BC) 12:00:00', TIMESTAMP '294247-01-10 04:00:54.775806'][range % 2 + 1] AS stamp FROM range(42)`);
    expect(day).toMatchObject({
      min: '+012024-01-01',
      quantiles: expect.arrayContaining([{ at: 0.5, value: '+012024-01-21' }]),
    });
    expect(sum(day?.histogram)).toBe(42);
    expect(all).toMatchObject({ min: '-5877640-06-25', max: '+5881580-07-10' });
    expect([all?.histogram?.[0], all?.histogram?.[10], all?.histogram?.[19]]).toEqual([14, 14, 14]);
    expect(at).toMatchObject({ min: '-000043-03-15T12:00:00', max: '+294247-01-10T04:00:54.775806' });
    expect([at?.histogram?.[0], at?.histogram?.[19]]).toEqual([21, 21]);
    const [point] = await profileOf(
      `SELECT make_timestamptz([-9223372022400000000, 0, 9223372036854775806][range % 3 + 1]) AS point FROM range(42)`,
    );
    expect(point).toMatchObject({ min: '-290308-12-22T00:00:00Z', max: '+294247-01-10T04:00:54.775806Z' });
    expect([point?.histogram?.[0], point?.histogram?.[9], point?.histogram?.[19]]).toEqual([14, 14, 14]);
  });

  it('takes quantiles of many rows from a sample, says so, and answers the same again', async () => {
    const [n] = await profileOf('SELECT range AS n FROM range(200000)');
    expect([n?.sampled, sum(n?.histogram)]).toEqual([10_000, 10_000]);
    expect(await profileOf('SELECT range AS n FROM range(200000)')).toEqual([n]);
    expect(Number(n?.quantiles?.[2]?.value)).toBeGreaterThan(90_000);
    expect(Number(n?.quantiles?.[2]?.value)).toBeLessThan(110_000);
  });

  it('measures nothing of one value, or of none', async () => {
    const [one, none] = await profileOf('SELECT 1 AS one, NULL::BIGINT AS none');
    expect(one).toMatchObject({ mean: 1 });
    expect([one?.deviation, one?.histogram]).toEqual([undefined, undefined]);
    expect([none?.mean, none?.quantiles, none?.histogram]).toEqual([undefined, undefined, undefined]);
  });

  it('cuts long texts, and quotes names', async () => {
    const [profile] = await profileOf(`SELECT repeat('x', 1000) AS "a ""quoted"" name"`);
    expect(profile?.name).toBe('a "quoted" name');
    expect(profile?.min).toHaveLength(256);
  });

  it('knows a table without rows, and a column without values', async () => {
    const [empty] = await profileOf('SELECT 1 AS n WHERE false');
    expect(empty).toMatchObject({ nulls: 0, nullFraction: 0, distinct: 0, min: null, topValues: [] });
    const [none] = await profileOf('SELECT NULL::VARCHAR AS n');
    expect(none).toMatchObject({
      nulls: 1,
      nullFraction: 1,
      distinct: 0,
      distinctIs: 'exact',
      max: null,
      topValues: [],
    });
  });
});

describe('the shapes of texts', () => {
  it('keep digits and capitals one by one, and words as words', async () => {
    const texts = [
      'AB12-345',
      'Kari Nordmann',
      'É1',
      '\u0661\u0662',
      '漢字 x',
      'e\u0301a',
      '',
      '\n\t|+',
      'ÅSE',
      `${'x'.repeat(64)}9`,
    ];
    const shapes = ['AA99-999', 'Aa+ Aa+', 'A9', '99', 'a+ a', 'a+', '', '\n\t|+', 'AAA', 'a+…'];
    expect(texts.map(shapeOf)).toEqual(shapes);
  });

  it('are the same of a text of ASCII by itself and beside a character that is none', () => {
    const texts = [
      '',
      'AB12-345',
      'Kari Nordmann',
      'xyz',
      'a b  c',
      'Z'.repeat(63),
      'q'.repeat(200),
      '~\u007f\t',
      `${'x1'.repeat(31)}y`,
    ];
    expect(texts.map((text) => `·${shapeOf(text.slice(0, 63))}`)).toEqual(
      texts.map((text) => shapeOf(`·${text.slice(0, 63)}`)),
    );
    expect(shapeOf('ab1'.repeat(21) + 'x')).toBe('a+9'.repeat(21) + 'a');
    expect(shapeOf('ab1'.repeat(21) + 'xy')).toBe(`${'a+9'.repeat(21)}a…`);
  });

  it('are told with their shares of the values, the commonest first, equals in their order', async () => {
    const [code, n, none] =
      await profileOf(`SELECT CASE WHEN i < 60 THEN 'N-' || (100 + i) WHEN i < 90 THEN '2024-01-' || (10 + i % 20)
      WHEN i < 95 THEN 'n/a' WHEN i < 100 THEN '?' END AS code, i AS n, NULL::VARCHAR AS none FROM range(125) t(i)`);
    expect(code?.patterns).toEqual([
      { pattern: 'A-999', share: 0.6 },
      { pattern: '9999-99-99', share: 0.3 },
      { pattern: '?', share: 0.05 },
      { pattern: 'a/a', share: 0.05 },
    ]);
    expect([code?.sampled, n?.patterns, none?.patterns]).toEqual([undefined, undefined, undefined]);
  });

  it('that are all different are not told', async () => {
    const [text] = await profileOf(`SELECT repeat('1', i // 15) || repeat('-', i % 15) AS text FROM range(150) t(i)`);
    expect(text).toMatchObject({ distinctIs: 'exact' });
    expect(text).not.toHaveProperty('patterns');
  });

  it('of more different values than are counted are those of a sample, the same one each time', async () => {
    const select = `SELECT CASE WHEN i % 4 = 0 THEN 'x' || i ELSE 'AB' || (100000 + i) END AS code, 'k' AS k FROM range(300000) t(i)`;
    const [code, k] = await profileOf(select);
    expect([code?.distinctIs, code?.sampled, k?.sampled]).toEqual(['approximate', 10_000, undefined]);
    expect(code?.patterns?.[0]?.pattern).toBe('AA999999');
    expect(code?.patterns?.[0]?.share).toBeCloseTo(0.75, 1);
    expect(k?.patterns).toEqual([{ pattern: 'a', share: 1 }]);
    expect((await profileOf(select))[0]?.patterns).toEqual(code?.patterns);
  });

  it('of more than 10,000 different values are those of a sample, although the values are counted', async () => {
    const words = (different: number) =>
      `SELECT CASE WHEN i % 4 = 0 THEN 'x-' || (10000 + i % ${different}) ELSE 'ABC-' || (10000 + i % ${different}) END AS code FROM range(40000) t(i)`;
    const [[many], [few]] = [await profileOf(words(16_000)), await profileOf(words(8000))];
    expect([many?.distinctIs, many?.sampled, few?.sampled]).toEqual(['exact', 10_000, undefined]);
    expect(many?.topValues).toHaveLength(5);
    expect(few?.patterns?.[0]).toEqual({ pattern: 'AAA-99999', share: 0.75 });
    expect(many?.patterns?.[0]).toEqual({ pattern: 'AAA-99999', share: expect.closeTo(0.75, 1) });
  });
});

it('a table shows the shapes of its texts, and none of a column with personal data', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const people = Array.from({ length: 20 }, (_, n) => `A-${100 + n},p${n}@fjord.example\n`).join('');
  await app.upload(dataset, 't.csv', `code,email\n${people}`);
  const { t } = await app.tables(dataset);
  const [code, email] = t.columns;
  expect(code.profile.patterns).toEqual([{ pattern: 'A-999', share: 1 }]);
  expect([email.pii.tag, email.profile.patterns]).toEqual(['EMAIL', undefined]);
});
