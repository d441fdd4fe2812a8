// Files of every kind over HTTP: uploaded, read, published and asked about, with the real ingest and the real queries.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';
import { zip } from '../ingest/formats/zip-writer.ts';

const binary = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(join(import.meta.dirname, '../ingest/binary/files', name)));

it('a zip of CSV, NDJSON, Arrow and Avro is a table each, all of them there at once', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const archive = zip(
    { name: 'out/sales.csv', data: 'id,amount\n1,1.10\n2,9007199254740993.25\n' },
    { name: 'out/people.ndjson', data: '{"id":1,"name":"Åsa"}\n' },
    { name: 'out/types.arrows', data: await binary('all.arrows') },
    { name: 'out/rows.avro', data: await binary('all-snappy.avro') },
    { name: 'README.md', data: '# Read me' },
  );
  const { status, result } = await app.upload(dataset, 'export.zip', new Uint8Array(archive));
  expect(status).toBe('succeeded');
  expect(result.tables.map((table: { tableName: string }) => table.tableName)).toEqual([
    'export__sales',
    'export__people',
    'export__types',
    'export__rows',
  ]);
  expect(result.warnings[0]).toMatchObject({ code: 'ENTRIES_LEFT_OUT', count: 1 });
  const sql = `SELECT s.amount, p.name, t.u64, t.tsn, r.l FROM export__sales s JOIN export__people p USING (id),
    (FROM export__types LIMIT 1) t, (FROM export__rows LIMIT 1) r`;
  expect((await app.query(dataset, sql)).body.rows).toEqual([
    ['1.10', 'Åsa', 0, '1970-01-01T00:00:00.000000001', '-9223372036854775808'],
  ]);
});

it('a zip of which one file cannot be read shows none of them, and says which', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const archive = zip({ name: 'a.csv', data: 'a\n1\n' }, { name: 'b.csv', data: 'a\n"1\n' });
  const { status, error } = await app.upload(dataset, 'two.zip', new Uint8Array(archive));
  expect([status, error.code]).toEqual(['failed', 'PARSE_ERROR']);
  expect(error.detail).toContain('In "b.csv": Line 2');
  expect(await app.tables(dataset)).toEqual({});
});

it('a CSV is read as its upload says, and a value that does not fit fails it with its place', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const options = { decimal: ',', thousands: '.', currency: true, percent: true, types: { id: 'BIGINT' } };
  const csv = 'id;price;share\n007;1.234,50 €;12 %\n8;5 €;0,5 %\n';
  const read = await app.upload(dataset, 'prices.csv', new TextEncoder().encode(csv), {
    options: JSON.stringify(options),
  });
  expect(read.status).toBe('succeeded');
  const answer = await app.query(dataset, 'SELECT * FROM prices');
  expect(answer.body.rows).toEqual([
    [7, '1234.50', '0.120'],
    [8, '5.00', '0.005'],
  ]);
  const wrong = await app.upload(dataset, 'prices.csv', new TextEncoder().encode('id\n1\nx\n'), {
    options: JSON.stringify({ types: { id: 'BIGINT' } }),
  });
  expect([wrong.status, wrong.error.code]).toEqual(['failed', 'VALUE_MISFIT']);
  expect(wrong.error.detail).toContain('Column "id", row 2 (line 3): "x" is no BIGINT');
});

it('JSON is read at the path that its upload says', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const json = new TextEncoder().encode('{"data": {"rows": [{"a": 1}, {"a": 2}]}, "meta": {}}');
  await app.upload(dataset, 'deep.json', json, { options: JSON.stringify({ jsonPath: '/data/rows' }) });
  expect((await app.query(dataset, 'SELECT sum(a) FROM deep')).body.rows).toEqual([[3]]);
});
