// A zip archive of which only what is asked for is read, wherever it lies.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import type { Bytes } from '../../../../lib/ingest/formats/bytes.ts';
import { expandedHead, expandedZip } from '../../../../lib/ingest/formats/compression/expand.ts';
import { nameInZip } from '../../../../lib/ingest/formats/compression/zip.ts';
import { zipElsewhere } from '../../../../lib/ingest/formats/compression/zip-source.ts';
import { farZip, zip } from './zip-writer.ts';

const limits = { maxDecompressedBytes: 2 ** 30, maxDecompressionRatio: 200 };
const csv = `a,b\n${'1,x\n'.repeat(50_000)}`;

interface Asked {
  readonly start: number;
  readonly end: number;
}

/** `content` behind `before` zeros, and what was asked for of them. */
function elsewhere(content: Buffer, before = 0) {
  const asked: Asked[] = [];
  const size = before + content.length;
  const bytes: Bytes = async function* (start = 0, end = size) {
    asked.push({ start, end });
    for (let at = start; at < end; at += 1 << 16) {
      const last = Math.min(end, at + (1 << 16));
      const zeros = Buffer.alloc(Math.max(0, Math.min(last, before) - at));
      yield Buffer.concat([zeros, content.subarray(Math.max(0, at - before), Math.max(0, last - before))]);
    }
  };
  return { source: zipElsewhere(bytes, size), asked };
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found).toString();
}

describe('a zip archive that does not lie on the disk', () => {
  it.each([
    ['deflated', zip({ name: 't.csv', data: csv })],
    ['stored', zip({ name: 't.csv', data: csv, method: 0 })],
    ['with ZIP64', zip({ name: 't.csv', data: csv, zip64: true })],
  ])('holds what it holds on the disk (%s)', async (_, archive) => {
    const { source } = elsewhere(archive);
    expect(await textOf(expandedZip(source, limits))).toBe(csv);
    expect((await expandedHead(source, 'zip')).toString()).toBe(csv.slice(0, 65_536));
  });

  it('is read where its entry and its list are, also beyond 4 GiB', async () => {
    const before = 5 * 2 ** 30;
    const { source, asked } = elsewhere(farZip({ name: 'd/t.csv', data: csv }, before), before);
    expect(await nameInZip(source)).toBe('d/t.csv');
    expect(await textOf(expandedZip(source, limits))).toBe(csv);
    expect(asked.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(1 << 20);
  });

  it('is asked for its list in few large pieces, and holds few of them', async () => {
    const litter = Array.from({ length: 900 }, (_, at) => ({ name: `${at}/readme.txt`, method: 0 }));
    const { source, asked } = elsewhere(zip(...litter, { name: 't.csv', data: csv }));
    expect(await nameInZip(source)).toBe('t.csv');
    expect(asked.length).toBeLessThanOrEqual(2);
    for (const { start, end } of asked) expect(end - start).toBeLessThanOrEqual(1 << 18);
  });

  it.each([
    ['before its list is known', 0],
    ['while its file is read', 2],
  ])('whose bytes cannot be had is not called damaged (%s)', async (_, after) => {
    const { source, asked } = elsewhere(zip({ name: 't.csv', data: Buffer.alloc(3 << 20, csv), method: 0 }));
    const away = zipElsewhere(async function* (start = 0, end = 0) {
      if (asked.length >= after) throw new Error('the store is away');
      yield* source.stream(start, end);
    }, source.size);
    for (const read of [textOf(expandedZip(away, limits)), expandedHead(away, 'zip')])
      await expect(read).rejects.toThrow('the store is away');
  });

  it('that is damaged is a fault', async () => {
    const archive = zip({ name: 't.csv', data: csv });
    archive.fill(0xff, 60, 200);
    await expect(textOf(expandedZip(elsewhere(archive).source, limits))).rejects.toThrow(Fault);
    await expect(nameInZip(elsewhere(archive.subarray(0, 100)).source)).rejects.toMatchObject({
      code: 'COMPRESSION_CORRUPT',
    });
  });

  it('is left in the middle without a word', async () => {
    const { source } = elsewhere(zip({ name: 't.csv', data: Buffer.alloc(8 << 20, 'abc\n'), method: 0 }));
    for await (const piece of expandedZip(source, limits)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });
});
