// Large JSON whose tables are found first: at a path, or below the keys of an object. What is done is done once, whoever dies, and the tables of
// one file are published together or not at all.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ReadLimits } from '../../lib/ingest/reading/types.ts';
import { scope } from '../support/pipeline-world.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';
import { type App, atPart, atRead, dies, READ, start, startApp, submitFile } from './support/chunked-app.ts';

const ORDERS = 200;
const BUYERS = 60;
const orders = Array.from({ length: ORDERS }, (_, n) => `{"n": ${n}, "code": "${String(n).padStart(3, '0')}"}`);
const buyers = Array.from({ length: BUYERS }, (_, n) => `{"n": ${n},\n "half": ${n / 2}, "name": "\u00e9 ${n}"}`);
const note = `{"lines": [${Array.from({ length: 50 }, (_, n) => `[${n}, "no table"]`).join(', ')}]}`;
const shop = `{"note": ${note},\n"orders": [${orders.join(',\n')}], "buyers": [${buyers.join(', ')}], "made": 1}\n`;
const bytes = Buffer.byteLength(shop);

const opened = (own?: Partial<ReadLimits>) => startApp({ maxWholeBytes: 1000, ...own });

async function checkOrders(app: App, dataset: string, name = 'shop__orders') {
  const asked = await app.query(dataset, `SELECT count(*), sum(n), min(code), max(code) FROM "${name}"`);
  expect(asked.body.rows).toEqual([[ORDERS, (ORDERS * (ORDERS - 1)) / 2, '000', String(ORDERS - 1)]]);
}

async function checkShop(app: App, dataset: string) {
  const tables = await app.tables(dataset);
  expect(Object.keys(tables).sort()).toEqual(['shop__buyers', 'shop__orders']);
  await checkOrders(app, dataset);
  const asked = await app.query(dataset, 'SELECT count(*), sum(n), max(half), min(name) FROM shop__buyers');
  expect(asked.body.rows).toEqual([[BUYERS, (BUYERS * (BUYERS - 1)) / 2, String((BUYERS - 1) / 2), '\u00e9 0']]);
  return tables;
}

describe('a large JSON object', () => {
  it('is a table for each array of objects, whose chunks are written by children where they are many', async () => {
    await using app = await opened({ chunkBytes: 1000, chunksAnInvocation: 2 });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 'shop.json', shop);
    expect(job).toMatchObject({ status: 'succeeded', attempts: 0 });
    const tables = await checkShop(app, dataset);
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}-1$/);
    for (const [name, key] of [
      ['shop__orders', 'orders'],
      ['shop__buyers', 'buyers'],
    ] as const) {
      expect(tables[name].source).toMatchObject({ key, bytes, sha256 });
      expect(tables[name].warnings[0]).toMatchObject({ code: 'KEYS_LEFT_OUT', count: 2 });
    }
    const children = new Set(app.started.filter(({ ref }) => ref.id !== job.id).map(({ ref }) => ref.id));
    expect(children.size).toBeGreaterThan(2);
  });

  it('has one table with its own name where one array is alone, and is written in one invocation where it is small', async () => {
    await using app = await opened({ chunkBytes: 4000 });
    const dataset = await app.dataset();
    const text = `\ufeff{"orders": [${orders.join(',\r\n')}]}`;
    expect(await app.upload(dataset, 'shop.json', text)).toMatchObject({ status: 'succeeded' });
    await checkOrders(app, dataset, 'shop');
    // The head, once to find the array, and once for the rest.
    expect(app.sourceBytes()).toBeLessThan(3.1 * text.length);
    const { shop: table } = await app.tables(dataset);
    expect(table.source.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('of which one table is refused publishes none', async () => {
    await using app = await opened();
    const dataset = await app.dataset();
    const text = shop.replace('"n": 59,\n', '"n": "x",\n');
    const options = JSON.stringify({ types: { n: 'BIGINT' } });
    const job = await app.upload(dataset, 'shop.json', text, { options });
    const line = text.slice(0, text.indexOf('"n": "x"')).split('\n').length;
    expect(job).toMatchObject({ status: 'failed', error: { code: 'VALUE_MISFIT' } });
    expect(job.error.detail).toContain(`line ${line}`);
    expect(await app.tables(dataset)).toEqual({});
  });

  it.each([
    ['without a table', `{"note": ${note}}`, 'PARSE_ERROR', 'one object without an array of objects'],
    ['with a key twice', shop.replace('"made"', '"orders"'), 'PARSE_ERROR', 'stands twice'],
    ['that is cut', shop.slice(0, -9), 'PARSE_ERROR', 'ends inside'],
  ])('%s is refused with the place', async (_, text, code, detail) => {
    await using app = await opened();
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 'shop.json', text);
    expect(job).toMatchObject({ status: 'failed', error: { code, stage: 'receive' } });
    expect(job.error.detail).toContain(detail);
    expect(await app.tables(dataset)).toEqual({});
  });

  it.each([
    ['in UTF-16', 'shop.json', Buffer.from(`\ufeff${shop}`, 'utf16le')],
    ['in an encoding that has to be found', 'shop.json', Buffer.from(shop, 'latin1')],
    ['that is compressed, in UTF-16', 'shop.json.gz', gzipSync(Buffer.from(`\ufeff${shop}`, 'utf16le'))],
    ['in a zip archive', 'shop.zip', zip({ name: 'shop.json', data: shop })],
  ])('%s is the same tables, and what is written out of it is kept with a row that is swept', async (_, name, body) => {
    await using app = await opened({ chunkBytes: 2000 });
    const dataset = await app.dataset();
    expect(await app.upload(dataset, name, new Uint8Array(body))).toMatchObject({ status: 'succeeded' });
    const tables = await checkShop(app, dataset);
    expect(tables['shop__buyers'].source.bytes).toBe(body.length);
    const rows = await app.store.listTableRows(scope, dataset as never, { limit: 10 });
    const ids = new Set<string>(rows.items.map(({ id }) => id));
    const pieces = app.objects.keys().filter((key) => /\/(utf8|text)-\d+$/.test(key));
    expect(pieces.length).toBeGreaterThan(0);
    for (const key of pieces) expect(ids).toContain(/\/tables\/([^/]+)\//.exec(key)?.[1]);
  });
});

describe('large JSON with a table at a path', () => {
  const nested = `{"meta": ${note}, "data": [{"x": 1}, {"shop": ${shop.trim()}}]}`;
  it.each([
    ['as it is', 'deep.json', Buffer.from(nested)],
    ['compressed, in UTF-16', 'deep.json.gz', gzipSync(Buffer.from(`\ufeff${nested}`, 'utf16le'))],
  ])('is that table (%s)', async (_, name, body) => {
    await using app = await opened();
    const dataset = await app.dataset();
    const options = JSON.stringify({ jsonPath: '/data/1/shop/orders' });
    expect(await app.upload(dataset, name, new Uint8Array(body), { options })).toMatchObject({ status: 'succeeded' });
    expect(Object.keys(await app.tables(dataset))).toEqual(['deep']);
    await checkOrders(app, dataset, 'deep');
  });

  it('is refused where the path leads to nothing', async () => {
    await using app = await opened();
    const options = JSON.stringify({ jsonPath: '/data/2/shop/orders' });
    const job = await app.upload(await app.dataset(), 'deep.json', nested, { options });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'OPTION_MISFIT' } });
  });
});

