import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { must } from '../../../lib/core/check.ts';
import { createPartFiles, type PartFiles } from '../../../lib/store/part-files.ts';

const made: string[] = [];
afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true });
});

async function openUpload(partSize?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-parts-'));
  made.push(folder);
  const files = createPartFiles(folder);
  await files.begin(folder, partSize);
  return { folder, files, whole: join(folder, 'whole') };
}

const part = (text: string) => ({ body: Readable.from([Buffer.from(text)]), size: Buffer.byteLength(text) });

async function joined(files: PartFiles, folder: string, etags: readonly string[]) {
  const draft = join(folder, 'draft');
  const sent = etags.map((etag, index) => ({ number: index + 1, etag: `"${etag}"` }));
  await must(await files.joining(folder, sent), 'all parts')(draft);
  return { text: await readFile(draft, 'utf8'), inode: (await stat(draft)).ino };
}

describe('the parts of an upload', () => {
  it('are the file itself where each has its place', async () => {
    const { files, folder, whole } = await openUpload(4);
    const texts = ['abcd', 'efgh', 'ij'];
    const etags = await Promise.all(texts.map((text, index) => files.store(folder, index + 1, part(text))));
    const { text, inode } = await joined(files, folder, etags);
    expect(text).toBe('abcdefghij');
    expect(inode).toBe((await stat(whole)).ino);
  });

  it('are those of the ETags that are named, however often and in whichever order they were sent', async () => {
    const sending = fc.record({
      number: fc.integer({ min: 1, max: 4 }),
      text: fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme-ascii' }),
      isKnown: fc.boolean(),
      picked: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sending, { minLength: 1, maxLength: 10 }), fc.boolean(), async (all, atOnce) => {
        const { files, folder } = await openUpload(5);
        const send = async ({ number, text, isKnown }: (typeof all)[number]) => ({
          ...{ number, text },
          etag: await files.store(folder, number, isKnown ? part(text) : { body: part(text).body }),
        });
        const sent: Awaited<ReturnType<typeof send>>[] = [];
        if (atOnce) sent.push(...(await Promise.all(all.map(send))));
        else for (const one of all) sent.push(await send(one));
        const named = [1, 2, 3, 4].flatMap((number) => {
          const own = sent.filter((one) => one.number === number);
          return own.slice(must(all[0], 'one').picked % Math.max(own.length, 1)).slice(0, 1);
        });
        const make = await files.joining(folder, named);
        await must(make, 'all parts')(join(folder, 'draft'));
        expect(await readFile(join(folder, 'draft'), 'utf8')).toBe(named.map(({ text }) => text).join(''));
      }),
      { numRuns: 60 },
    );
  });

  it('that broke off leave their place to whoever sends them again', async () => {
    const { files, folder, whole } = await openUpload(4);
    const breaking = async function* () {
      yield Buffer.from('xy');
      throw new Error('reset');
    };
    const lost = files.store(folder, 1, { body: Readable.from(breaking()), size: 4 });
    await expect(lost).rejects.toThrow('reset');
    const etags = [await files.store(folder, 1, part('abcd')), await files.store(folder, 2, part('e'))];
    const { text, inode } = await joined(files, folder, etags);
    expect([text, inode]).toEqual(['abcde', (await stat(whole)).ino]);
  });

  it('that are still written while all are joined do not reach the file', async () => {
    const { files, folder, whole } = await openUpload(4);
    const slow = new PassThrough();
    const first = await files.store(folder, 1, part('abcd'));
    const pending = files.store(folder, 2, { body: slow, size: 4 });
    const again = await files.store(folder, 2, part('efgh'));
    const { inode } = await joined(files, folder, [first, again]);
    slow.end('EFGH');
    await pending;
    expect(inode).not.toBe((await stat(whole)).ino);
    expect(await readFile(join(folder, 'draft'), 'utf8')).toBe('abcdefgh');
    const [late] = [await files.store(folder, 3, part('late'))];
    expect(late).toMatch(/^[0-9a-f]{32}$/);
    expect(await readFile(whole, 'utf8')).toBe('abcdEFGH');
  });

  it('are not joined where one has another ETag, is missing, or stands before the one before it', async () => {
    const { files, folder } = await openUpload(4);
    const etag = await files.store(folder, 1, part('abcd'));
    const other = etag.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
    const wrong = [
      [],
      [{ number: 1, etag: other }],
      [{ number: 2, etag }],
      [
        { number: 1, etag },
        { number: 1, etag },
      ],
    ];
    for (const parts of wrong) expect(await files.joining(folder, parts)).toBeUndefined();
  });
});
