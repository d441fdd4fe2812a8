import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bzip2 } from '../unit/ingest/formats/bzip2-writer.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

const people = `code,name,amount,born,big
007,"Ada, Countess",1.10,1815-12-10,9007199254740993
008,"Bob
Smith",20.25,1990-01-31,1
009,,3,,2
`;

const columnsOf = (table: Json): Record<string, string> =>
  Object.fromEntries(table.columns.map(({ name, type }: Json) => [name, type]));

export function ingesting(world: World): void {
  const newDataset = (name: string) => world.client.newDataset(`${name}-${world.run}`);
  const tableNamed = async (dataset: string, name: string): Promise<Json> => {
    const { body } = await world.client.get(`/v1/datasets/${dataset}/tables`);
    const { id } = body.data.find((table: Json) => table.name === name);
    return (await world.client.get(`/v1/datasets/${dataset}/tables/${id}`)).body;
  };

  it('have a name that is taken once, and are listed', async () => {
    const name = `named-${world.run}`;
    const { status, body } = await world.client.post('/v1/datasets', { json: { name, description: 'of a test' } });
    expect([status, body.name, body.description]).toEqual([201, name, 'of a test']);
    expect((await world.client.get(`/v1/datasets/${body.id}`)).body).toEqual(body);
    const again = await world.client.post('/v1/datasets', { json: { name } });
    expect([outcome(again), again.body.datasetId]).toEqual(['409 CONFLICT', body.id]);
  });

  it('take a JSON object as a table for each of its arrays, and answer SQL over both', async () => {
    const dataset = await newDataset('shop');
    const shop = { orders: [{ id: 1, buyer: 7 }], buyers: [{ key: 7, name: 'Åsa' }], made: '2024' };
    const job = await world.client.ingest(dataset, 'shop.json', JSON.stringify(shop));
    expect(job.result.tables.map(({ tableName, rowCount }: Json) => [tableName, rowCount])).toEqual([
      ['shop__orders', 1],
      ['shop__buyers', 1],
    ]);
    expect(job.result.warnings).toMatchObject([{ code: 'KEYS_LEFT_OUT', count: 1 }]);
    const sql = 'select name from shop__orders join shop__buyers on buyer = key';
    expect((await world.client.query(dataset, sql)).body.rows).toEqual([['Åsa']]);
  });

  it('take a CSV whose values come back exactly, typed and profiled', async () => {
    const dataset = await newDataset('people');
    const job = await world.client.ingest(dataset, 'people.csv', people);
    expect(job).toMatchObject({ kind: 'ingest', status: 'succeeded' });
    const table = await tableNamed(dataset, 'people');
    expect(table).toMatchObject({
      rowCount: 3,
      snapshot: { sequence: 1 },
      source: { name: 'people.csv', format: 'csv' },
    });
    expect(columnsOf(table)).toMatchObject({ code: 'VARCHAR', name: 'VARCHAR', born: 'DATE', big: 'BIGINT' });
    expect(columnsOf(table)['amount']).toMatch(/^DECIMAL\(\d+,2\)$/);
    const column = (wanted: string) => table.columns.find(({ name }: Json) => name === wanted);
    expect(column('amount').profile).toMatchObject({ nulls: 0, distinct: 3, min: '1.10', max: '20.25' });
    // A day of birth is personal: it is counted, and no value of it is shown.
    expect(column('born')).toMatchObject({ pii: { tag: 'DOB' }, profile: { nulls: 1, distinct: 2, min: null } });
    const { body } = await world.client.query(dataset, 'SELECT * FROM people ORDER BY code');
    expect(body).toMatchObject({ rowCount: 3, truncated: false, elapsedMs: expect.any(Number) });
    expect(body.rows).toEqual([
      ['007', 'Ada, Countess', '1.10', '1815-12-10', '9007199254740993'],
      ['008', 'Bob\nSmith', '20.25', '1990-01-31', 1],
      ['009', null, '3.00', null, 2],
    ]);
    expect((await world.client.query(dataset, 'SELECT code FROM people', 2)).body).toMatchObject({
      rowCount: 2,
      truncated: true,
    });
  });

  it('take a form with one file, and make the next snapshot of a table that is uploaded again', async () => {
    const dataset = await newDataset('again');
    for (const text of ['a\n1\n', 'a\n1\n2\n']) {
      const body = new FormData();
      body.append('file', new Blob([text]), 'numbers.csv');
      const answer = await world.client.post(`/v1/datasets/${dataset}/files`, { body, headers: { prefer: 'wait=20' } });
      expect((await world.client.ended(answer.body.id)).status).toBe('succeeded');
    }
    const table = await tableNamed(dataset, 'numbers');
    expect(table).toMatchObject({ rowCount: 2, snapshot: { sequence: 2 } });
    const { body } = await world.client.get(`/v1/datasets/${dataset}/tables/${table.id}/snapshots`);
    expect(body.data.map(({ sequence, status, rowCount }: Json) => [sequence, status, rowCount])).toEqual([
      [2, 'READY', 2],
      [1, 'READY', 1],
    ]);
    expect((await world.client.query(dataset, 'SELECT sum(a) FROM numbers')).body.rows).toEqual([[3]]);
  });

  it('take a larger file in presigned parts, and one job for it however often it is completed', async () => {
    const dataset = await newDataset('parts');
    const rows = 600_000;
    const bytes = Buffer.from(`n,text\n${Array.from({ length: rows }, (_, n) => `${n},row-${n}`).join('\n')}\n`);
    const { upload, parts, complete } = await world.client.sendParts(dataset, 'large.csv', bytes, 5 * 1024 ** 2);
    expect(upload.parts.length).toBeGreaterThan(1);
    expect(outcome(await complete(parts.slice(1)))).toBe('422 UPLOAD_INCOMPLETE');
    expect(outcome(await complete(parts.map((part) => ({ ...part, etag: '"wrong"' }))))).toBe('422 UPLOAD_INCOMPLETE');
    const [first, second] = [await complete(), await complete()];
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id]);
    expect((await world.client.ended(first.body.id)).status).toBe('succeeded');
    const { body } = await world.client.query(dataset, 'SELECT count(*), sum(n), max(text) FROM large');
    expect(body.rows.map((row: unknown[]) => row.map(String))).toEqual([[String(rows), '179999700000', 'row-99999']]);
  });

  it('take several files as one table', async () => {
    const dataset = await newDataset('months');
    const body = new FormData();
    body.append('files', new File(['day,amount\n2024-01-31,1.10\n'], 'january.csv'));
    body.append('files', new File([gzipSync('amount,day,note\n2,2024-02-29,late\n')], 'february.csv.gz'));
    body.append('files', new File(['{"day":"2024-03-01","amount":0.5}\n'], 'march.ndjson'));
    const path = `/v1/datasets/${dataset}/files/bulk?as=one-table&table=months&fileColumn=file`;
    const sent = await world.client.post(path, { body });
    expect(sent.status).toBe(202);
    expect(await world.client.ended(sent.body.id)).toMatchObject({ status: 'succeeded' });
    const sql = 'SELECT file, day, amount, note FROM months ORDER BY day';
    expect((await world.client.query(dataset, sql)).body.rows).toEqual([
      ['january.csv', '2024-01-31', '1.10', null],
      ['february.csv.gz', '2024-02-29', '2.00', 'late'],
      ['march.ndjson', '2024-03-01', '0.50', null],
    ]);
  });

  it('take TSV, JSON, NDJSON, what is compressed, and other encodings', async () => {
    const dataset = await newDataset('formats');
    const files: [string, string | Uint8Array][] = [
      ['tabs.tsv', 'a\tb\n1\tx\n'],
      ['array.json', '[{"a":1,"b":"x"}]'],
      ['lines.ndjson', '{"a":1,"b":"x"}\n'],
      ['packed.csv.gz', gzipSync('a,b\n1,x\n')],
      ['squeezed.csv.bz2', bzip2(Buffer.from('a,b\n1,x\n'))],
      ['frame.ndjson.zst', zstdCompressSync('{"a":1,"b":"x"}\n')],
      ['archive.zip', zip({ name: 'archive.csv', data: 'a,b\n1,x\n' })],
      ['western.csv', Buffer.from('a,b,stra\xdfe\n1,x,\xfc\n', 'latin1')],
    ];
    for (const [name, bytes] of files) {
      expect([name, (await world.client.ingest(dataset, name, bytes)).status]).toEqual([name, 'succeeded']);
      const table = name.split('.')[0] ?? '';
      const { body } = await world.client.query(dataset, `SELECT a::VARCHAR, b FROM "${table}"`);
      expect([name, body.rows]).toEqual([name, [['1', 'x']]]);
    }
  });

  it('of another tenant are not there', async () => {
    const dataset = await newDataset('private');
    await world.client.ingest(dataset, 'mine.csv', 'a\n1\n');
    const table = await tableNamed(dataset, 'mine');
    const { otherTenantKey: key } = world.target;
    const path = `/v1/datasets/${dataset}`;
    for (const answer of [
      await world.client.get(path, { key }),
      await world.client.get(`${path}/tables`, { key }),
      await world.client.get(`${path}/tables/${table.id}`, { key }),
      await world.client.post(`${path}/files?name=a.csv`, { key, body: 'a\n1\n' }),
      await world.client.post(`${path}/uploads`, { key, json: { name: 'a.csv', size: 1 } }),
      await world.client.post(`${path}/query`, { key, json: { sql: 'SELECT * FROM mine' } }),
    ])
      expect(outcome(answer)).toBe('404 NOT_FOUND');
    const { body } = await world.client.get('/v1/datasets', { key });
    expect(body.data.map(({ id }: Json) => id)).not.toContain(dataset);
  });
}
