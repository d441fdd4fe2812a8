import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import type { DatasetQuery } from '../../../lib/ingest/dataset-query.ts';
import { createQueryPages } from '../../../lib/ingest/query-pages.ts';
import { createQueryResults } from '../../../lib/ingest/query-results.ts';
import { seededChance } from '../../../lib/core/chance.ts';
import { epochMs, hours, later, systemClock } from '../../../lib/core/time.ts';
import { askHere } from '../../../lib/query/ask.ts';
import { createMemoryObjects } from '../../support/memory-objects.ts';
import { aDataset, type Dataset } from '../query/world.ts';
import { outcome, withDataset } from './harness.ts';

let data: Dataset;
let time = epochMs(1000);
let objects = createMemoryObjects();
const queries = (bytes = 100_000) => {
  objects = createMemoryObjects();
  const query: DatasetQuery = (want, request) => askHere(want, request, data.world);
  const clock = { ...systemClock, now: () => time };
  const common = { ask: query, objects, clock, chance: seededChance(1), directory: data.spill };
  return {
    query,
    results: createQueryResults({ ...common, inline: { rows: 1000, bytes }, linkedBytes: 500_000 }),
    pages: createQueryPages({ ...common, pageBytes: bytes, resultBytes: 500_000 }),
  };
};
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

describe('a query', () => {
  it('is given the caller’s scope, and its faults are problems', async () => {
    const asked: object[] = [];
    using app = await withDataset({
      query: async (want, request) => {
        asked.push({ want, ...request });
        throw new Fault('SQL_NOT_SELECT', 'It is a DROP.');
      },
    });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, {
      json: { sql: 'drop table t', limit: 5 },
    });
    expect([outcome(answer), answer.body.detail]).toEqual(['422 SQL_NOT_SELECT', 'It is a DROP.']);
    const scope = { tenant: 't1', workspace: 'main' };
    expect(asked).toMatchObject([{ want: 'rows', scope, dataset: app.dataset, sql: 'drop table t', limit: 5 }]);
    const elsewhere = { json: { sql: 'select 1' }, key: app.keys.other };
    expect(outcome(await app.send('POST', `/v1/datasets/${app.dataset}/query`, elsewhere))).toBe('404 NOT_FOUND');
  });

  it('is answered elsewhere where no query function is given', async () => {
    using app = await withDataset({ query: undefined });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, { json: { sql: 'select 1' } });
    expect(outcome(answer)).toBe('404 ROUTE_NOT_FOUND');
    expect((await app.send('GET', `/v1/datasets/${app.dataset}/query`)).headers.get('allow')).toBe('OPTIONS, POST');
  });
});

describe('SQL over HTTP', () => {
  const asking = async (path: string, json: object) => {
    using app = await withDataset(queries());
    return await app.send('POST', `/v1/datasets/${app.dataset}/query${path}`, { json });
  };

  it('takes named parameters', async () => {
    const sql = 'select count(*), $d from sales where city = $city';
    const params = { city: 'city 1', d: { type: 'DATE', value: '2024-01-31' } };
    expect((await asking('', { sql, params })).body).toMatchObject({ rows: [[1429, '2024-01-31']] });
    expect((await asking('/validate', { sql, params })).body).toMatchObject({
      columns: [{ type: 'BIGINT' }, { type: 'DATE' }],
      parameters: [{ name: 'd' }, { name: 'city', type: 'VARCHAR' }],
    });
    expect((await asking('/explain', { sql, params })).body.plan).toHaveLength(1);
  });

  it.each<[string, object, string, string]>([
    ['none', {}, '422 SQL_PARAMETER', '#/params/n'],
    ['another', { params: { n: 1, m: 2 } }, '422 SQL_PARAMETER', '#/params/m'],
    ['a wrong type', { params: { n: { type: 'DATE', value: 'x' } } }, '422 SQL_PARAMETER', '#/params/n'],
    ['an object', { params: { n: { a: 1 } } }, '422 VALIDATION_FAILED', '#/params/n'],
    ['a list', { params: { n: [1] } }, '422 VALIDATION_FAILED', '#/params/n'],
    ['no object', { params: [1] }, '422 VALIDATION_FAILED', '#/params'],
    [
      'too many',
      { params: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, n])) },
      '422 VALIDATION_FAILED',
      '#/params',
    ],
  ])('names what is wrong with its parameters: %s', async (_what, given, code, pointer) => {
    const answer = await asking('', { sql: 'select $n', ...given });
    expect([outcome(answer), answer.body.errors[0].pointer]).toEqual([code, pointer]);
  });
});

