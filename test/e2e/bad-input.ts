import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';
import type { World } from './world.ts';

/** Bytes that look like chance and are the same on every run. */
function noise(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), noise(500)]);
const rows = (count: number): string => `a,b\n${Array.from({ length: count }, (_, n) => `${n},x${n}`).join('\n')}\n`;
const packed = gzipSync(rows(50_000));
const halfJson = JSON.stringify(Array.from({ length: 100 }, (_, a) => ({ a }))).slice(0, 500);

/** Name, bytes, and the code that the job fails with. */
const files: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['noise.csv', noise(20_000), 'FORMAT_MISMATCH'],
  ['cut.csv.gz', packed.subarray(0, packed.length / 2), 'COMPRESSION_CORRUPT'],
  ['cut.parquet', Buffer.concat([Buffer.from('PAR1'), noise(2000)]), 'PARSE_ERROR'],
  ['picture.parquet', png, 'FORMAT_MISMATCH'],
  ['half.json', halfJson, 'PARSE_ERROR'],
  ['two.zip', zip({ name: 'a.csv', data: 'a\n' }, { name: 'b.csv.gz', data: 'b\n' }), 'ARCHIVE_NESTED'],
  ['page.csv', '<!doctype html><title>Log in</title>', 'FORMAT_MISMATCH'],
  ['one-bad.ndjson', '{"a":1}\n{"a":\n{"a":3}\n', 'PARSE_ERROR'],
];

export function badInput(world: World): void {
  let dataset = '';
  beforeAll(async () => {
    dataset = await world.client.newDataset(`bad-${world.run}`);
  });
  const upload = (name: string, body: NonNullable<RequestInit['body']>) =>
    world.client.post(`/v1/datasets/${dataset}/files?name=${encodeURIComponent(name)}`, {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    });
  const tables = async (): Promise<Json[]> => (await world.client.get(`/v1/datasets/${dataset}/tables`)).body.data;

  it.each(files)(
    '%s fails with its own code and a next step, and leaves nothing visible',
    async (name, bytes, code) => {
      const job = await world.client.ingest(dataset, name, bytes);
      expect(job).toMatchObject({ status: 'failed', attempts: expect.any(Number), error: { code } });
      expect(job.error.next).toEqual(expect.any(String));
      expect(await tables()).toEqual([]);
    },
  );

  it('a 10 MB single line fails with its own code', async () => {
    const { complete } = await world.client.sendParts(dataset, 'line.csv', Buffer.alloc(10_000_000, 'x'));
    const job = await world.client.ended((await complete()).body.id);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'LINE_TOO_LONG', next: expect.any(String) } });
    expect(await tables()).toEqual([]);
  });

  it('an empty file is refused at once', async () => {
    expect(outcome(await upload('empty.csv', ''))).toBe('422 EMPTY_FILE');
    const json = { name: 'empty.csv', size: 0 };
    expect(outcome(await world.client.post(`/v1/datasets/${dataset}/uploads`, { json }))).toBe('422 EMPTY_FILE');
  });

  it('a name of 5,000 characters, or with a path in it, is refused at once', async () => {
    for (const name of ['x'.repeat(5000), '../x', 'a/../../b.csv', 'a\\b.csv', '..', 'a\u0000.csv'])
      expect([name, outcome(await upload(name, 'a\n1\n'))]).toEqual([name, '422 NAME_NOT_ALLOWED']);
  });

  it('a direct upload of 4.2 MiB is refused, naming the route for presigned parts', async () => {
    const answer = await upload('large.csv', Buffer.alloc(4.2 * 1024 ** 2, 'x'));
    expect(outcome(answer)).toBe('413 BODY_TOO_LARGE');
    expect(answer.body.uploadRoute).toBe(`/v1/datasets/${dataset}/uploads`);
  });

  it('an unknown dataset is not found', async () => {
    const unknown = `ds_${'0'.repeat(26)}`;
    const answers = [
      world.client.get(`/v1/datasets/${unknown}`),
      world.client.get('/v1/datasets/nonsense'),
      world.client.post(`/v1/datasets/${unknown}/files?name=a.csv`, { body: 'a\n1\n' }),
      world.client.query(unknown, 'SELECT 1'),
    ];
    for (const answer of await Promise.all(answers)) expect(outcome(answer)).toBe('404 NOT_FOUND');
  });

  it('a form without a file, or one that is cut, is malformed', async () => {
    const body = new FormData();
    body.append('other', 'text');
    const path = `/v1/datasets/${dataset}/files?name=a.csv`;
    expect(outcome(await world.client.post(path, { body }))).toBe('400 MALFORMED_UPLOAD');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(outcome(await world.client.post(path, { body: '--x\r\ncut', headers }))).toBe('400 MALFORMED_UPLOAD');
  });
}
