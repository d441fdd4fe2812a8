import { expect, it } from 'vitest';
import { isLater } from '../../../../lib/ingest/inbox/sequencer.ts';

it('orders sequencers as S3 says: hexadecimal, filled up on the right', () => {
  expect(isLater('0062E99A88DC407460', '0062E99A88DC407459')).toBe(true);
  expect(isLater('0B', '0a')).toBe(true);
  expect(isLater('0A1', '0A')).toBe(true);
  expect(isLater('0A', '0A00')).toBe(false);
  expect(isLater('0A00', '0A')).toBe(false);
  expect(isLater('09FF', '0A')).toBe(false);
});
