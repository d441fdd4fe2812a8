// Large files, read in chunks: what is done is done once, whoever dies, and a cancel reaches all who work on it.
import { createHash } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HASH_BLOCK_BYTES } from '../../lib/ingest/chunks/text-hash.ts';
import { threadsHere } from '../unit/ingest/chunks/side-by-side.ts';
import { blockHash } from '../unit/ingest/chunks/block-hash.ts';
import { bzip2 } from '../unit/ingest/formats/bzip2-writer.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';
import { type App, atPart, atRead, dies, READ, start, startApp, submitFile } from './support/chunked-app.ts';

const ROWS = 400;
const csv = `n,code,day\n${Array.from({ length: ROWS }, (_, n) => `${n},${String(n).padStart(3, '0')},${n < 390 ? '05/06/2024' : '25/06/2024'}\n`).join('')}`;

async function checkTable(app: App, dataset: string) {
  const { t } = await app.tables(dataset);
  expect(t.rowCount).toBe(ROWS);
  const asked = await app.query(dataset, 'SELECT count(*) AS c, sum(n) AS s, min(code) AS a, max(day) AS d FROM t');
  expect(asked.body.rows).toEqual([[ROWS, (ROWS * (ROWS - 1)) / 2, '000', '2024-06-25']]);
  return t;
}

