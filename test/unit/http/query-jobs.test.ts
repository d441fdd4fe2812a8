import { describe, expect, it } from 'vitest';
import { hours } from '../../../lib/core/time.ts';
import { makeKey } from '../../../lib/http/make-key.ts';
import type { LongQueries } from '../../../lib/ingest/queries/long-queries.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { scope } from '../../support/pipeline-world.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;

const sales = 'city,price\nOslo,1.5\nBergen,2.5\nOslo,3\n';
const withSales = async (app: App) => {
  const dataset = await app.dataset();
  await app.upload(dataset, 'sales.csv', sales);
  return dataset;
};
const masking = { policy: { pii: { action: 'mask' } } };
const submit = (app: App, dataset: string, json: object) =>
  app.send('POST', `/v1/datasets/${dataset}/queries`, { json });
/** Submits it, runs it to its end, and answers it as a caller sees it. */
async function run(app: App, dataset: string, json: object) {
  const sent = await submit(app, dataset, json);
  expect(sent.status).toBe(202);
  await app.settle();
  return (await app.send('GET', `/v1/datasets/${dataset}/queries/${sent.body.id}`)).body;
}

describe('a query as a job', () => {
  it('leaves its rows as a file that a fresh URL leads to, for a day', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const sql = 'select city, sum(price) as total from sales where price > $floor group by city order by city';
    const params = { floor: { type: 'DECIMAL(4,1)', value: '1' } };
    const query = await run(app, dataset, { sql, params, format: 'csv' });
    expect(query).toMatchObject({
      ...{ status: 'succeeded', datasetId: dataset, sql, format: 'csv' },
      result: { rowCount: 2, truncated: false, columns: [{ name: 'city', type: 'VARCHAR' }, { name: 'total' }] },
    });
    const key = new URL(query.result.url).pathname.slice(1);
    expect(key).toMatch(/^acme\/main\/results\/ds_/);
    expect(Buffer.from((await app.objects.get(key)) ?? []).toString()).toBe('city,total\r\nBergen,2.5\r\nOslo,4.5\r\n');
    await app.clock.advance(hours(25));
    const later = (await app.send('GET', `/v1/datasets/${dataset}/queries/${query.id}`)).body;
    expect([later.status, later.result]).toEqual(['succeeded', undefined]);
  });

  it('keeps its rows in pages where that is asked for', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const { id, result } = await run(app, dataset, { sql: 'from range(25)', format: 'pages' });
    expect([result.rowCount, result.url]).toEqual([25, undefined]);
    const rows: unknown[] = [];
    let cursor: string | null = null;
    do {
      const asked: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await app.send('GET', `/v1/datasets/${dataset}/queries/${id}/rows?limit=10${asked}`);
      expect(body.totalRows).toBe(25);
      rows.push(...body.rows);
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(rows).toEqual(Array.from({ length: 25 }, (_, at) => [at]));
    const wrong = await app.send(
      'GET',
      `/v1/datasets/${dataset}/queries/${id}/rows?cursor=${Buffer.from('row 3').toString('base64url')}`,
    );
    expect([wrong.status, wrong.body.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it.each([
    ['the policy of the dataset', 'warn', async (app: App, at: string) => app.send('PATCH', at, { json: masking })],
    [
      'a tag of a person',
      'mask',
      async (app: App, at: string) => {
        const { id } = (await app.send('GET', `${at}/tables`)).body.data[0];
        await app.send('PUT', `${at}/tables/${id}/annotation?column=price`, { json: { piiTag: 'SALARY' } });
      },
    ],
  ])('tells no rows that %s masks since, and makes no URL for them', async (_what, action, mask) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d', { policy: { pii: { action } } });
    await app.upload(dataset, 'sales.csv', 'mail,price\nann@secret.example,77.5\nbob@secret.example,78\n');
    const at = `/v1/datasets/${dataset}`;
    const sql = 'select upper(mail) as m, price from sales';
    const [file, pages] = [await run(app, dataset, { sql }), await run(app, dataset, { sql, format: 'pages' })];
    const other = await run(app, dataset, { sql: 'select 1 as one' });
    expect([file.result.url, pages.result.rowCount]).toEqual([expect.any(String), 2]);
    await mask(app, at);
    const again = async ({ id }: { id: string }) => (await app.send('GET', `${at}/queries/${id}`)).body;
    for (const query of [file, pages]) expect(await again(query)).toMatchObject({ status: 'succeeded', sql });
    for (const query of [file, pages]) expect(await again(query)).not.toHaveProperty('result');
    const rows = await app.send('GET', `${at}/queries/${pages.id}/rows`);
    expect([rows.status, JSON.stringify(rows.body)]).toEqual([404, expect.not.stringMatching(/secret|77/i)]);
    expect(await again(other)).toHaveProperty('result.url');
    const anew = await run(app, dataset, { sql, format: 'pages' });
    const answer = await app.send('GET', `${at}/queries/${anew.id}/rows`);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.not.stringMatching(/secret/i)]);
  });

  it('has no pages where its rows are a file, nor before it has ended', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const { id } = await run(app, dataset, { sql: 'select 1 as a' });
    expect((await app.send('GET', `/v1/datasets/${dataset}/queries/${id}/rows`)).body.code).toBe('CONFLICT');
    const waiting = (await submit(app, dataset, { sql: 'select 1', format: 'pages' })).body.id;
    expect((await app.send('GET', `/v1/datasets/${dataset}/queries/${waiting}/rows`)).body.code).toBe('CONFLICT');
  });

  it.each([
    ['drop table sales', 'SQL_NOT_SELECT'],
    ["select * from read_csv('/etc/passwd')", 'SQL_FORBIDDEN'],
    ['select nothing from sales', 'SQL_INVALID'],
    ['select $a', 'SQL_PARAMETER'],
  ])('is held by the same firewall: %s', async (sql, code) => {
    await using app = await startIngestApp();
    const query = await run(app, await withSales(app), { sql });
    expect([query.status, query.error.code]).toEqual(['failed', code]);
  });

  it('is cancelled while it waits, and stops DuckDB while it runs', async () => {
    let aborted = false;
    let began: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (began = resolve));
    const run: LongQueries['run'] = ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason as Error);
        });
        began();
      });
    await using app = await startIngestApp(() => ({
      longQueries: { run, check: () => Promise.reject(new Error('not asked')) },
    }));
    const dataset = await app.dataset();
    const waits = (await submit(app, dataset, { sql: 'select 1' })).body.id;
    const left = await app.send('POST', `/v1/datasets/${dataset}/queries/${waits}/cancel`);
    expect(left.body.status).toBe('cancelled');
    app.bells.splice(0);
    const runs = (await submit(app, dataset, { sql: 'select 1' })).body.id;
    const settled = app.settle();
    await running;
    expect((await app.send('POST', `/v1/datasets/${dataset}/queries/${runs}/cancel`)).body.status).toBe('running');
    await app.clock.advance(app.engine.settings.beat);
    await settled;
    expect((await app.send('GET', `/v1/datasets/${dataset}/queries/${runs}`)).body.status).toBe('cancelled');
    expect(aborted).toBe(true);
  });

  it('is found in its dataset and workspace only, and is no other kind of job', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const { id } = await run(app, dataset, { sql: 'select 1 as a' });
    const other = await app.dataset('other');
    expect((await app.send('GET', `/v1/datasets/${other}/queries/${id}`)).status).toBe(404);
    const ingest = (await app.send('GET', '/v1/jobs?kind=ingest')).body.data[0].id;
    expect((await app.send('GET', `/v1/datasets/${dataset}/queries/${ingest}`)).status).toBe(404);
    const key = await makeKey(app.deps, { ...scope, workspace: 'elsewhere' as typeof scope.workspace, name: 'test' });
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.send('GET', `/v1/datasets/${dataset}/queries/${id}`, { headers })).status).toBe(404);
  });

  it('is refused before anything is fetched where its tables do not fit on the disk', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const head = app.objects.head;
    app.objects.head = async (key) => {
      const found = await head(key);
      return found && { ...found, size: 2 ** 40 };
    };
    app.objects.download = () => Promise.reject(new Error('fetched'));
    const query = await run(app, dataset, { sql: 'select * from sales' });
    expect([query.status, query.error.code]).toEqual(['failed', 'QUERY_DISK']);
  });

  it('is one job under one idempotency key', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const send = (sql: string) =>
      app.send('POST', `/v1/datasets/${dataset}/queries`, { json: { sql }, headers: { 'idempotency-key': 'k' } });
    const [first, again, other] = [await send('select 1'), await send('select 1'), await send('select 2')];
    expect([again.body.id, other.body.code]).toEqual([first.body.id, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

describe('a saved query', () => {
  const path = (dataset: string, name = 'by-city') => `/v1/datasets/${dataset}/saved-queries/${name}`;
  const sql = 'select city, sum(price) as total from sales where city in $cities and price >= $floor group by city';
  const parameters = {
    cities: { type: 'VARCHAR[]', default: { type: 'VARCHAR[]', value: ['Oslo'] } },
    floor: { type: 'DECIMAL(4,1)', default: '2', description: 'At least so much.' },
  };

  it('is checked when it is saved, and knows every parameter', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const saved = await app.send('PUT', path(dataset), {
      json: { sql, description: 'Sums', parameters: { floor: parameters.floor } },
    });
    expect([saved.status, saved.headers.get('etag'), saved.body.parameters]).toEqual([
      201,
      '"1"',
      { cities: {}, floor: parameters.floor },
    ]);
    for (const [body, code] of [
      [{ sql: 'select nothing from sales' }, 'SQL_INVALID'],
      [{ sql: 'select 1', parameters: { x: {} } }, 'SQL_PARAMETER'],
      [{ sql: 'select $d::DATE', parameters: { d: { type: 'DATE', default: 'soon' } } }, 'SQL_PARAMETER'],
      [{ sql: "select * from '/etc/passwd'" }, 'SQL_FORBIDDEN'],
    ] as const)
      expect((await app.send('PUT', path(dataset, 'wrong'), { json: body })).body.code).toBe(code);
    expect((await app.send('GET', `/v1/datasets/${dataset}/saved-queries`)).body.data).toMatchObject([
      { name: 'by-city', sql },
    ]);
  });

  it('runs with its defaults and with the values of a run, read as it declares them', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    await app.send('PUT', path(dataset), { json: { sql, parameters } });
    const plain = await app.send('POST', `${path(dataset)}/run`);
    expect(plain.body.rows).toEqual([['Oslo', '3.0']]);
    const given = await app.send('POST', `${path(dataset)}/run`, { json: { params: { FLOOR: '1.0' }, format: 'csv' } });
    expect(Buffer.from(given.bytes).toString()).toBe('city,total\r\nOslo,4.5\r\n');
    const wrong = await app.send('POST', `${path(dataset)}/run`, { json: { params: { floor: 'much' } } });
    expect(wrong.body.code).toBe('SQL_PARAMETER');
    const job = await run(app, dataset, { savedQuery: 'by-city', params: { floor: '3' }, format: 'json' });
    expect([job.status, job.savedQuery, job.result.rowCount]).toEqual(['succeeded', 'by-city', 1]);
    expect((await submit(app, dataset, { savedQuery: 'absent' })).status).toBe(404);
    expect((await submit(app, dataset, { savedQuery: 'by-city', sql })).body.code).toBe('VALIDATION_FAILED');
  });

  it('is replaced and deleted only as it was read, where the caller says so', async () => {
    await using app = await startIngestApp();
    const dataset = await withSales(app);
    const put = (headers: Record<string, string>, text = 'select 1') =>
      app.send('PUT', path(dataset), { json: { sql: text }, headers });
    expect((await put({ 'if-none-match': '*' })).status).toBe(201);
    expect((await put({ 'if-none-match': '*' })).status).toBe(412);
    expect((await put({ 'if-match': '"1"' }, 'select 2')).status).toBe(200);
    expect((await put({ 'if-match': '"1"' }, 'select 3')).status).toBe(412);
    expect((await app.send('DELETE', path(dataset), { headers: { 'if-match': '"1"' } })).status).toBe(412);
    expect((await app.send('GET', path(dataset))).body.sql).toBe('select 2');
    expect((await app.send('DELETE', path(dataset))).status).toBe(204);
    expect((await app.send('GET', path(dataset))).status).toBe(404);
  });
});
