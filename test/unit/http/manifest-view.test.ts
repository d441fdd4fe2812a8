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

it('it stays so where the names are texts, and says what it left out', () => {
  const names = Array.from({ length: 400 }, (_, column) => `${column} ${'long '.repeat(2000)}`);
  const rename = { from: names[0] ?? '', to: names[1] ?? '', score: 0.6, reasons: [] };
  const manifest: ShownManifest = {
    ...tableOf(1),
    columns: names.map((name) => ({ name, type: 'BIGINT' })),
    sampleRows: { columns: names, rows: [names.map((_, place) => String(place)), names.map(() => null)] },
    changes: {
      ...{ added: names, removed: names, candidates: names.map(() => rename) },
      typeChanged: names.map((column) => ({ column, from: 'DATE', to: 'BIGINT' })),
    },
  };
  const pages = pagesOf(manifest);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(4_400_000);
  expect(pages.flatMap(namesIn)).toEqual(names);
  const { added, removed, typeChanged, candidates } = pages[0]?.['changes'] as ShownManifest['changes'];
  expect([added.length, removed.length, typeChanged.length, candidates?.length]).toEqual([29, 29, 29, 14]);
  expect(pages[0]?.['sampleRows']).toEqual({
    columns: names.slice(0, 29),
    rows: [names.slice(0, 29).map((_, place) => String(place)), names.slice(0, 29).map(() => null)],
  });
  expect(pages[0]?.['leftOut']).toEqual({
    added: 371,
    removed: 371,
    typeChanged: 371,
    candidates: 386,
    sampleColumns: 371,
  });
});

it('a table of ordinary width is told whole', () => {
  const page = detailOf(tableOf(900), { columnsFrom: 0 });
  expect(page).toMatchObject({ columnCount: 900 });
  expect(Object.keys(page)).not.toContain('nextColumn');
  expect(Object.keys(page)).not.toContain('leftOut');
});