describe('rows come in the format that was asked for', () => {
  const sql = `select * from (values (1, 'a "b", c', '', null::varchar, 1.10::decimal(4,2), 12345678901234567890123::hugeint,
    date '2024-02-29', [1, null], '{"a": 1.10}'::json, true, 'x\r\ny'), (null, ' z', 'é', 'null', null, 5, null, null, null, null, null))
    t(n, "q,", e, nothing, d, h, day, l, j, b, s)`;
  const csv = [
    'n,"q,",e,nothing,d,h,day,l,j,b,s\r\n',
    '1,"a ""b"", c","",,1.10,12345678901234567890123,2024-02-29,"[1,null]","{""a"": 1.10}",true,"x\r\ny"\r\n',
    ',"\u0020z",é,null,,5,,,,,\r\n',
  ];
  const asked = async (json: object, accept?: string, bytes?: number) => {
    using app = await withDataset(queries(bytes));
    const headers = accept === undefined ? {} : { accept };
    return await app.send('POST', `/v1/datasets/${app.dataset}/query`, { json, headers });
  };

  it('CSV after RFC 4180, where NULL is empty and an empty text is quoted', async () => {
    const answer = await asked({ sql, format: 'csv' });
    expect(answer.text).toBe(csv.join(''));
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  });

  it('NDJSON, a row an object, each value as in JSON', async () => {
    const [ndjson, json] = [await asked({ sql, format: 'ndjson' }), await asked({ sql })];
    const names = json.body.columns.map(({ name }: { name: string }) => name);
    const rows = ndjson.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => Object.keys(row))).toEqual([names, names]);
    expect(rows.map((row) => Object.values(row))).toEqual(json.body.rows);
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson');
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['application/ndjson, */*;q=0.1', 'application/x-ndjson'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
    ['text/html', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    [';;q=x,,', 'application/json'],
  ])('by Accept: %s', async (accept, type) => {
    expect((await asked({ sql: 'select 1 as a' }, accept)).headers.get('content-type')).toContain(type);
  });

  it('with the count of rows, and whether there were more, in headers', async () => {
    const counted = async (limit: number) => {
      const { headers, text } = await asked({ sql: 'select id from sales', limit, format: 'csv' }, 'application/json');
      return [headers.get('x-row-count'), headers.get('x-truncated'), text.split('\r\n').length];
    };
    expect(await counted(3)).toEqual(['3', 'true', 5]);
    expect(await counted(5000)).toEqual(['1000', 'true', 1002]);
    const all = await asked({ sql: 'select id from empty_or_not', format: 'csv' });
    expect(outcome(all)).toBe('422 SQL_INVALID');
    expect((await asked({ sql: 'from empty', format: 'csv' })).text).toBe('a b\r\n');
  });

  it('or not at all, where they are too many bytes or two columns have one name', async () => {
    const long = { sql: "select repeat('x', 100) as x from range(100)", format: 'csv' };
    expect(outcome(await asked(long, undefined, 5000))).toBe('422 RESULT_TOO_LARGE');
    expect(outcome(await asked({ sql: 'select 1 as a, 2 as a', format: 'ndjson' }))).toBe('422 SQL_INVALID');
    expect((await asked({ sql: 'select 1 as a, 2 as a', format: 'csv' })).text).toBe('a,a\r\n1,2\r\n');
    expect(outcome(await asked({ sql: 'select 1', format: 'xml' }))).toBe('422 VALIDATION_FAILED');
    expect(await readdir(data.spill)).toEqual([]);
  });
});

