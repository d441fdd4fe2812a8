// Line ends are counted as they would be one byte after the other.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineEnds } from '../../../../lib/ingest/vectors/line-ends.ts';
import { PIECE_BYTES } from '../../../../lib/ingest/vectors/module.ts';

const [LF, CR] = [10, 13];

function oneByOne(bytes: Buffer, before: number): number {
  let [ends, previous] = [0, before];
  for (const byte of bytes) {
    if (byte === CR || (byte === LF && previous !== CR)) ends++;
    previous = byte;
  }
  return ends;
}

it('counts LF, CR, and CRLF as one, whatever stood before and wherever they stand', () => {
  const pieces = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'x', 'é', 'fifteen bytes, x'), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, fc.constantFrom(0, LF, CR), (some, before) => {
      const bytes = Buffer.from(some.join(''));
      expect(lineEnds(bytes, before)).toBe(oneByOne(bytes, before));
    }),
    { numRuns: 2000 },
  );
});

it('counts a CRLF once that two pieces share', () => {
  const bytes = Buffer.alloc(2 * PIECE_BYTES + 5, '\r\n');
  for (const from of [0, 1, 2]) {
    const some = bytes.subarray(from);
    expect(lineEnds(some, 0)).toBe(oneByOne(some, 0));
  }
});