describe('a file larger than a chunk', () => {
  it('is a table of a part a chunk, written in one invocation where there are few', async () => {
    await using app = await startApp({ chunkBytes: 2000 });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.csv', csv);
    expect(job).toMatchObject({ status: 'succeeded' });
    const t = await checkTable(app, dataset);
    expect(t.columns.map(({ type }: { type: string }) => type)).toEqual(['BIGINT', 'VARCHAR', 'DATE']);
    expect(t.warnings).toMatchObject([{ code: 'DATE_ORDER_DECIDED', count: ROWS }, { code: 'KEPT_AS_TEXT' }]);
    expect(app.objects.keys().filter((key) => key.endsWith('.parquet'))).toHaveLength(4);
    // Head and first megabyte, then once: what pass one read is there for pass two.
    expect(app.sourceBytes()).toBeLessThan(3.2 * csv.length);
  });

  it('is written by children where there are many, and says so in what they are', async () => {
    await using app = await startApp();
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.csv', csv);
    expect(job).toMatchObject({ status: 'succeeded', attempts: 0 });
    await checkTable(app, dataset);
    const children = app.started.filter(({ ref }) => ref.id !== job.id);
    expect(new Set(children.map(({ ref }) => ref.id)).size).toBe(2);
  });

  it('is the same where its chunks are surveyed side by side, and so is what a run that dies leaves to the next', async () => {
    const plans: unknown[] = [];
    for (const threads of [undefined, threadsHere(2)]) {
      await using app = await startApp({ chunksAtOnce: 3 }, threads?.threads);
      const { id, dataset } = await submitFile(app, 't.csv', csv);
      const run = await start(app, id);
      atRead(app, 2 + 7, dies(app, run));
      expect(await app.step(run, READ)).toContain('lease_lost');
      await app.settle();
      expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
      await checkTable(app, dataset);
      const [key = ''] = app.objects.keys().filter((name) => name.endsWith('/plan.json'));
      const { plain: _, ...plan } = JSON.parse(Buffer.from((await app.objects.get(key)) ?? []).toString());
      plans.push(plan);
      if (threads !== undefined) expect(threads.found()).toBeGreaterThan(4);
    }
    expect(plans[1]).toEqual(plans[0]);
  });

  it('of NDJSON is one too, and so is a JSON array', async () => {
    await using app = await startApp();
    const dataset = await app.dataset();
    const records = Array.from({ length: 60 }, (_, n) => JSON.stringify({ n, text: `é ${n}`, half: n / 2 }));
    expect(await app.upload(dataset, 'l.ndjson', `${records.join('\n')}\n`)).toMatchObject({ status: 'succeeded' });
    expect(await app.upload(dataset, 'a.json', `[${records.join(', ')}]`)).toMatchObject({ status: 'succeeded' });
    const sql = 'SELECT count(*), sum(n), max(half), min(text) FROM';
    for (const name of ['l', 'a'])
      expect((await app.query(dataset, `${sql} ${name}`)).body.rows).toEqual([[60, 1770, '29.5', 'é 0']]);
  });

  const japanese = (text: string) =>
    Buffer.from(text.replaceAll('表', '\x95\x5c').replaceAll('の', '\x82\xcc'), 'latin1');
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const lines = Array.from({ length: 60 }, (_, n) => JSON.stringify({ n, text: 'の表'.repeat(20) }));
  it.each<[string, string, Buffer, object, string | undefined]>([
    [
      'found by what stands behind its head',
      't.csv',
      Buffer.from(`${csv}9,caf\u00e9,05/06/2024\n`, 'latin1'),
      {},
      'café',
    ],
    [
      'that the caller says',
      't.csv',
      Buffer.from(`${csv}9,caf\u00e9,05/06/2024\n`, 'latin1'),
      { encoding: 'iso-8859-1' },
      undefined,
    ],
    ['that its mark says', 't.csv', utf16(`\ufeff${csv}9,é,05/06/2024\n`), {}, undefined],
    ['that its zeros show', 't.csv', utf16(`${csv}9,é,05/06/2024\n`), {}, ''],
    ['whose bytes look like quotes', 't.ndjson', japanese(`${lines.join('\n')}\n`), {}, 'の表'],
    ['whose bytes look like quotes, in an array', 't.json', japanese(`[${lines.join(',')}]`), {}, 'の表'],
  ])('in an encoding %s is written out as UTF-8, and read in chunks', async (_, name, body, options, guessed) => {
    await using app = await startApp({ chunkBytes: 2000, maxWholeBytes: 1000 });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, name, new Uint8Array(body), { options: JSON.stringify(options) });
    expect(job).toMatchObject({ status: 'succeeded' });
    const { t } = await app.tables(dataset);
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(t).toMatchObject({ rowCount: name === 't.csv' ? ROWS + 1 : 60, source: { bytes: body.length, sha256 } });
    const warning = t.warnings.find(({ code }: { code: string }) => code === 'ENCODING_GUESSED');
    expect(warning === undefined ? undefined : (warning.example ?? '')).toEqual(
      guessed === undefined || guessed === '' ? guessed : expect.stringContaining(guessed),
    );
    expect(app.objects.keys().filter((key) => /\/utf8-\d+$/.test(key)).length).toBeGreaterThan(1);
  });

  it('in encodings that are mixed is refused with the place', async () => {
    await using app = await startApp();
    const mixed = Buffer.concat([Buffer.from(`${csv}9,é`), Buffer.from(',\u00e9\n', 'latin1')]);
    const job = await app.upload(await app.dataset(), 't.csv', new Uint8Array(mixed));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'ENCODING_INVALID' } });
    expect(job.error.detail).toContain(`Line ${ROWS + 2}`);
  });

  it('is counted by children where a value contradicts its sample, and written again', async () => {
    await using app = await startApp({ chunkBytes: 1 << 18, chunksAnInvocation: 2 });
    const dataset = await app.dataset();
    const rows = 8000;
    // Behind a block that is sampled, and before the next.
    const odd = Math.floor((40.9 * rows) / 64);
    const line = (row: number) => `${row === odd ? 'x' : row},`.padEnd(250, '-');
    const large = `n,note\n${Array.from({ length: rows }, (_, row) => `${line(row)}\n`).join('')}`;
    expect(await app.upload(dataset, 't.csv', large)).toMatchObject({ status: 'succeeded' });
    const { t } = await app.tables(dataset);
    expect(t).toMatchObject({ rowCount: rows, columns: [{ type: 'VARCHAR' }, { type: 'VARCHAR' }] });
    expect(t.warnings).toMatchObject([{ code: 'TYPE_WIDENED', column: 'n', row: odd + 1, count: 1, example: 'x' }]);
    expect(app.objects.keys().filter((key) => /\/proven-\d+\.parquet$/.test(key))).toHaveLength(8);
  });

  it('that is refused names the place in the whole of it', async () => {
    await using app = await startApp();
    const job = await app.upload(await app.dataset(), 't.csv', `${csv}1,"x`);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'PARSE_ERROR' } });
    expect(job.error.detail).toContain(`Line ${ROWS + 2}`);
  });

  it.each([
    ['as it is', gzipSync(csv), {}],
    ['in another encoding', gzipSync(Buffer.from(csv.replace('000', 'é'), 'latin1')), { encoding: 'iso-8859-1' }],
    ['in UTF-16', gzipSync(Buffer.from(`\ufeff${csv}`, 'utf16le')), {}],
  ])('that is compressed (%s) is written out in pieces, and read in chunks of them', async (_, body, options) => {
    await using app = await startApp({ chunkBytes: 2000 });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.csv.gz', new Uint8Array(body), { options: JSON.stringify(options) });
    expect(job).toMatchObject({ status: 'succeeded' });
    const { t } = await app.tables(dataset);
    expect(t).toMatchObject({ rowCount: ROWS, source: { compression: 'gzip', bytes: body.length } });
    expect(app.objects.keys().filter((key) => key.endsWith('.parquet')).length).toBeGreaterThan(2);
  });

  const latin = Buffer.from(`${csv}9,caf\u00e9,05/06/2024\n`, 'latin1');
  it.each([
    ['gzip', 'gz', gzipSync(latin)],
    [
      'several members of gzip',
      'gz',
      Buffer.concat([gzipSync(latin.subarray(0, 3000)), gzipSync(latin.subarray(3000))]),
    ],
    ['zstd', 'zst', Buffer.concat([zstdCompressSync(latin.subarray(0, 3000)), zstdCompressSync(latin.subarray(3000))])],
    ['bzip2', 'bz2', bzip2(latin)],
    ['zip', 'zip', zip({ name: '__MACOSX/x', data: 'x' }, { name: 'd/t.csv', data: latin }, { name: 'e/' })],
    ['zip that only stores', 'zip', zip({ name: 't.csv', data: latin, method: 0 })],
    ['zip of 64 bits', 'zip', zip({ name: 't.csv', data: latin, zip64: true })],
  ])('that is compressed (%s) is read as it comes, in an encoding that has to be found', async (_, suffix, body) => {
    await using app = await startApp({ chunkBytes: 2000, maxWholeBytes: 100 });
    const dataset = await app.dataset();
    const { download } = app.objects;
    app.objects.download = (key, path) => {
      expect(key).not.toMatch(/\/source$/);
      return download(key, path);
    };
    expect(await app.upload(dataset, `t.csv.${suffix}`, new Uint8Array(body))).toMatchObject({ status: 'succeeded' });
    const { t } = await app.tables(dataset);
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(t).toMatchObject({ rowCount: ROWS + 1, source: { bytes: body.length, sha256 } });
    expect(t.warnings[0]).toMatchObject({ code: 'ENCODING_GUESSED', example: expect.stringContaining('café') });
    expect(app.objects.keys().filter((key) => key.endsWith('.parquet')).length).toBeGreaterThan(2);
  });

  it.each([
    ['cut short', gzipSync(csv).subarray(0, -20), 'COMPRESSION_CORRUPT'],
    ['with other bytes behind it', Buffer.concat([gzipSync(csv), Buffer.from('more')]), 'COMPRESSION_CORRUPT'],
    ['that is not what its name says', Buffer.from(csv), 'FORMAT_MISMATCH'],
    [
      'in which a byte is of no encoding',
      gzipSync(Buffer.concat([Buffer.from(csv), Buffer.of(0x81)])),
      'ENCODING_INVALID',
    ],
  ])('that is compressed, %s, is refused', async (_, body, code) => {
    await using app = await startApp({ chunkBytes: 2000 });
    const job = await app.upload(await app.dataset(), 't.csv.gz', new Uint8Array(body));
    expect(job).toMatchObject({ status: 'failed', error: { code } });
  });

  it.each([
    ['that is encrypted', zip({ name: 't.csv', data: csv, flags: 1 }), 'ARCHIVE_ENCRYPTED'],
    ['whose file leads up', zip({ name: '../t.csv', data: csv }), 'ARCHIVE_ENTRY_NAME'],
    ['of another method', zip({ name: 't.csv', data: csv, method: 14 }), 'ARCHIVE_METHOD'],
    ['with an archive in it', zip({ name: 't.zip', data: zip({ name: 't.csv', data: csv }) }), 'ARCHIVE_NESTED'],
    ['with gzip in it', zip({ name: 't.csv', data: gzipSync(csv) }), 'ARCHIVE_NESTED'],
    ['without a file', zip({ name: 'd/' }), 'EMPTY_FILE'],
    ['that calls its file two things', zip({ name: 't.csv', localName: 'u.csv', data: csv }), 'COMPRESSION_CORRUPT'],
    ['with a wrong checksum', zip({ name: 't.csv', data: csv, crc: 7 }), 'COMPRESSION_CORRUPT'],
    ['that says too small a size', zip({ name: 't.csv', data: csv, size: 3 }), 'COMPRESSION_CORRUPT'],
    ['that says too large a size', zip({ name: 't.csv', data: csv, size: 1e6 }), 'COMPRESSION_CORRUPT'],
    ['that is cut short', zip({ name: 't.csv', data: csv }).subarray(0, -30), 'COMPRESSION_CORRUPT'],
    ['of another format', zip({ name: 't.json', data: csv }), 'FORMAT_MISMATCH'],
    ['of no format', zip({ name: 't.xyz', data: csv }), 'FORMAT_UNKNOWN'],
    ['that expands too far', zip({ name: 't.csv', data: csv.repeat(20) }), 'DECOMPRESSION_LIMIT'],
    [
      'of several files that is too large',
      zip({ name: 'a.csv', data: csv }, { name: 'b.csv', data: csv }),
      'FILE_TOO_LARGE',
    ],
  ])('that is a zip archive %s is refused, and its file read at most once', async (_, body, code) => {
    await using app = await startApp({ chunkBytes: 600, maxWholeBytes: 100, maxDecompressedBytes: 10 * csv.length });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.zip', new Uint8Array(body));
    expect(job).toMatchObject({ status: 'failed', error: { code } });
    expect(await app.tables(dataset)).toEqual({});
    // Its list and the head of its file, a block each, and the file.
    expect(app.sourceBytes()).toBeLessThan(4 * body.length + 1);
  });

  it('that is compressed is an object with a table below each of its keys', async () => {
    const records = (count: number) => Array.from({ length: count }, (_, n) => `{"n":${n}}`).join(',\n');
    const object = `{"a":[${records(400)}],"note":1,"b":[${records(50)}]}`;
    await using app = await startApp({ chunkBytes: 2000, maxWholeBytes: 100 });
    const dataset = await app.dataset();
    const body = new Uint8Array(gzipSync(object));
    expect(await app.upload(dataset, 't.json.gz', body)).toMatchObject({ status: 'succeeded' });
    const { t__a: a, t__b: b } = await app.tables(dataset);
    expect([a.rowCount, b.rowCount]).toEqual([400, 50]);
    expect(a.warnings).toMatchObject([{ code: 'KEYS_LEFT_OUT', count: 1 }]);
    expect(a.source).toMatchObject({ key: 'a', sha256: createHash('sha256').update(body).digest('hex') });
  });

  it('that is compressed and whose text is smaller than one is read as a whole', async () => {
    await using app = await startApp({ chunkBytes: csv.length + 1 });
    const dataset = await app.dataset();
    const body = zstdCompressSync(csv);
    expect(await app.upload(dataset, 't.csv.zst', new Uint8Array(body))).toMatchObject({ status: 'succeeded' });
    await checkTable(app, dataset);
    expect(app.objects.keys().filter((key) => /\/(text-\d+|part-\d+\.parquet)$/.test(key))).toHaveLength(1);
  });

  it('that is compressed and too large to be read as a whole is refused', async () => {
    await using app = await startApp({ maxWholeBytes: 1000 });
    const job = await app.upload(await app.dataset(), 'a.parquet', csv);
    expect(job).toMatchObject({ status: 'failed' });
  });
});

