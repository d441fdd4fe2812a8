// Rows that are added to a table that is larger than the disk: its parts come some at a time, and what becomes of it is the same.
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Objects } from '../../../lib/core/objects.ts';
import { defaultReadLimits, type ReadLimits } from '../../../lib/ingest/reading/types.ts';
import { partsInTurn } from '../../../lib/ingest/stages/parts-in-turn.ts';
import type { StageContext } from '../../../lib/pipeline/stage.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { inFolder } from './world.ts';

type Json = ReturnType<typeof JSON.parse>;

/** What is fetched while rows are added, and the most that lies on the disk then. */
async function startMeasured(own: Partial<ReadLimits>) {
  const app = await startIngestApp(() => ({ limits: { ...defaultReadLimits, ...own } }));
  const fetched: string[] = [];
  const measured = { most: 0 };
  const { download, moveFileOnce } = app.objects;
  const measure = async (folder: string): Promise<void> => {
    const names = await readdir(folder).catch(() => []);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    measured.most = Math.max(
      measured.most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  app.objects.download = async (key, path) => {
    const here = await download(key, path);
    if (!path.includes('/combine/parts/')) return here;
    fetched.push(key);
    await measure(dirname(path));
    return here;
  };
  app.objects.moveFileOnce = async (key, path) => {
    if (path.endsWith('/combine/combined.parquet')) await measure(join(dirname(path), 'parts'));
    return moveFileOnce(key, path);
  };
  return { ...app, fetched, measured };
}

const PARTS = 12;
const rowsOf = (part: number) =>
  Array.from({ length: 200 }, (_, row) => `${(row * 37) % 200}-${part},${part * 1000 + row},old ${part} ${row}`);
const upsert = { table: 't', mode: 'upsert', keys: '["id"]' };
/** Nobody looks: this is about rows. */
const policy = {
  stages: { pii: 'off', sample: 'off', profile: 'off', relations: 'off', describe: 'off', index: 'off' },
};

const partOf = (bytes: number) => ({ key: `a/${bytes}.parquet`, bytes, rows: 1 });

interface Step {
  readonly csv: string;
  readonly query: Readonly<Record<string, string>>;
}

const base = `id,n,word\n${Array.from({ length: PARTS }, (_, part) => rowsOf(part).join('\n')).join('\n')}\n`;
const some = (parts: readonly number[], row = 3) =>
  parts.map((part) => `${(row * 37) % 200}-${part},${900_000 + part},new ${part}`).join('\n');

const cases: Record<string, Step> = {
  'an upsert into a few parts': { csv: `id,n,word\n${some([1, 5, 11])}\nz,1,more\n`, query: upsert },
  'an upsert that replaces a part as a whole': { csv: `id,n,word\n${rowsOf(4).join('\n')}\n`, query: upsert },
  'an upsert that widens a column': { csv: `id,n,word\n${some([2])}\nz,0.5,half\n`, query: upsert },
  'an upsert with a new column': { csv: `id,n,day\n${some([7]).replace('new 7', '2024-05-06')}\n`, query: upsert },
  'an append that lacks a column': { csv: 'id,word\nz,w\n', query: { table: 't', mode: 'append' } },
  'an append that widens a column': { csv: 'id,n,word\nz,0.25,w\n', query: { table: 't', mode: 'append' } },
  'an append that fits no column': { csv: 'id,n,word\nz,x,w\n', query: { table: 't', mode: 'append' } },
  'an upsert with a key twice': { csv: `id,n,word\n${some([1])}\n${some([1])}\n`, query: upsert },
};

async function after(limits: Partial<ReadLimits>, step: Step) {
  const chunks = { chunkBytes: Math.ceil(base.length / PARTS), chunksAtOnce: 1, chunksAnInvocation: 100 };
  await using app = await startMeasured({ ...chunks, ...limits });
  const dataset = await app.dataset('d', { policy });
  await app.upload(dataset, 't.csv', base);
  const sizes = app.objects.keys().flatMap((key) => (key.endsWith('.parquet') ? [app.objects.bodies.get(key)] : []));
  expect(sizes.length).toBeGreaterThanOrEqual(PARTS);
  const { status, error, result } = await app.upload(dataset, 't.csv', step.csv, step.query);
  const [{ t }, { body }] = [await app.tables(dataset), await app.query(dataset, 'SELECT * FROM t', { limit: 5000 })];
  const found = { status, error, warnings: result?.warnings, rowCount: t.rowCount, added: t.added, columns: t.columns };
  const largest = Math.max(...sizes.map((part) => part?.length ?? 0));
  return { found, rows: body.rows as Json[][], ...app.measured, fetched: app.fetched, parts: sizes.length, largest };
}

describe('rows that are added where few parts fit on the disk', () => {
  it.each(Object.entries(cases))('%s comes to the same', async (_, step) => {
    const whole = await after({}, step);
    const bound = 2 * whole.largest;
    const inTurn = await after({ combineBytes: bound }, step);
    expect(inTurn.found).toEqual(whole.found);
    expect(inTurn.rows).toEqual(whole.rows);
    expect(inTurn.most).toBeLessThanOrEqual(bound);
    expect(whole.rows.length).toBe(whole.found.rowCount);
  });

  it('an upsert keeps the order of the rows that stay, and puts the others behind them', async () => {
    const { rows } = await after({ combineBytes: 1 }, cases['an upsert into a few parts'] as Step);
    const stay = rows.slice(0, -4).map(([, n]) => Number(n));
    expect(stay).toEqual(stay.toSorted((one, other) => one - other));
    expect(stay).toHaveLength(PARTS * 200 - 3);
    expect(rows.slice(-4).map(([, , word]) => word)).toEqual(['new 1', 'new 5', 'new 11', 'more']);
  });

  it('fetches each part once for its keys or rows, and none of a side that stays as it is', async () => {
    const changed = await after({ combineBytes: 1 }, cases['an upsert into a few parts'] as Step);
    expect(changed.fetched).toHaveLength(changed.parts + 1);
    const lacks = await after({ combineBytes: 1 }, cases['an append that lacks a column'] as Step);
    expect(lacks.fetched).toHaveLength(1);
  });
});

it('a part that the disk has no room for, and for what is written of it, is refused before anything is fetched', async () => {
  await inFolder(async (folder) => {
    const objects = { download: () => Promise.reject(new Error('nothing is fetched')) } as unknown as Objects;
    const ctx = { folder: () => Promise.resolve(folder) } as unknown as StageContext;
    const parts = [partOf(10), partOf(2 ** 50), partOf(10)];
    const someAtATime = partsInTurn(ctx, {
      objects,
      bytes: 100,
      all: parts,
      folder: 'parts',
      keep: (_, work) => work(),
    });
    const refused = { code: 'INGEST_DISK', retriable: false, detail: expect.stringContaining(String(2 ** 51)) };
    await expect(someAtATime(parts, () => Promise.resolve())).rejects.toMatchObject(refused);
  });
});

it('a part of several row groups keeps the order of its rows when many give way', async () => {
  await using app = await startMeasured({});
  const dataset = await app.dataset('d', { policy });
  const lines = (many: number, of: (row: number) => string) => Array.from({ length: many }, (_, row) => of(row));
  const [rows, gone] = [300_000, 90_000];
  const first = lines(rows, (row) => `${(row * 7919) % rows},${row}`).join('\n');
  expect(await app.upload(dataset, 't.csv', `id,n\n${first}\n`)).toMatchObject({ status: 'succeeded' });
  const added = lines(gone, (row) => `${row * 3 + 20_000},-1`).join('\n');
  expect(await app.upload(dataset, 't.csv', `id,n\n${added}\n`, upsert)).toMatchObject({ status: 'succeeded' });
  const sql =
    'SELECT count(*), count(*) FILTER (n < before) FROM (SELECT n, lag(n) OVER () AS before FROM t) WHERE n >= 0';
  expect((await app.query(dataset, sql)).body.rows).toEqual([[rows - gone, 0]]);
});
