import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedDocs } from '../../scripts/docs/generated.ts';
import { staleDocs, writeDocs } from '../../scripts/docs.ts';

describe('generated docs', () => {
  it('are current', async () => {
    expect(generatedDocs.length).toBeGreaterThan(0);
    expect(await staleDocs()).toEqual([]);
  });

  it('render the same text twice', async () => {
    for (const { render } of generatedDocs) expect(await render()).toBe(await render());
  });

  it('are found stale when missing or changed by hand, and written then, and only then', async () => {
    const base = await mkdtemp(join(tmpdir(), 'millrace-docs-'));
    try {
      const docs = [{ file: 'docs/one.md', render: () => 'one\n' }];
      expect(await writeDocs(docs, base)).toEqual(['docs/one.md']);
      expect(await writeDocs(docs, base)).toEqual([]);
      await writeFile(join(base, 'docs/one.md'), 'two\n');
      expect(await staleDocs(docs, base)).toEqual(['docs/one.md']);
      await writeDocs(docs, base);
      expect(await readFile(join(base, 'docs/one.md'), 'utf8')).toBe('one\n');
    } finally {
      await rm(base, { recursive: true });
    }
  });
});
