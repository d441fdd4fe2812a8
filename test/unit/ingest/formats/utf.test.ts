// Where bytes stop being UTF-8 does not depend on how they come.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstInvalidByte, firstNotUtf8 } from '../../../../lib/ingest/formats/encoding/utf.ts';

async function* inPieces(bytes: Buffer, sizes: readonly number[]) {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

it('the first byte that is not UTF-8 is the same in pieces of any size', async () => {
  const whole = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Buffer.from(text.toWellFormed()));
  const cut = whole.map((bytes) => bytes.subarray(0, Math.max(0, bytes.length - 1)));
  const odd = fc.constantFrom(
    ...[[0xff], [0xa9], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc3, 0xa9, 0xa9]].map((b) => Buffer.from(b)),
  );
  const texts = fc
    .array(fc.oneof({ arbitrary: whole, weight: 6 }, cut, odd), { maxLength: 6 })
    .map((list) => Buffer.concat(list));
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(texts, sizes, async (bytes, each) => {
      expect(await firstNotUtf8(inPieces(bytes, each))).toBe(firstInvalidByte(bytes));
    }),
    { numRuns: 2000 },
  );
});
