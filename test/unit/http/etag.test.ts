import { expect, it } from 'vitest';
import { etagOf, versionIn } from '../../../lib/http/etag.ts';

it.each<[string, number | undefined]>([
  ['"7"', 7],
  [' W/"7" ', 7],
  ['"0"', 0],
  ['"007"', undefined],
  ['7', undefined],
  ['"7", "8"', undefined],
  ['"a"', undefined],
  [`"${'9'.repeat(16)}"`, undefined],
])('the ETag %s names the version %s', (etag, version) => {
  expect(versionIn(etag)).toBe(version);
});

it('the ETag of a version names that version', () => {
  expect(versionIn(etagOf(12).etag)).toBe(12);
});
