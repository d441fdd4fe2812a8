// Several large files as one table: what is done is done once, whoever dies.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../lib/core/ids.ts';
import type { ReadLimits } from '../../lib/ingest/reading/types.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';
import { type App, atPart, atRead, dies, READ, start, startApp } from './support/chunked-app.ts';

const line = (n: number) => `${n},${String(n).padStart(3, '0')}\n`;
const csvOf = (from: number, to: number) =>
  `n,code\n${Array.from({ length: to - from }, (_, at) => line(from + at)).join('')}`;
const FILES = {
  'a.csv': csvOf(0, 200),
  'b.csv': csvOf(200, 210),
  'c.ndjson': Array.from({ length: 90 }, (_, at) => `{"code":"x${at}","n":${210 + at}}\n`).join(''),
};
const BYTES = Object.values(FILES).reduce((sum, body) => sum + body.length, 0);
const ROWS = 300;

const archive = new Uint8Array(zip({ name: 'c.csv', data: 'n\n1\n' }, { name: 'd.csv', data: 'n\n2\n' }));

const opened = (own?: Partial<ReadLimits>) => startApp({ maxWholeBytes: 1000, ...own });

/** Stores files and submits the job of their table; nothing runs yet. */
async function submit(
  app: App,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = FILES,
  into?: string,
) {
  const dataset = into ?? (await app.dataset());
  const form = new FormData();
  for (const [name, body] of Object.entries(files)) form.append('files', new File([body], name));
  const query = 'as=one-table&table=t&fileColumn=f';
  const sent = await app.send('POST', `/v1/datasets/${dataset}/files/bulk?${query}`, { body: form });
  expect(sent.status).toBe(202);
  return { id: sent.body.id as JobId, dataset };
}

async function checkTable(app: App, dataset: string) {
  const sql = 'SELECT f, count(*) AS c, sum(n) AS s, min(code) AS a FROM t GROUP BY f ORDER BY f';
  expect((await app.query(dataset, sql)).body.rows).toEqual([
    ['a.csv', 200, 19_900, '000'],
    ['b.csv', 10, 2045, '200'],
    ['c.ndjson', 90, 22_905, 'x0'],
  ]);
  expect((await app.tables(dataset))['t']).toMatchObject({ rowCount: ROWS, source: { files: 3, bytes: BYTES } });
}

describe('files that are larger together than what is read as a whole', () => {
  it('are written by children where there are many chunks', async () => {
    await using app = await opened({ chunksAnInvocation: 3 });
    const { id, dataset } = await submit(app);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', attempts: 0 });
    await checkTable(app, dataset);
    expect(app.objects.keys().filter((key) => key.endsWith('.parquet')).length).toBe(8);
    expect(new Set(app.started.map(({ ref }) => ref.id)).size).toBe(1 + 3);
  });

  it('go on at the chunk where one died that surveys them', async () => {
    await using app = await opened({ chunksAnInvocation: 3 });
    const { id, dataset } = await submit(app);
    const run = await start(app, id);
    const { length } = FILES['a.csv'];
    // The two heads and the chunks of the first file, and the two heads of the second.
    atRead(app, 2 + Math.ceil(length / 590) + 2 + 1, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    app.sourceBytes();
    await start(app, id).then((again) => app.execute(again));
    expect(await app.row(id)).toMatchObject({ status: 'parked', parked: 'children', crashes: 1, attempts: 0 });
    // The heads of each file again, and what was not surveyed.
    expect(app.sourceBytes()).toBeLessThan(2 * BYTES + (BYTES - length) * 1.1 + 600);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded' });
    await checkTable(app, dataset);
  });

  it('go on at the chunk where one died that writes them', async () => {
    await using app = await opened({ chunksAnInvocation: 100 });
    const { id, dataset } = await submit(app);
    const run = await start(app, id);
    atPart(app, 6, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    const before = app.objects.keys().filter((key) => key.endsWith('.parquet')).length;
    expect(before).toBeGreaterThanOrEqual(5);
    app.sourceBytes();
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // What the first run wrote is not read again; a pass one that is committed is not begun again.
    expect(app.sourceBytes()).toBeLessThanOrEqual(FILES['c.ndjson'].length - 500);
    await checkTable(app, dataset);
  });

  it('are read in chunks where they are large, and at once where there are many small ones', async () => {
    await using app = await opened({ maxWholeBytes: 100_000, chunksAnInvocation: 2 });
    const plans = () => app.objects.keys().filter((key) => key.endsWith('/plan.json')).length;
    const large = await submit(app);
    await app.settle();
    await checkTable(app, large.dataset);
    expect(plans()).toBe(1);
    const many = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`${at}.csv`, csvOf(at, at + 4)]));
    const small = await submit(app, many, large.dataset);
    await app.settle();
    expect(await app.row(small.id)).toMatchObject({ status: 'succeeded' });
    expect(plans()).toBe(1);
  });

  it('are read in chunks where they may be larger than they look, unless one is no such text', async () => {
    await using app = await opened({ maxWholeBytes: 2000 });
    const packed = { 'a.csv.gz': new Uint8Array(gzipSync(FILES['a.csv'])), 'b.csv': FILES['b.csv'] };
    const plans = () => app.objects.keys().filter((key) => key.endsWith('/plan.json')).length;
    const inChunks = await submit(app, packed);
    await app.settle();
    expect(await app.row(inChunks.id)).toMatchObject({ status: 'succeeded' });
    expect(plans()).toBe(1);
    const whole = await submit(app, { ...packed, 'c.zip': archive }, inChunks.dataset);
    await app.settle();
    expect(await app.row(whole.id)).toMatchObject({ status: 'succeeded' });
    expect(plans()).toBe(1);
    const sql = 'SELECT count(*) AS c, sum(n) AS s FROM t';
    expect((await app.query(whole.dataset, sql)).body.rows).toEqual([[212, 21_948]]);
  });

  it.each([
    ['of a format that is no text', { 'b.parquet': 'PAR1' }],
    ['that is not compressed as its name says', { 'b.csv.gz': 'x' }],
    ['that is an archive of several files', { 'b.zip': archive }],
    ['that is no text, whatever its name says', { 'b.csv': 'GIF89a' }],
    ['of several tables', { 'b.json': '{"a":[{"n":1}],"b":[{"n":2}]}' }],
  ])('are refused with one %s, which is named', async (_, bad) => {
    await using app = await opened();
    const { id, dataset } = await submit(app, { 'a.csv': FILES['a.csv'], ...bad });
    await app.settle();
    const { status, error } = (await app.send('GET', `/v1/jobs/${id}`)).body;
    expect({ status, code: error.code }).toEqual({ status: 'failed', code: 'FILE_TOO_LARGE' });
    expect(error.detail).toContain(`In ${JSON.stringify(Object.keys(bad)[0])}: `);
    expect(await app.tables(dataset)).toEqual({});
  });
});
