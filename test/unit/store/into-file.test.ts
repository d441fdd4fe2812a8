import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WRITE_BYTES } from '../../../lib/core/write-bytes.ts';
import { copyIntoFile, streamIntoFile } from '../../../lib/store/into-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-into-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MIB = 2 ** 20;

async function into<T>(use: (file: Awaited<ReturnType<typeof open>>) => Promise<T>) {
  const path = join(folder, 'file');
  await using file = await open(path, 'w');
  const answer = await use(file);
  return { answer, bytes: await readFile(path) };
}

describe('a stream into a file', () => {
  it('is there whole and in order at its place, whatever pieces it comes in, each told of once it is written', async () => {
    const pieces = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: MIB / 2, max: 2 * MIB })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(pieces, fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), async (sizes, at) => {
        const sent = sizes.map((size, place) => Buffer.alloc(size, 97 + place));
        const [wrote, used]: [number[], Uint8Array[]] = [[], []];
        const { bytes } = await into((file) =>
          streamIntoFile(Readable.from(sent), file, {
            at,
            wrote: (more) => void wrote.push(more),
            used: (piece) => void used.push(piece),
          }),
        );
        const whole = Buffer.concat(sent);
        expect(bytes.subarray(whole.length === 0 ? 0 : (at ?? 0)).equals(whole)).toBe(true);
        expect(wrote.reduce((sum, more) => sum + more, 0)).toBe(whole.length);
        expect(used.length === sent.length && used.every((piece, place) => piece === sent[place])).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('of a thousand tiny pieces is written in few calls', async () => {
    const wrote: number[] = [];
    const { bytes } = await into((file) =>
      streamIntoFile(Readable.from(Array.from({ length: 1000 }, () => Buffer.from('x'))), file, {
        wrote: (more) => void wrote.push(more),
      }),
    );
    expect(bytes.toString()).toBe('x'.repeat(1000));
    expect(wrote.length).toBeLessThanOrEqual(4);
  });

  it('that ends before its end is an error, and so is a disk that takes no more', async () => {
    const cut = new Readable({ read: () => undefined });
    cut.push('half');
    setImmediate(() => cut.destroy());
    await expect(into((file) => streamIntoFile(cut, file))).rejects.toThrow('Premature close');
    const full = { writev: () => Promise.reject(new Error('ENOSPC')) } as never;
    const source = Readable.from([Buffer.alloc(MIB), Buffer.alloc(MIB)]);
    await expect(streamIntoFile(source, full)).rejects.toThrow('ENOSPC');
    expect(source.destroyed).toBe(true);
  });
});

/** A piece of the network's: no more than 64 KiB. */
const PIECE = 1 << 16;

describe('no write is larger than the pages that are quick to fill', () => {
  it('of a stream, whose pieces are gathered', async () => {
    const wrote: number[] = [];
    const sent = Array.from({ length: 40 }, (_, place) => Buffer.alloc(PIECE, 97 + place));
    const { bytes } = await into((file) =>
      streamIntoFile(Readable.from(sent), file, { wrote: (more) => void wrote.push(more) }),
    );
    expect(bytes.equals(Buffer.concat(sent))).toBe(true);
    expect(wrote).toEqual(Array.from({ length: 5 }, () => WRITE_BYTES));
  });

  it('of a copy, which has the bytes between two places and no others', async () => {
    const all = Buffer.from(Array.from({ length: 3 * WRITE_BYTES }, (_, at) => (at * 7 + (at >> 9)) & 255));
    const path = join(folder, 'source');
    await writeFile(path, all);
    for (const [start, end] of [
      [0, all.length],
      [5, 2 * WRITE_BYTES + 7],
      [WRITE_BYTES, WRITE_BYTES],
      [all.length - 3, all.length + 100],
    ] as const) {
      const wrote: number[] = [];
      await using source = await open(path);
      const { bytes } = await into((file) =>
        copyIntoFile(source, file, { start, end, wrote: (more) => void wrote.push(more) }),
      );
      expect(bytes.equals(all.subarray(start, end))).toBe(true);
      expect(Math.max(0, ...wrote)).toBeLessThanOrEqual(WRITE_BYTES);
      expect(wrote.reduce((sum, more) => sum + more, 0)).toBe(bytes.length);
    }
  });
});
