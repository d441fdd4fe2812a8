// A whole table as a file: real rows, a catalogue of one table, objects in memory.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../lib/core/check.ts';
import { seededChance } from '../../../lib/core/chance.ts';
import type { Documents } from '../../../lib/core/documents.ts';
import { derivedId } from '../../../lib/core/ids.ts';
import { epochMs, systemClock } from '../../../lib/core/time.ts';
import type { Catalog, TableRecord } from '../../../lib/ingest/catalog.ts';
import type { Manifest } from '../../../lib/ingest/manifest-schema.ts';
import type { DatasetQuery } from '../../../lib/ingest/dataset-query.ts';
import { createQueryResults } from '../../../lib/ingest/query-results.ts';
import { createTableData } from '../../../lib/ingest/table-data.ts';
import { askHere } from '../../../lib/query/ask.ts';
import { createMemoryObjects } from '../../support/memory-objects.ts';
import { aDataset, type Dataset } from '../query/world.ts';
import { outcome, withDataset } from './harness.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const id = derivedId('tbl', 'sales');
const clock = { ...systemClock, now: () => epochMs(1000) };

/** An app in which `sales` is published in so many parts. */
async function withTable(parts: number, published = true) {
  const objects = createMemoryObjects();
  const files = must(data.world.tables[0], 'sales').parts.slice(0, parts);
  for (const [at, path] of files.entries()) await objects.putOnce(`t1/main/parts/${at}`, await readFile(path));
  const manifest = {
    ...{ v: 1, table: 'sales', rowCount: parts * 5000, warnings: [] },
    columns: ['id', 'city', 'price'].map((name) => ({ name, type: 'VARCHAR' })),
    parts: files.map((_, at) => ({ key: `t1/main/parts/${at}`, bytes: 7, rows: 5000 })),
    source: { name: 'sales.csv', format: 'csv', compression: 'none', bytes: 9, sha256: 'x' },
    changes: { added: [], removed: [], typeChanged: [] },
  } satisfies Manifest;
  await objects.putOnce('manifest', JSON.stringify(manifest));
  const current = { snapshot: derivedId('snap', 'one'), sequence: 1, manifest: 'manifest' };
  const table = { id, name: 'sales', ...(published && { current }) } as unknown as TableRecord;
  const catalog = {
    getDataset: async () => undefined,
    getSnapshot: async () => undefined,
    getTable: async (_scope, _dataset, asked) => (asked === id ? table : undefined),
  } satisfies Partial<Catalog>;
  const documents = { listDocuments: async () => ({ items: [] }) } as unknown as Documents;
  const query: DatasetQuery = (want, request) => askHere(want, request, data.world);
  const results = createQueryResults({
    ...{ ask: query, objects, clock, chance: seededChance(1), directory: data.spill, linkedBytes: 1_000_000 },
    inline: { rows: 10, bytes: 1000 },
  });
  const app = await withDataset({ query, tableData: createTableData({ catalog, documents, objects, results, clock }) });
  const get = (rest: string, key = app.keys.own) =>
    app.send('GET', `/v1/datasets/${app.dataset}/tables/${rest}`, { key });
  return { ...app, get, files: objects, [Symbol.dispose]: () => app.store.close() };
}

describe('a whole table is a file behind a URL', () => {
  it('in any format, all of its rows', async () => {
    using app = await withTable(2);
    const { body } = await app.get(`${id}/data?format=csv`);
    const key = must(
      app.files.keys().find((each) => each.includes('/results/')),
      'the file',
    );
    expect(body).toMatchObject({
      format: 'csv',
      rowCount: 10_000,
      url: `https://objects.invalid/${key}?name=sales.csv`,
    });
    expect(
      Buffer.from((await app.files.get(key)) ?? [])
        .toString()
        .split('\r\n'),
    ).toHaveLength(10_002);
    expect((await app.get(`${id}/data`)).body).toMatchObject({ format: 'parquet', rowCount: 10_000 });
  });

  it('and Parquet of one part is the part, without a query', async () => {
    using app = await withTable(1);
    const before = app.files.keys();
    expect((await app.get(`${id}/data?format=parquet`)).body).toEqual({
      ...{ url: 'https://objects.invalid/t1/main/parts/0?name=sales.parquet', expiresAt: '1970-01-01T01:00:01.000Z' },
      ...{
        format: 'parquet',
        bytes: 7,
        rowCount: 5000,
        columns: ['id', 'city', 'price'].map((name) => ({ name, type: 'VARCHAR' })),
      },
    });
    expect(app.files.keys()).toEqual(before);
  });

  it('or a problem', async () => {
    using app = await withTable(1);
    expect(outcome(await app.get(`${id}/data?format=xml`))).toBe('422 VALIDATION_FAILED');
    expect(outcome(await app.get(`${derivedId('tbl', 'other')}/data`))).toBe('404 NOT_FOUND');
    expect(outcome(await app.get(`${id}/data`, app.keys.other))).toBe('404 NOT_FOUND');
    expect(outcome(await app.get(`${id}/data`, app.keys.reader))).toBe('403 FORBIDDEN');
    using unpublished = await withTable(1, false);
    expect(outcome(await unpublished.get(`${id}/data`))).toBe('404 NOT_FOUND');
  });
});