describe('large results are files behind a URL', () => {
  const asked = async (json: object) => {
    using app = await withDataset(queries());
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/query`, { json: { delivery: 'url', ...json } });
    const [key = ''] = objects.keys();
    return { answer, key, file: Buffer.from((await objects.get(key)) ?? []) };
  };

  it('all of the rows, with how many they are and until when the URL works', async () => {
    const { answer, key, file } = await asked({ sql: 'select id, city from sales', format: 'csv' });
    expect(file.toString().split('\r\n')).toHaveLength(10_002);
    expect(key).toMatch(/^t1\/main\/results\/ds_\w{26}\/res_[0-9A-Z]{26}\/result\.csv$/);
    expect(answer.body).toMatchObject({
      url: `https://objects.invalid/${key}?name=result.csv`,
      ...{
        expiresAt: '1970-01-01T01:00:01.000Z',
        format: 'csv',
        bytes: file.length,
        rowCount: 10_000,
        truncated: false,
      },
      columns: [{ name: 'id', type: 'BIGINT' }, { name: 'city' }],
    });
    expect(await readdir(data.spill)).toEqual([]);
  });

  it('in JSON as in an answer', async () => {
    const { file } = await asked({ sql: 'select id, price from sales order by id', limit: 3 });
    expect(JSON.parse(file.toString())).toEqual({
      ...{
        rowCount: 3,
        truncated: true,
        rows: [
          [0, '0.00'],
          [1, '0.01'],
          [2, '0.02'],
        ],
      },
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'price', type: 'DECIMAL(10,2)' },
      ],
    });
  });

  it('or refused, with nothing left behind', async () => {
    const refused = async (json: object) => {
      const { answer, key } = await asked(json);
      return [outcome(answer), key, await readdir(data.spill)];
    };
    const long = 'select md5(range::varchar) || md5((range + 1)::varchar) as x from range(30000)';
    expect(await refused({ sql: long, format: 'ndjson' })).toEqual(['422 RESULT_TOO_LARGE', '', []]);
    expect(await refused({ sql: long, format: 'parquet' })).toEqual(['422 RESULT_TOO_LARGE', '', []]);
    expect(await refused({ sql: 'select 1 as a, 2 as a', format: 'parquet' })).toEqual(['422 SQL_INVALID', '', []]);
    expect(await refused({ sql: "copy sales to 'x'", format: 'parquet' })).toEqual(['422 SQL_NOT_SELECT', '', []]);
    expect(await refused({ sql: "select 'x'::int as a", format: 'parquet' })).toEqual(['422 SQL_INVALID', '', []]);
    expect(await refused({ sql: 'select 1 as a; -- b', format: 'parquet' })).toEqual(['200', expect.any(String), []]);
    expect(await refused({ sql: 'select $n', format: 'parquet' })).toEqual(['422 SQL_PARAMETER', '', []]);
    expect(await refused({ sql: 'select 1', delivery: 'body', limit: 10_001 })).toEqual([
      '422 VALIDATION_FAILED',
      '',
      [],
    ]);
  });
});

