import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

async function cruiseTree(baseDir: string, folders: readonly string[]): Promise<ICruiseResult> {
  const options: ICruiseOptions = await extractDepcruiseOptions(join(root, '.dependency-cruiser.mjs'));
  const { output } = await cruise([...folders], { ...options, baseDir, validate: true }, undefined, {
    tsConfig: extractTSConfig(join(root, 'tsconfig.json')),
  });
  if (typeof output === 'string') throw new TypeError('the cruise answered text where a result was due');
  return output;
}

/** The names of the rules that a tree of these files breaks, without repeats. */
async function broken(files: Record<string, string>): Promise<string[]> {
  const tree = await mkdtemp(join(tmpdir(), 'millrace-rooms-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? path))];
    const { summary } = await cruiseTree(tree, folders);
    return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort();
  } finally {
    await rm(tree, { recursive: true });
  }
}

const value = 'export const value = 1;\n';
const uses = (path: string) => `import { value } from '${path}';\nexport const used = value;\n`;

describe('the boundaries', () => {
  it('are checked over every module of lib', async () => {
    const sources = globSync('lib/**/*.ts', { cwd: root });
    const { modules } = await cruiseTree(root, ['lib']);
    const seen = new Set(modules.map(({ source }) => source));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((source) => !seen.has(source))).toEqual([]);
    expect(modules.some(({ dependencies }) => dependencies.length > 0)).toBe(true);
  });

  it('let a room look up', async () => {
    expect(await broken({ 'lib/core/a.ts': value, 'lib/job/b.ts': uses('../core/a.ts') })).toEqual([]);
  });

  it('let nobody look down, not even for a type', async () => {
    const type = "import type { value } from '../job/b.ts';\nexport type Used = typeof value;\n";
    expect(await broken({ 'lib/job/b.ts': value, 'lib/core/a.ts': type })).toEqual(['core-looks-up-only']);
  });

  it('keep adapters apart from each other', async () => {
    expect(await broken({ 'lib/store/a.ts': value, 'lib/queue/b.ts': uses('../store/a.ts') })).toEqual([
      'store-is-composed-outside',
    ]);
  });

  it('let infra read the attribute names of the table, and nothing else of the store', async () => {
    expect(await broken({ 'lib/store/table.ts': value, 'infra/a.ts': uses('../lib/store/table.ts') })).toEqual([]);
    expect(await broken({ 'lib/store/rows.ts': value, 'infra/a.ts': uses('../lib/store/rows.ts') })).toEqual([
      'infra-reads-definitions',
    ]);
  });

  it('refuse a cycle, an unknown room, a missing module, and production that leans on a test', async () => {
    expect(await broken({ 'lib/core/a.ts': uses('./b.ts'), 'lib/core/b.ts': uses('./a.ts') })).toEqual(['no-cycle']);
    expect(await broken({ 'lib/attic/a.ts': value, 'functions/b.ts': uses('../lib/attic/a.ts') })).toEqual([
      'rooms-are-known',
    ]);
    expect(await broken({ 'lib/core/a.ts': uses('./gone.ts') })).toEqual(['everything-resolves']);
    expect(await broken({ 'test/a.ts': value, 'lib/core/b.ts': uses('../../test/a.ts') })).toEqual([
      'lib-stands-alone',
    ]);
    expect(await broken({ 'lib/testing/a.ts': value, 'functions/b.ts': uses('../lib/testing/a.ts') })).toEqual([
      'functions-compose-production',
    ]);
  });
});
