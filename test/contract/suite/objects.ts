// What every object store does: a key is written once, whole or not at all, and never changes.
import { existsSync } from 'node:fs';
import { mkdtemp, open as openFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Objects, UploadedPart } from '../../../lib/core/objects.ts';
import { minutes, systemClock } from '../../../lib/core/time.ts';

export interface ObjectsHarness {
  readonly objects: Objects;
  /** Sends a part's bytes to its presigned URL as a caller would; answers the ETag, or the status that refused it. */
  putPart(url: string, bytes: Uint8Array): Promise<{ readonly etag?: string; readonly status: number }>;
  /** Fetches a presigned URL as anybody would. */
  fetchUrl(url: string): Promise<{ readonly status: number; readonly type: string | null; readonly text: string }>;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString());

export function objectsSuite(name: string, open: () => Promise<ObjectsHarness>): void {
  describe(`objects in ${name}`, () => {
    let harness: ObjectsHarness;
    let objects: Objects;
    let folder: string;
    beforeAll(async () => {
      harness = await open();
      objects = harness.objects;
      folder = await mkdtemp(join(tmpdir(), 'millrace-objects-'));
    });
    afterAll(async () => {
      await rm(folder, { recursive: true });
      await harness.close();
    });

    it('writes a key once, and leaves it as the first one wrote it', async () => {
      expect(await objects.putOnce('t/w/once', 'first')).toBe('written');
      expect(await objects.putOnce('t/w/once', 'second')).toBe('exists');
      expect(text(await objects.get('t/w/once'))).toBe('first');
    });

    it('lets one of ten writers at one key win', async () => {
      const bodies = Array.from({ length: 10 }, (_, index) => `body ${index}`);
      const answers = await Promise.all(bodies.map((body) => objects.putOnce('t/w/raced', body)));
      expect(answers.filter((answer) => answer === 'written')).toHaveLength(1);
      expect(text(await objects.get('t/w/raced'))).toBe(bodies[answers.indexOf('written')]);
    });

    it('copies an object once, as the version that is meant, and nothing where there is none of it', async () => {
      const from = 't/w/copied/a b+c é%?.csv';
      await objects.putOnce(from, 'bytes');
      const { etag = '' } = (await objects.head(from)) ?? {};
      expect(await objects.copyOnce({ key: from, etag: '"another"' }, 't/w/copied/to')).toBe('changed');
      expect(await objects.copyOnce({ key: 't/w/copied/none', etag }, 't/w/copied/to')).toBe('missing');
      expect(await objects.get('t/w/copied/to')).toBeUndefined();
      expect(await objects.copyOnce({ key: from, etag: etag.replaceAll('"', '') }, 't/w/copied/to')).toBe('written');
      expect(text(await objects.get('t/w/copied/to'))).toBe('bytes');
      await objects.delete(from);
      expect(await objects.copyOnce({ key: from, etag }, 't/w/copied/to')).toBe('exists');
    });

    it('knows nothing of a key that was never written', async () => {
      const path = join(folder, 'absent');
      expect(await objects.get('t/w/absent')).toBeUndefined();
      expect(await objects.read('t/w/absent')).toBeUndefined();
      expect(await objects.head('t/w/absent')).toBeUndefined();
      expect(await objects.download('t/w/absent', path)).toBe(false);
      await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
      await objects.delete('t/w/absent');
    });

    it('lists what is below a prefix by key, and when it was written, a page at a time', async () => {
      const keys = Array.from({ length: 1003 }, (_, at) => `t/w/listed/a/${String(at).padStart(4, '0')}`);
      for (let from = 0; from < keys.length; from += 100)
        await Promise.all(keys.slice(from, from + 100).map((key) => objects.putOnce(key, 'x')));
      await objects.putOnce('t/w/listed/Z/1', 'x');
      await objects.putOnce('t/w/listed2/1', 'x');
      const first = await objects.list('t/w/listed/');
      expect(first.objects).toHaveLength(1000);
      expect(first.objects[0]).toMatchObject({ key: 't/w/listed/Z/1', size: 1 });
      expect((await objects.head('t/w/listed/Z/1'))?.etag).toBe(first.objects[0]?.etag);
      expect(Math.abs((first.objects[0]?.writtenAt ?? 0) - systemClock.now())).toBeLessThan(60 * 60 * 1000);
      const rest = await objects.list('t/w/listed/', first.after);
      expect(rest.objects.map(({ key }) => key)).toEqual(keys.slice(999));
      expect(rest.after).toBeUndefined();
      expect(await objects.list('t/w/nothing/')).toEqual({ objects: [] });
      // Below an object there is nothing.
      expect(await objects.list('t/w/listed/Z/1/')).toEqual({ objects: [] });
      expect((await objects.listVersions('t/w/listed/Z/1/')).versions).toEqual([]);
      expect(await objects.head('t/w/listed/Z/1/below')).toBeUndefined();
      expect(await objects.get('t/w/listed/Z/1/below')).toBeUndefined();
      await objects.delete('t/w/listed/Z/1/below');
      expect(await objects.copyOnce({ key: 't/w/listed/Z/1/below', etag: '"x"' }, 't/w/from-below')).toBe('missing');
      expect((await objects.head('t/w/listed/Z/1'))?.size).toBe(1);
    });

    it('lists every version below a prefix, and removes them for good, those that are gone among them', async () => {
      const keys = Array.from({ length: 12 }, (_, at) => `t/w/versions/a/${String(at).padStart(2, '0')}`);
      for (const key of keys) await objects.putOnce(key, 'xyz');
      await objects.putOnce('t/w/versions2/1', 'x');
      const { versions, after } = await objects.listVersions('t/w/versions/');
      expect([versions.map(({ key }) => key), after]).toEqual([keys, undefined]);
      expect(versions.every(({ size }) => size === 3)).toBe(true);
      await objects.deleteVersions(versions.slice(0, 5));
      await objects.deleteVersions(versions);
      await objects.deleteVersions([]);
      expect((await objects.listVersions('t/w/versions/')).versions).toEqual([]);
      expect(await objects.get('t/w/versions2/1')).toBeDefined();
    });

    it('describes, streams and downloads what was written, then forgets it', async () => {
      const key = `t/w/${'long'.repeat(60)}/naïve name.csv`;
      await objects.putOnce(key, 'a,b\n1,2\n');
      const info = await objects.head(key);
      expect(info).toMatchObject({ key, size: 8 });
      expect(info?.etag).not.toBe('');
      expect(await objects.head(key)).toEqual(info);
      expect(text(await buffer((await objects.read(key))!))).toBe('a,b\n1,2\n');
      const path = join(folder, 'copy');
      expect(await objects.download(key, path)).toBe(true);
      expect(await readFile(path, 'utf8')).toBe('a,b\n1,2\n');
      await objects.delete(key);
      expect(await objects.head(key)).toBeUndefined();
    });

    it('a download takes the place of another, and stays when its object goes; what is stored stays as it was', async () => {
      const [one, other, path] = ['t/w/downloads/one', 't/w/downloads/other', join(folder, 'downloaded')];
      await objects.putOnce(one, 'the first of them');
      await objects.putOnce(other, 'the other');
      const before = await objects.head(one);
      expect(await objects.download(one, path)).toBe(true);
      expect(await objects.download(other, path)).toBe(true);
      expect(await readFile(path, 'utf8')).toBe('the other');
      expect(text(await objects.get(one))).toBe('the first of them');
      expect(await objects.head(one)).toEqual(before);
      await objects.delete(other);
      expect(await readFile(path, 'utf8')).toBe('the other');
      await rm(path);
      expect(await objects.download(one, path)).toBe(true);
      await rm(path);
      expect(text(await objects.get(one))).toBe('the first of them');
    });

    it('ends a download early that is given up', async () => {
      const path = join(folder, 'given-up');
      await objects.putOnce('t/w/downloads/given-up', 'x');
      const signal = AbortSignal.abort(new Error('given up'));
      await expect(objects.download('t/w/downloads/given-up', path, signal)).rejects.toThrow();
    });

    it.each([100, 20 * MIB])('takes a file of %d bytes over once', async (size) => {
      const path = join(folder, `file-${size}`);
      const bytes = Buffer.alloc(size, 'abcdefg');
      await writeFile(path, bytes);
      const key = `t/w/file-${size}`;
      expect(await objects.moveFileOnce(key, path)).toBe('written');
      expect(existsSync(path)).toBe(false);
      await writeFile(path, 'other');
      expect(await objects.moveFileOnce(key, path)).toBe('exists');
      expect(existsSync(path)).toBe(false);
      expect(Buffer.from((await objects.get(key))!).equals(bytes)).toBe(true);
    });

    it('puts a file that goes by itself, and gives it to whoever has its URL', async () => {
      const [key, path] = ['t/w/results/res_1/result.csv', join(folder, 'result')];
      await writeFile(path, 'a\r\n1\r\n');
      expect(await objects.movePassingFile(key, path)).toBe('written');
      await writeFile(path, 'other');
      expect(await objects.movePassingFile(key, path)).toBe('exists');
      const url = await objects.presignGet(key, { expires: minutes(5), name: 'result.csv', type: 'text/csv' });
      expect(await harness.fetchUrl(url)).toEqual({ status: 200, type: 'text/csv', text: 'a\r\n1\r\n' });
      const forged = url.replace('res_1', 'res_2');
      expect(forged).not.toBe(url);
      expect((await harness.fetchUrl(forged)).status).toBe(403);
    });

    it('streams an object from a byte on', async () => {
      await objects.putOnce('t/w/lines', 'one\ntwo\n');
      expect(text(await buffer((await objects.read('t/w/lines', 4))!))).toBe('two\n');
      expect(text(await buffer((await objects.read('t/w/lines', 0))!))).toBe('one\ntwo\n');
      const past = await objects.read('t/w/lines', 100);
      expect(past === undefined ? '' : text(await buffer(past))).toBe('');
    });

    it('writes bytes of an object behind those that a file has, as many as there are', async () => {
      await objects.putOnce('t/w/ranges', 'one\ntwo\n');
      const path = join(folder, 'ranges');
      const wrote: number[] = [];
      const bytes = { wrote: (more: number) => wrote.push(more) };
      await using file = await openFile(path, 'w');
      expect(await objects.readInto('t/w/ranges', file, { start: 4, end: 7, ...bytes })).toBe(true);
      expect(await objects.readInto('t/w/ranges', file, { start: 1, end: 100, ...bytes })).toBe(true);
      expect(await objects.readInto('t/w/none', file, { start: 0, end: 1 })).toBe(false);
      expect(await readFile(path, 'utf8')).toBe('twone\ntwo\n');
      expect(wrote.reduce((sum, more) => sum + more, 0)).toBe(10);
    });

    it('writes a stretch of a large object as it is', async () => {
      const path = join(folder, 'large');
      const bytes = Buffer.alloc(20 * MIB);
      for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at);
      await writeFile(path, bytes);
      await objects.moveFileOnce('t/w/large-stretch', path);
      await using file = await openFile(join(folder, 'large-stretch'), 'w');
      const stretch = { start: MIB + 1, end: 19 * MIB };
      expect(await objects.readInto('t/w/large-stretch', file, stretch)).toBe(true);
      const written = await readFile(join(folder, 'large-stretch'));
      expect(written.equals(bytes.subarray(stretch.start, stretch.end))).toBe(true);
    });

    it('ends a read into a file early', async () => {
      await objects.putOnce('t/w/ended', 'x');
      await using file = await openFile(join(folder, 'ended'), 'w');
      const signal = AbortSignal.abort();
      await expect(objects.readInto('t/w/ended', file, { start: 0, end: 1, signal })).rejects.toThrow(/abort/i);
    });

    const sendParts = async (key: string, upload: string, parts: readonly Buffer[]): Promise<UploadedPart[]> => {
      const presigned = await objects.presignParts(key, upload, parts.length, minutes(5));
      expect(presigned.map(({ number }) => number)).toEqual(parts.map((_, index) => index + 1));
      const answers = await Promise.all(presigned.map(({ url }, index) => harness.putPart(url, parts[index]!)));
      return answers.map(({ etag }, index) => ({ number: index + 1, etag: etag! }));
    };

    it('joins parts that came by presigned URLs, in order, and takes the key once', async () => {
      const parts = [Buffer.alloc(5 * MIB, 'a'), Buffer.alloc(10, 'b')];
      const first = await objects.startMultipart('t/w/joined', 5 * MIB);
      const second = await objects.startMultipart('t/w/joined');
      const sent = await sendParts('t/w/joined', first, parts);
      const late = await sendParts('t/w/joined', second, [Buffer.from('late')]);
      expect(await objects.head('t/w/joined')).toBeUndefined();
      expect(await objects.completeMultipart('t/w/joined', first, sent)).toBe('written');
      expect(await objects.completeMultipart('t/w/joined', second, late)).toBe('exists');
      expect(Buffer.from((await objects.get('t/w/joined'))!).equals(Buffer.concat(parts))).toBe(true);
    });

    it('takes no key for parts that are missing or not the ones that were sent', async () => {
      const key = 't/w/incomplete';
      const upload = await objects.startMultipart(key);
      const [part] = await sendParts(key, upload, [Buffer.from('one')]);
      const wrong = [[], [{ number: 1, etag: '"0123456789abcdef0123456789abcdef"' }], [part!, { ...part!, number: 2 }]];
      for (const parts of wrong) expect(await objects.completeMultipart(key, upload, parts)).toBe('incomplete');
      expect(await objects.head(key)).toBeUndefined();
      expect(await objects.completeMultipart(key, upload, [part!])).toBe('written');
    });

    it('signs nothing about the bytes into the URL of a part, and takes no other part’s bytes for it', async () => {
      const upload = await objects.startMultipart('t/w/signed');
      const [one] = await objects.presignParts('t/w/signed', upload, 1, minutes(5));
      expect(one!.url).not.toMatch(/checksum/i);
      const forged = one!.url.replace(/([?&])(part|partNumber)=1(&|$)/, '$1$2=2$3');
      expect(forged).not.toBe(one!.url);
      expect((await harness.putPart(forged, Buffer.from('x'))).status).toBe(403);
    });
  });
}
