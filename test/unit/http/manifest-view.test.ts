import { expect, it } from 'vitest';
import { detailOf } from '../../../lib/http/manifest-view.ts';
import type { ShownManifest } from '../../../lib/ingest/shown.ts';

const tableOf = (columns: number, type = 'BIGINT'): ShownManifest => {
  const names = Array.from({ length: columns }, (_, column) => `c_${column}`);
  const warning = { code: 'COLUMN_EMPTY', message: 'It is empty.' };
  return {
    ...{ v: 1, table: 't', rowCount: 0, parts: [], columns: names.map((name) => ({ name, type })) },
    warnings: names.map((column) => ({ ...warning, column })),
    source: { name: 't.csv', format: 'csv', compression: 'none', bytes: 1, sha256: '' },
    changes: { added: names, removed: [], typeChanged: [] },
  };
};

function pagesOf(manifest: ShownManifest) {
  const pages: ReturnType<typeof detailOf>[] = [];
  for (let from: number | undefined = 0; from !== undefined; from = pages.at(-1)?.['nextColumn'] as number | undefined)
    pages.push(detailOf(manifest, { columnsFrom: from }));
  return pages;
}

const namesIn = (page: ReturnType<typeof detailOf>): string[] =>
  (page['columns'] as ShownManifest['columns']).map(({ name }) => name);

it('all columns of a table are told, a thousand at a time', () => {
  const manifest = tableOf(2500);
  const pages = pagesOf(manifest);
  expect(pages.map((page) => page['nextColumn'])).toEqual([1000, 2000, undefined]);
  expect(pages.flatMap(namesIn)).toEqual(manifest.columns.map(({ name }) => name));
  expect(pages[0]).toMatchObject({ columnCount: 2500, leftOut: { warnings: 1500, added: 1500 } });
  expect(detailOf(manifest, { columnsFrom: 2500 })['columns']).toEqual([]);
});

it('an answer stays below what Lambda hands on, whatever the columns hold', () => {
  const pages = pagesOf(tableOf(900, `STRUCT(${'x BIGINT, '.repeat(2000)})`));
  expect(pages.length).toBeGreaterThan(5);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(4_400_000);
  expect(pages.flatMap(namesIn)).toHaveLength(900);
});

it('a table of ordinary width is told whole', () => {
  const page = detailOf(tableOf(900), { columnsFrom: 0 });
  expect(page).toMatchObject({ columnCount: 900 });
  expect(Object.keys(page)).not.toContain('nextColumn');
  expect(Object.keys(page)).not.toContain('leftOut');
});