const CHUNKS = Math.ceil(csv.length / 580);

describe('a load that dies', () => {
  it('while it surveys goes on at the chunk where it died', async () => {
    await using app = await startApp();
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    const run = await start(app, id);
    // The head twice, then a chunk each.
    atRead(app, 2 + 7, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    app.sourceBytes();
    await start(app, id).then((again) => app.execute(again));
    expect(await app.row(id)).toMatchObject({ status: 'parked', parked: 'children', crashes: 1, attempts: 0 });
    // The head twice, for the hash what the block that is open has before the seventh chunk, and the chunks from there on.
    const [, , ofBlock, ...chunks] = app.sourceReads();
    expect(ofBlock).toBeLessThan(Math.min(HASH_BLOCK_BYTES, 6 * 600));
    expect(chunks.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(((CHUNKS - 6) / CHUNKS) * csv.length);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded' });
    const { source } = await checkTable(app, dataset);
    expect(source.sha256).toBe(blockHash(Buffer.from(csv), HASH_BLOCK_BYTES));
  });

  it('while it is written out as UTF-8 goes on at the piece where it died', async () => {
    await using app = await startApp();
    const body = Buffer.from(`\ufeff${csv}`, 'utf16le');
    const { id, dataset } = await submitFile(app, 't.csv', new Uint8Array(body));
    const run = await start(app, id);
    // The head, then a piece each.
    atRead(app, 1 + 11, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    app.sourceBytes();
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // The head is read again, for the hash what the block that is open has before the eleventh piece, and what was not written out.
    const [, ofBlock, ...pieces] = app.sourceReads();
    expect(ofBlock).toBeLessThanOrEqual(Math.min(HASH_BLOCK_BYTES, 10 * 600 + 100));
    expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(body.length - 10 * 600 + 100);
    const { source } = await checkTable(app, dataset);
    expect(source.sha256).toBe(blockHash(body, HASH_BLOCK_BYTES));
  });

  it('while it surveys what one invocation holds fetches what pass two needs, once, and knows the hash', async () => {
    await using app = await startApp({ chunkBytes: 2000 });
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    const run = await start(app, id);
    atRead(app, 2 + 3, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    app.sourceBytes();
    await app.settle();
    // The heads, and what is longer than a chunk by the record that is cut off.
    expect(app.sourceBytes() - 2 * csv.length).toBeLessThan(1.02 * csv.length);
    const { source } = await checkTable(app, dataset);
    expect(source.sha256).toBe(createHash('sha256').update(csv).digest('hex'));
  });

  it('and whose time runs out while it surveys goes on at no cost', async () => {
    await using app = await startApp();
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    const run = await start(app, id);
    const late = new AbortController();
    atRead(app, 2 + 5, async () => late.abort(new Error('15 minutes')));
    expect(await app.step(run, READ, late.signal)).toContain('settled');
    expect(await app.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', cursor: '4', attempts: 0, crashes: 0 });
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    await checkTable(app, dataset);
  });

  it('while a child writes goes on at the chunk where it died', async () => {
    await using app = await startApp({ chunksAnInvocation: 100 });
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    const run = await start(app, id);
    atPart(app, 8, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    const before = app.objects.keys().filter((key) => key.endsWith('.parquet')).length;
    expect(before).toBeGreaterThan(4);
    app.sourceBytes();
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // What the first run wrote is not read again; a pass one that is committed is not begun again.
    expect(app.sourceBytes()).toBeLessThan(csv.length * (1 - (before - 1) / CHUNKS));
    await checkTable(app, dataset);
  });

  it('after its children have ended submits none anew', async () => {
    await using app = await startApp();
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    await app.execute(await start(app, id));
    const children = app.bells.map(({ ref }) => ref.id);
    expect(children).toHaveLength(2);
    for (const child of children) await app.execute(await start(app, child));
    await app.relay();
    const run = await start(app, id);
    const { get } = app.objects;
    app.objects.get = async (key) => {
      if (!key.endsWith('plan.json')) return get(key);
      app.objects.get = get;
      return dies(app, run)();
    };
    await app.step(run, READ);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    expect(new Set(app.started.map(({ ref }) => ref.id)).size).toBe(3);
    await checkTable(app, dataset);
  });

  it('ends as its child ends where that cannot write', async () => {
    await using app = await startApp();
    const { id } = await submitFile(app, 't.csv', csv);
    await app.execute(await start(app, id));
    for (const key of app.objects.keys()) if (key.endsWith('/source')) await app.objects.delete(key);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE', stage: 'parse' } });
  });

  it('takes its children with it when it is cancelled', async () => {
    await using app = await startApp();
    const { id } = await submitFile(app, 't.csv', csv);
    await app.execute(await start(app, id));
    const children = app.bells.map(({ ref }) => ref.id);
    expect((await app.send('POST', `/v1/jobs/${id}/cancel`)).status).toBeLessThan(300);
    await app.relay();
    for (const child of [id, ...children]) expect(await app.row(child)).toMatchObject({ status: 'cancelled' });
  });
});
