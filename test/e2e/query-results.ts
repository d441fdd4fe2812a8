import { beforeAll, expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

export function queryResults(world: World): void {
  let dataset = '';
  const ask = (json: object, path = '', headers = {}) =>
    world.client.post(`/v1/datasets/${dataset}/query${path}`, { json, headers });
  beforeAll(async () => {
    dataset = await world.client.newDataset(`results-${world.run}`);
    const lines = Array.from(
      { length: 2000 },
      (_, n) => `${n},city ${n % 5},2024-01-${String((n % 28) + 1).padStart(2, '0')}`,
    );
    await world.client.ingest(dataset, 'sales.csv', `id,city,day\n${lines.join('\n')}\n`);
  });

  it('parameters are bound, checked and explained', async () => {
    const sql = 'select count(*) from sales where city = $city and day < $until';
    const params = { city: 'city 1', until: { type: 'DATE', value: '2024-01-02' } };
    expect((await ask({ sql, params })).body.rows).toEqual([[14]]);
    expect(outcome(await ask({ sql, params: { city: "x' or 1=1" } }))).toBe('422 SQL_PARAMETER');
    expect((await ask({ sql }, '/validate')).body).toMatchObject({ parameters: [{ name: 'city' }, { type: 'DATE' }] });
    const { body } = await ask({ sql, params }, '/explain');
    expect(JSON.stringify(body.plan)).toContain('READ_PARQUET');
    expect(JSON.stringify(body.plan)).not.toMatch(/\/tmp|\.parquet/);
  });

  it('rows come as CSV, NDJSON, Arrow and Parquet', async () => {
    const sql = 'select id, city from sales order by id limit 2';
    const csv = await ask({ sql }, '', { accept: 'text/csv' });
    expect([csv.body, csv.headers.get('x-row-count')]).toEqual(['id,city\r\n0,city 0\r\n1,city 1\r\n', '2']);
    expect((await ask({ sql, format: 'ndjson' })).body).toBe('{"id":0,"city":"city 0"}\n{"id":1,"city":"city 1"}\n');
    const arrow = await ask({ sql, format: 'arrow' });
    expect([arrow.status, arrow.body.includes('city 1')]).toEqual([200, true]);
    const parquet = await ask({ sql, format: 'parquet' });
    expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect([parquet.body.slice(0, 4), parquet.body.slice(-4)]).toEqual(['PAR1', 'PAR1']);
  });

  it('an answer of megabytes arrives as it was sent', async () => {
    const { status, body } = await ask({ sql: `select repeat('"é', 500) as q from sales limit 1500` });
    expect([status, body.rows.length]).toEqual([200, 1500]);
    expect(new Set(body.rows.map(([q]: string[]) => q))).toEqual(new Set(['"é'.repeat(500)]));
  });

  it('a large result is a file behind a URL that needs no key', async () => {
    const sql = 'select a.id, b.id as other from sales a, sales b where b.id < 20';
    const { status, body } = await ask({ sql, delivery: 'url', format: 'csv' });
    expect([status, body.rowCount, body.truncated]).toEqual([200, 40_000, false]);
    expect(body.expiresAt).toMatch(/Z$/);
    const file = await fetch(body.url);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="result.csv"']);
    const text = await file.text();
    expect([text.length, text.split('\r\n').length]).toEqual([body.bytes, 40_002]);
    const forged = await fetch(body.url.replace(/(signature|X-Amz-Signature)=../, '$1=00'));
    expect(forged.status).toBe(403);
  });

  it('so is a whole table', async () => {
    const { body } = await world.client.get(`/v1/datasets/${dataset}/tables`);
    const data = `/v1/datasets/${dataset}/tables/${body.data[0].id}/data`;
    const files = await Promise.all(
      ['parquet', 'ndjson'].map(async (format) => {
        const answer = await world.client.get(`${data}?format=${format}`);
        const file = Buffer.from(await (await fetch(answer.body.url)).arrayBuffer());
        expect([answer.body.rowCount, answer.body.bytes]).toEqual([2000, file.length]);
        return file.toString('latin1');
      }),
    );
    expect(files.map((file) => file.slice(0, 4))).toEqual(['PAR1', '{"id']);
  });

  it('and pages hold every row once', async () => {
    const seen: number[] = [];
    let page: Json = (await ask({ sql: 'select id from sales order by random()', delivery: 'pages', limit: 900 })).body;
    for (;;) {
      seen.push(...page.rows.map(([id]: number[]) => id));
      if (page.nextCursor === null) break;
      page = (await world.client.get(`/v1/datasets/${dataset}/query/pages?limit=900&cursor=${page.nextCursor}`)).body;
    }
    expect(seen.length).toBe(2000);
    expect(new Set(seen).size).toBe(2000);
    const forged = Buffer.from(`res_${'0'.repeat(26)}.10.1`).toString('base64url');
    expect(outcome(await world.client.get(`/v1/datasets/${dataset}/query/pages?cursor=${forged}`))).toBe(
      '404 NOT_FOUND',
    );
  });
}
