import { expect, it } from 'vitest';
import { fitted } from '../../../functions/support/http-answer.ts';

/** What Lambda hands on. */
const most = 6 * 1024 ** 2;
const sent = (body: string) => JSON.stringify(fitted({ statusCode: 200, headers: {}, body, isBase64Encoded: false }));

it('a long answer fits into what Lambda hands on, whatever it is made of', () => {
  for (const piece of ['"', '\\', '\u0000', '\n', 'a', 'é', '€'])
    for (const bytes of [900_000, 1_000_000, 4_500_000])
      expect(sent(piece.repeat(bytes / Buffer.byteLength(piece))).length, JSON.stringify([piece, bytes])).toBeLessThan(
        most,
      );
});

it('and says the same', () => {
  const body = 'é"'.repeat(600_000);
  const answer = fitted({ statusCode: 200, body, isBase64Encoded: false });
  expect([answer.isBase64Encoded, Buffer.from(answer.body, 'base64').toString() === body]).toEqual([true, true]);
  const short = { statusCode: 200, body: 'é"', isBase64Encoded: false };
  expect(fitted(short)).toBe(short);
  const bytes = { body: 'A'.repeat(1_100_000), isBase64Encoded: true };
  expect(fitted(bytes)).toBe(bytes);
});
