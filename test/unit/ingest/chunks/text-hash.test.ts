import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catchUp, HASH_BLOCK_BYTES, textHash } from '../../../../lib/ingest/chunks/text-hash.ts';
import { blockHash } from './block-hash.ts';

const { signal } = new AbortController();
const text = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes));
const blockBytes = fc.constantFrom(1, 7, 64, 1000, Infinity);

/** The ends of the chunks of a text. */
const endsOf = (size: number, cuts: readonly number[]): number[] =>
  [...new Set([...cuts.filter((cut) => cut > 0 && cut < size), size])].sort((a, b) => a - b);

describe('the hash of a text in chunks', () => {
  const cuts = fc.array(fc.nat(400), { maxLength: 12 });
  const kept = fc.constantFrom('kept', 'kept by an earlier release');

  it('is that of its blocks, whoever goes on with what an earlier one kept', async () => {
    const runs = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(text, blockBytes, cuts, runs, kept, async (bytes, size, cut, endsHere, how) => {
        const readAgain: number[] = [];
        const read = async function* (start = 0, end = bytes.length) {
          readAgain.push(end - start);
          yield bytes.subarray(start, end);
        };
        const chunks: { end: number; blocks?: string[] }[] = [];
        let hash = textHash(size);
        for (const end of endsOf(bytes.length, cut)) {
          if (endsHere.next().value) {
            hash = textHash(size);
            for (const chunk of chunks) hash.keep(chunk.blocks, chunk.end);
          }
          const start = chunks.at(-1)?.end ?? 0;
          await catchUp(hash, read, start, signal);
          hash.add(bytes.subarray(start, end), start);
          chunks.push(how === 'kept' ? { end, blocks: hash.blocksIn({ start, end }) } : { end });
        }
        const last = textHash(size);
        for (const chunk of chunks) last.keep(chunk.blocks, chunk.end);
        await catchUp(last, read, bytes.length, signal);
        expect([hash.end(), last.end()]).toEqual(Array(2).fill(blockHash(bytes, size)));
        if (how === 'kept') for (const again of readAgain) expect(again).toBeLessThan(size);
      }),
    );
  });

  it('is that of its bytes where some of them pass by again', () => {
    fc.assert(
      fc.property(text, blockBytes, fc.infiniteStream(fc.nat(200)), (bytes, size, back) => {
        const hash = textHash(size);
        for (let end = 0; end < bytes.length; ) {
          end = Math.min(bytes.length, end + 37);
          const start = Math.max(0, hash.taken() - Number(back.next().value));
          hash.add(bytes.subarray(start, end), start);
          expect(hash.taken()).toBe(end);
        }
        expect(hash.end()).toBe(blockHash(bytes, size));
      }),
    );
  });

  it('refuses to pass over bytes', () => {
    const hash = textHash(Infinity);
    hash.add(Buffer.from('ab'), 0);
    expect(() => hash.add(Buffer.from('d'), 3)).toThrow('from 2 to 3');
  });

  it('has blocks of 8 MiB, as who computes it again is told', () => {
    expect(HASH_BLOCK_BYTES).toBe(8_388_608);
  });
});
