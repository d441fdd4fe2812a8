// Sources run as they are written: Node strips their types by a parser of its own, which the tests' and the bundles' are not.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/cloud/settings.ts';

const refusalOf = (path: string): string | undefined => {
  try {
    stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
    return undefined;
  } catch (thrown) {
    return `${path}: ${String(thrown)}`;
  }
};

it('every source is one that Node itself can run', () => {
  const paths = globSync('{lib,functions,infra,scripts,bench,examples}/**/*.ts', { cwd: root });
  expect(paths.length).toBeGreaterThan(500);
  expect(paths.map(refusalOf).filter((refusal) => refusal !== undefined)).toEqual([]);
});
