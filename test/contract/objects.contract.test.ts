import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../lib/core/fault.ts';
import { days, hours, minutes, systemClock } from '../../lib/core/time.ts';
import { createFolderObjects } from '../../lib/store/folder.ts';
import type { LinkQuery } from '../../lib/store/folder-links.ts';
import type { PartQuery } from '../../lib/store/folder-parts.ts';
import { createS3Objects } from '../../lib/store/s3.ts';
import { createS3Copy, rangesOf } from '../../lib/store/s3-copy.ts';
import { clientSettings } from '../support/aws.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { objectsSuite } from './suite/objects.ts';
import { uniqueName } from './support/names.ts';

const MIB = 1024 ** 2;
const queryOf = (url: string): PartQuery => Object.fromEntries(new URL(url).searchParams) as unknown as PartQuery;

async function openFolder(clock = systemClock) {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-folder-'));
  const objects = createFolderObjects({ directory, baseUrl: 'http://localhost/parts', clock, secret: 'secret' });
  const putPart = async (url: string, bytes: Uint8Array) => {
    try {
      const { etag } = await objects.acceptPart(queryOf(url), { body: Readable.from([bytes]), size: bytes.length });
      return { etag, status: 200 };
    } catch (error) {
      return { status: error instanceof Fault ? error.status : 500 };
    }
  };
  const fetchUrl = async (url: string) => {
    try {
      const { type, body } = await objects.openLink(queryOf(url) as unknown as LinkQuery);
      return { status: 200, type, text: await text(body) };
    } catch (error) {
      return { status: error instanceof Fault ? error.status : 500, type: null, text: '' };
    }
  };
  return { objects, putPart, fetchUrl, close: () => rm(directory, { recursive: true }) };
}

async function openBucket() {
  const client = new S3Client({ ...clientSettings('S3'), forcePathStyle: true });
  const bucket = uniqueName('objects');
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const close = async () => {
    let more = true;
    while (more) {
      const { Contents = [], IsTruncated = false } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const keys = Contents.map(({ Key }) => ({ Key }));
      if (keys.length > 0) await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys } }));
      more = IsTruncated;
    }
    await client.send(new DeleteBucketCommand({ Bucket: bucket }));
    client.destroy();
  };
  const putPart = async (url: string, bytes: Uint8Array) => {
    const answer = await fetch(url, { method: 'PUT', body: Buffer.from(bytes) });
    const etag = answer.headers.get('etag');
    return { status: answer.status, ...(etag !== null && { etag }) };
  };
  const fetchUrl = async (url: string) => {
    const answer = await fetch(url);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const keepVersions = () =>
    client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  return { objects: createS3Objects({ client, bucket }), putPart, fetchUrl, keepVersions, close, client, bucket };
}

objectsSuite('a folder', openFolder);
objectsSuite('S3', openBucket);

describe('a bucket that keeps versions', () => {
  it('gives up every version of an object, and the mark of its deletion', async () => {
    const { objects, keepVersions, close } = await openBucket();
    await objects.putOnce('t/w/a/before', 'x');
    await keepVersions();
    await objects.putOnce('t/w/a/1', 'first');
    await objects.delete('t/w/a/1');
    await objects.putOnce('t/w/a/1', 'second');
    await objects.delete('t/w/a/before');
    const { versions } = await objects.listVersions('t/w/a/');
    expect(versions.map(({ key, size }) => `${key} ${size}`).toSorted()).toEqual([
      ...['t/w/a/1 0', 't/w/a/1 5', 't/w/a/1 6'],
      ...['t/w/a/before 0', 't/w/a/before 1'],
    ]);
    await objects.deleteVersions(versions);
    expect((await objects.listVersions('t/w/a/')).versions).toEqual([]);
    await close();
  });
});

