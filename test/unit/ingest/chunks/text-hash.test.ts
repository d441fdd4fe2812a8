import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endHash, startHash } from '../../../../lib/ingest/chunks/sha256.ts';
import { keptHash, wholeHash } from '../../../../lib/ingest/chunks/text-hash.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });

describe('the hash of a text in pieces', () => {
  it('is that of its bytes, whoever goes on with what an earlier one kept', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        let state = startHash;
        for (const piece of all) {
          const hash = keptHash(JSON.parse(JSON.stringify(state)));
          hash.add(Buffer.from(piece));
          state = hash.state();
        }
        expect(endHash(state)).toBe(hashOf(Buffer.concat(all)));
      }),
    );
  });

  it('is that of its bytes where some of them pass by again', () => {
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.nat(200)), (all, back) => {
        const text = Buffer.concat(all);
        const hash = wholeHash();
        for (let end = 0; end < text.length; ) {
          end = Math.min(text.length, end + 37);
          const start = Math.max(0, hash.taken() - Number(back.next().value));
          hash.add(text.subarray(start, end), start);
          expect(hash.taken()).toBe(end);
        }
        expect(hash.end()).toBe(hashOf(text));
      }),
    );
  });

  it('refuses to pass over bytes', () => {
    const hash = wholeHash();
    hash.add(Buffer.from('ab'), 0);
    expect(() => hash.add(Buffer.from('d'), 3)).toThrow('from 2 to 3');
  });
});
