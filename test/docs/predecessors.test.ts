// The pages about the systems before name tests and routes that show what they say: each of them has to be there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { root } from '../../scripts/cloud/settings.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe.each([
  ['docs/predecessors.md', 40],
  ['docs/from-flyquery.md', 40],
])('%s', (page, fewest) => {
  it('names only tests that exist', () => {
    const named = [...read(page).matchAll(/`(test\/[^`]+\.ts)`/g)].map(([, path = '']) => path);
    expect(new Set(named).size).toBeGreaterThan(fewest);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

it('names only routes that exist', () => {
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(JSON.parse(read('docs/openapi.json')));
  const named = [...read('docs/from-flyquery.md').matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^`]+)`/g)];
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(([, method = '', path = '']) => paths[path]?.[method.toLowerCase()] === undefined)).toEqual([]);
});