describe('a result comes in pages', () => {
  const start = async (json: object, bytes?: number) => {
    const app = await withDataset(queries(bytes));
    const path = `/v1/datasets/${app.dataset}/query`;
    const first = await app.send('POST', path, { json: { delivery: 'pages', ...json } });
    const next = (cursor: string, limit = 1000, key = app.keys.own) =>
      app.send('GET', `${path}/pages?${new URLSearchParams({ cursor, limit: String(limit) }).toString()}`, { key });
    return { ...app, first, next, [Symbol.dispose]: () => app.store.close() };
  };

  it('that hold every row once, in the order of the one run, whatever the query', async () => {
    using paged = await start({ sql: 'select id, price, random() as r from sales order by r', limit: 3000 }, 400_000);
    const pages = [paged.first.body];
    while (pages.at(-1).nextCursor !== null) pages.push((await paged.next(pages.at(-1).nextCursor, 3000)).body);
    expect(pages.map(({ rowCount, totalRows }) => [rowCount, totalRows])).toEqual([
      ...[
        [3000, 10_000],
        [3000, 10_000],
        [3000, 10_000],
      ],
      [1000, 10_000],
    ]);
    const rows = pages.flatMap((page) => page.rows);
    expect(new Set(rows.map(([id]) => id)).size).toBe(10_000);
    expect(rows).toEqual(rows.toSorted((one, other) => one[2] - other[2]));
    for (const { columns, expiresAt } of pages)
      expect([columns[1], expiresAt]).toEqual([{ name: 'price', type: 'DECIMAL(10,2)' }, '1970-01-01T01:00:01.000Z']);
    const again = (await paged.next(pages[0].nextCursor, 3000)).body;
    expect(again).toEqual(pages[1]);
  });

  it('a page ends before its bytes do, and a result of one page leaves nothing behind', async () => {
    using paged = await start({ sql: "select range as n, repeat('x', 1000) as x from range(20)" }, 5000);
    expect([paged.first.body.rowCount, paged.first.body.totalRows]).toEqual([4, 20]);
    expect((await paged.next(paged.first.body.nextCursor)).body.rows[0][0]).toBe(4);
    using large = await start({ sql: "select repeat('x', 100000) as x" }, 5000);
    expect(outcome(large.first)).toBe('422 RESULT_TOO_LARGE');
    using single = await start({ sql: "select 1 as a, 'x\ny' as b" });
    expect(single.first.body).toMatchObject({ rows: [[1, 'x\ny']], totalRows: 1, nextCursor: null });
    using none = await start({ sql: 'from empty' });
    expect(none.first.body).toMatchObject({ rows: [], totalRows: 0, nextCursor: null });
    expect([objects.keys(), await readdir(data.spill)]).toEqual([[], []]);
  });

  it('until the hour is over, and for nobody else', async () => {
    using paged = await start({ sql: 'from sales', limit: 10 });
    const cursor = paged.first.body.nextCursor;
    expect(outcome(await paged.next(cursor, 10, paged.keys.other))).toBe('404 NOT_FOUND');
    const { id } = (await paged.send('POST', '/v1/datasets', { json: { name: 'other' } })).body;
    expect(outcome(await paged.send('GET', `/v1/datasets/${id}/query/pages?cursor=${cursor}`))).toBe('404 NOT_FOUND');
    time = later(time, hours(1));
    expect(outcome(await paged.next(cursor))).toBe('404 NOT_FOUND');
    time = epochMs(1000);
    expect(outcome(await paged.next(cursor))).toBe('200');
  });

  it('and a cursor that no query gave is refused', async () => {
    using paged = await start({ sql: 'from sales', limit: 10 });
    const [id, at] = Buffer.from(paged.first.body.nextCursor, 'base64url').toString().split('.');
    const forged = (text: string) => Buffer.from(text).toString('base64url');
    const codes: string[] = [];
    for (const cursor of [
      'x',
      forged('a.b.c'),
      forged(`${id}.1.1`),
      forged(`${id}.${Number(at) + 1}.1`),
      forged(`${id}.999999999.1`),
    ])
      codes.push(outcome(await paged.next(cursor)));
    expect(codes).toEqual(Array.from({ length: 5 }, () => '422 VALIDATION_FAILED'));
    expect(outcome(await paged.next(forged(`res_${'0'.repeat(26)}.100.1`)))).toBe('404 NOT_FOUND');
    expect(outcome(await paged.next(paged.first.body.nextCursor, 10_001))).toBe('422 VALIDATION_FAILED');
  });
});
