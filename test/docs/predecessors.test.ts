// docs/predecessors.md names tests that show what it says: each of them has to be there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/cloud/settings.ts';

it('names only tests that exist', () => {
  const page = readFileSync(join(root, 'docs/predecessors.md'), 'utf8');
  const named = [...page.matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