describe('a load of JSON that dies', () => {
  it.each([
    ['while the tables are found', 1 + 12],
    ['while the first is surveyed', 1 + Math.ceil(bytes / 580) + 6],
  ])('%s goes on at the chunk where it died', async (_, read) => {
    const chunksOf = (app: App) => app.sourceReads().filter((length) => length === app.limits.chunkBytes).length;
    const whole = await opened();
    await whole.upload(await whole.dataset(), 'shop.json', shop);
    await using app = await opened();
    const { id, dataset } = await submitFile(app, 'shop.json', shop);
    const run = await start(app, id);
    atRead(app, read, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // Of what was done nothing is fetched again but, in one piece, for the hash.
    expect(chunksOf(app)).toBe(chunksOf(whole));
    await checkShop(app, dataset);
  });

  it('while the tables are found knows the keys that it met', async () => {
    await using app = await opened();
    const { id } = await submitFile(app, 'shop.json', shop.replace('"made"', '"note"'));
    const run = await start(app, id);
    atRead(app, 1 + 12, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    await app.settle();
    const { error } = await app.row(id);
    expect(error?.detail).toContain('the key "note" stands twice');
  });

  it('after one table was written goes on with the other', async () => {
    await using app = await opened({ chunksAnInvocation: 100 });
    const { id, dataset } = await submitFile(app, 'shop.json', shop);
    const run = await start(app, id);
    const written = () => app.objects.keys().filter((key) => key.endsWith('.parquet')).length;
    atPart(app, 14, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    const before = written();
    expect(before).toBeGreaterThan(11);
    app.sourceBytes();
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    expect(app.sourceBytes()).toBeLessThan(bytes * (1 - (before - 2) / written()));
    await checkShop(app, dataset);
  });

  it('and whose time runs out while its tables are found goes on at no cost', async () => {
    await using app = await opened();
    const { id, dataset } = await submitFile(app, 'shop.json', shop, { options: '{"jsonPath":"/orders"}' });
    const run = await start(app, id);
    const late = new AbortController();
    atRead(app, 1 + 6, async () => late.abort(new Error('15 minutes')));
    expect(await app.step(run, READ, late.signal)).toContain('settled');
    expect(await app.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', cursor: '5', attempts: 0, crashes: 0 });
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    await checkOrders(app, dataset, 'shop');
  });
});