describe('a folder of objects', () => {
  it('refuses a part after its URL has expired, and one of an upload that is over', async () => {
    const clock = createManualClock();
    const { objects, putPart, close } = await openFolder(clock);
    const upload = await objects.startMultipart('t/w/a');
    const [part] = await objects.presignParts('t/w/a', upload, 1, minutes(5));
    const { etag } = await putPart(part!.url, Buffer.from('x'));
    expect(await objects.completeMultipart('t/w/a', upload, [{ number: 1, etag: etag! }])).toBe('written');
    expect((await putPart(part!.url, Buffer.from('y'))).status).toBe(404);
    expect(await objects.completeMultipart('t/w/a', upload, [{ number: 1, etag: etag! }])).toBe('exists');
    await clock.advance(minutes(5));
    expect((await putPart(part!.url, Buffer.from('y'))).status).toBe(403);
    await close();
  });

  it('forgets an upload that was never completed with the next one that begins a day later', async () => {
    const clock = createManualClock();
    const { objects, putPart, close } = await openFolder(clock);
    const given = await objects.startMultipart('t/w/given-up');
    const young = async () => {
      const [part] = await objects.presignParts('t/w/given-up', given, 1, days(3));
      return (await putPart(part!.url, Buffer.from('x'))).status;
    };
    await clock.advance(hours(23));
    await objects.startMultipart('t/w/second');
    expect(await young()).toBe(200);
    await clock.advance(hours(2));
    await objects.startMultipart('t/w/third');
    expect(await young()).toBe(404);
    await close();
  });

  it('gives nothing to a URL that has expired, and removes what was passed on with the next that is', async () => {
    const clock = createManualClock();
    const { objects, fetchUrl, close } = await openFolder(clock);
    const path = join(await mkdtemp(join(tmpdir(), 'millrace-passing-')), 'file');
    const pass = async (key: string) => {
      await writeFile(path, 'x');
      await objects.movePassingFile(key, path);
    };
    await pass('t/w/one');
    const url = await objects.presignGet('t/w/one', { expires: minutes(5), name: 'x', type: 'text/csv' });
    await clock.advance(minutes(5));
    expect((await fetchUrl(url)).status).toBe(403);
    await pass('t/w/two');
    expect(await objects.head('t/w/one')).toBeDefined();
    await clock.advance(days(1));
    await pass('t/w/three');
    expect([await objects.head('t/w/one'), await objects.head('t/w/two')]).toEqual([undefined, undefined]);
    expect(await objects.head('t/w/three')).toBeDefined();
    await rm(dirname(path), { recursive: true });
    await close();
  });

  it('refuses keys that climb out of it', async () => {
    const { objects, close } = await openFolder();
    for (const key of ['../x', 't/../../x', '/etc/x', 't//x', 't/./x', 't\\..\\x'])
      await expect(objects.putOnce(key, 'x')).rejects.toThrow('not a key part');
    await close();
  });
});

describe('a copy in S3', () => {
  it('goes in parts where one call does not take it, and only of the version that is meant', async () => {
    const { objects, client, bucket, close } = await openBucket();
    const sizes = { single: 5 * MIB, part: 5 * MIB };
    const copy = createS3Copy(client, bucket, (key) => objects.head(key), sizes);
    const body = Buffer.alloc(12 * MIB + 7, 'abcdefghijk');
    await objects.putOnce('t/w/large', body);
    const { etag = '' } = (await objects.head('t/w/large')) ?? {};
    const late = createS3Copy(
      client,
      bucket,
      async (key) => (key === 't/w/large' ? { key, size: body.length, etag: '"old"' } : undefined),
      sizes,
    );
    expect(await late({ key: 't/w/large', etag: '"old"' }, 't/w/copy')).toBe('changed');
    expect(await copy({ key: 't/w/large', etag }, 't/w/copy')).toBe('written');
    expect(body.equals((await objects.get('t/w/copy')) ?? Buffer.alloc(0))).toBe(true);
    expect(await copy({ key: 't/w/large', etag }, 't/w/copy')).toBe('exists');
    await close();
  });

  it('has at most 10,000 parts that are the whole', () => {
    const size = 50 * 1024 ** 3 + 1;
    const ranges = rangesOf(size, 512 * MIB);
    expect(ranges).toHaveLength(101);
    expect([ranges[0], ranges.at(-1)]).toEqual(['bytes=0-536870911', `bytes=${size - 1}-${size - 1}`]);
    expect(rangesOf(size, MIB).length).toBeLessThanOrEqual(10_000);
  });
});
