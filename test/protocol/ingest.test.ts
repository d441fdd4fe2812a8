import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import { type DatasetId, type FileId, newId, type TableId } from '../../lib/core/ids.ts';
import { minutes } from '../../lib/core/time.ts';
import { manifestSchema } from '../../lib/ingest/manifest-schema.ts';
import { createIngestJobs } from '../../lib/ingest/kinds.ts';
import type { IngestInput } from '../../lib/ingest/input.ts';
import * as outputs from '../../lib/ingest/stages/outputs.ts';
import { profiled } from '../../lib/ingest/stages/optional-outputs.ts';
import type { IngestResult } from '../../lib/ingest/publishing/result-of.ts';
import { createIngest, type IngestDeps } from '../../lib/ingest/pipeline.ts';
import { loadPayload } from '../../lib/job/payload.ts';
import { type JobStore, StoreUnavailable } from '../../lib/job/ports.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import { createPipelineWorld, type PipelineWorld, scope, type WorldOptions } from '../support/pipeline-world.ts';

const dataset = 'ds_00000000000000000000000001' as unknown as DatasetId;
const READ = 'receive+parse';
/** The step that ends in publishing; nothing of the world is touched before a stage runs. */
const { steps, stages } = createIngest({} as IngestDeps);
const MAKE = steps.at(-1)?.name ?? '';

const ingestWorld = (options?: WorldOptions): PipelineWorld =>
  createPipelineWorld(({ store, objects }) => {
    const deps = { catalog: store, documents: store, objects };
    return [createIngest(deps), ...createIngestJobs(deps)];
  }, options);

/** Stores a file as an upload does, and submits its ingest. */
async function upload(
  world: PipelineWorld,
  name: string,
  body: string | Uint8Array,
  reading: Pick<IngestInput, 'table' | 'options'> = {},
): Promise<JobRow> {
  const createdAt = world.clock.now();
  const id: FileId = newId('file', createdAt, world.engine.chance);
  const objectKey = `acme/main/datasets/${dataset}/files/${id}/source`;
  await world.objects.putOnce(objectKey, body);
  await world.store.putFile({ ...scope, dataset, id, name, size: Buffer.byteLength(body), objectKey, createdAt });
  return world.submit({ dataset, file: id, name, ...reading });
}

async function ingest(...asked: Parameters<typeof upload>) {
  const [world] = asked;
  const { id } = await upload(...asked);
  await world.execute(await world.claim());
  return world.row(id);
}

const resultOf = async (world: PipelineWorld, row: JobRow) =>
  (await loadPayload(world.engine, row, row.result ?? { inline: '{}' })) as Pick<IngestResult, 'tables' | 'warnings'>;

/** Of a file that is one table. */
async function tableOf(world: PipelineWorld, row: JobRow) {
  const { tables } = await resultOf(world, row);
  expect(tables).toHaveLength(1);
  return must(tables[0], 'a table');
}

async function manifestOf(world: PipelineWorld, table: TableId) {
  const current = (await world.store.getTable(scope, dataset, table))?.current;
  const bytes = await world.objects.get(current?.manifest ?? '');
  return manifestSchema.parse(JSON.parse(Buffer.from(bytes ?? []).toString()));
}

const visible = async (world: PipelineWorld) =>
  (await world.store.listTables(scope, dataset, { limit: 100 })).items.filter(({ current }) => current !== undefined);

const leavings = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`millrace-step-${process.pid}-`));

let before: string[];
beforeEach(async () => {
  before = await leavings();
});

describe('an ingested file', () => {
  it('becomes a published table with exact types, a profile and the facts of its source', async () => {
    using world = ingestWorld();
    const row = await ingest(world, 'Sites 2024.csv', 'code,n\n007,1\n010,2\n010,\n');
    expect(row).toMatchObject({ status: 'succeeded', stage: 'publish', kind: 'ingest' });
    const result = await tableOf(world, row);
    expect(result).toMatchObject({
      tableName: 'Sites_2024',
      sequence: 1,
      superseded: false,
      rowCount: 3,
      columnCount: 2,
    });
    const manifest = await manifestOf(world, result.table);
    expect(manifest).toMatchObject({
      rowCount: 3,
      source: { name: 'Sites 2024.csv', format: 'csv', compression: 'none', bytes: 24 },
      changes: { added: ['code', 'n'], removed: [], typeChanged: [] },
    });
    expect(manifest.columns[0]).toMatchObject({ name: 'code', type: 'VARCHAR', profile: { distinct: 2, max: '010' } });
    expect(manifest.columns[1]).toMatchObject({ name: 'n', profile: { nulls: 1, min: '1', max: '2' } });
    const prefix = `acme/main/datasets/${dataset}/tables/${result.table}/${row.id}/${row.epoch}`;
    expect(manifest.parts).toMatchObject([{ key: `${prefix}/part-00000.parquet`, rows: 3 }]);
    expect(await leavings()).toEqual(before);
  });

  it('costs writes of its row for submit, claim, hand-off, two begins and the settle, and for each checkpoint between stages', async () => {
    using world = ingestWorld();
    const row = await ingest(world, 't.csv', 'a\n1\n');
    expect(row.version - row.createdAt).toBe(6 + stages.length - 1);
  });

  it('is fetched once, and its part once more for the step that profiles it', async () => {
    using world = ingestWorld();
    const fetched: string[] = [];
    const { read, download } = world.objects;
    world.objects.read = (key) => (fetched.push(key.replace(/.*\//, '')), read(key));
    world.objects.download = (key, path) => (fetched.push(key.replace(/.*\//, '')), download(key, path));
    expect(await ingest(world, 't.csv', 'a\n1\n')).toMatchObject({ status: 'succeeded' });
    expect(fetched).toEqual(['source', 'part-00000.parquet']);
  });

  it('is read the same where each stage finds an empty disk', async () => {
    using world = ingestWorld();
    const definition = createIngest({ catalog: world.store, documents: world.store, objects: world.objects });
    const apart = { ...definition, steps: definition.stages.map((stage) => ({ name: stage.name, stages: [stage] })) };
    const { id } = await upload(world, 'a.ndjson.gz', gzipSync('{"x":1}\n{"x":2}\n'));
    const bell = await world.claim();
    for (const { name } of apart.steps) await runStep(world.engine, apart, { bell, step: name });
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded' });
    expect(await tableOf(world, row)).toMatchObject({ rowCount: 2 });
    expect(await leavings()).toEqual(before);
  });

  it('takes the name that the caller gives the table', async () => {
    using world = ingestWorld();
    const row = await ingest(world, 'export-2024-01-01.csv', 'a\n1\n', { table: 'sales' });
    expect(await tableOf(world, row)).toMatchObject({ tableName: 'sales' });
  });

  it('is read as the caller says, and fails where that does not fit it', async () => {
    using world = ingestWorld();
    const options = { headerRow: 2, delimiter: '^', types: { a: 'VARCHAR' } } as const;
    const row = await ingest(world, 't.csv', 'made by hand\na^b\n1^2\n', { options });
    const { columns } = await manifestOf(world, (await tableOf(world, row)).table);
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['a VARCHAR', 'b BIGINT']);
    const misfit = await ingest(world, 't.ndjson', '{"a":1}\n', { options });
    expect(misfit).toMatchObject({ status: 'failed', error: { code: 'OPTION_MISFIT' } });
  });
});

describe('a binary file with a schema of its own', () => {
  it.each([
    ['all.arrows', 45, 'i64 BIGINT'],
    ['all-snappy.avro', 30, 'l BIGINT'],
  ])('is published with its types and its warnings: %s', async (name, count, column) => {
    using world = ingestWorld();
    const row = await ingest(
      world,
      name,
      await readFile(join(import.meta.dirname, '../unit/ingest/binary/files', name)),
    );
    expect(row).toMatchObject({ status: 'succeeded' });
    const { columns, warnings, source } = await manifestOf(world, (await tableOf(world, row)).table);
    expect(columns).toHaveLength(count);
    expect(columns.map(({ name: own, type }) => `${own} ${type}`)).toContain(column);
    expect(columns.every(({ profile }) => profile !== undefined)).toBe(true);
    expect(warnings.map(({ code }) => code)).toContain('UNION_AS_STRUCT');
    expect(source).toMatchObject({ format: name.endsWith('avro') ? 'avro' : 'arrow', compression: 'none' });
    expect(await leavings()).toEqual(before);
  });
});

describe('a file of several tables', () => {
  const shop = '{"orders": [{"id": 1, "sum": 1.5}, {"id": 2, "sum": 2}], "buyers": [{"name": "Åsa"}], "made": "2024"}';

  it('publishes all of them with the settle, each with its manifest, and says what was left out', async () => {
    using world = ingestWorld();
    const row = await ingest(world, 'shop.json', shop);
    const { tables, warnings } = await resultOf(world, row);
    expect(tables).toMatchObject([
      { tableName: 'shop__orders', sequence: 1, rowCount: 2, columnCount: 2, superseded: false },
      { tableName: 'shop__buyers', sequence: 1, rowCount: 1, columnCount: 1, superseded: false },
    ]);
    expect(warnings).toMatchObject([{ code: 'KEYS_LEFT_OUT', count: 1 }]);
    const [orders, buyers] = await Promise.all(tables.map(({ table }) => manifestOf(world, table)));
    expect(orders).toMatchObject({ table: 'shop__orders', source: { key: 'orders' }, warnings });
    expect(orders?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['id BIGINT', 'sum DECIMAL(18,1)']);
    expect(buyers?.columns[0]).toMatchObject({ name: 'name', profile: { distinct: 1, max: 'Åsa' } });
    expect(await visible(world)).toHaveLength(2);
    expect(await leavings()).toEqual(before);
  });

  it('of which one cannot be read shows none of them', async () => {
    using world = ingestWorld();
    const row = await ingest(world, 'shop.json', shop.replace('"name"', '"name": 1, "half": "\\ud83d"'));
    expect(row).toMatchObject({ status: 'failed', error: { code: 'PARSE_ERROR' } });
    expect(await visible(world)).toEqual([]);
  });

  it('is read the same where each stage finds an empty disk', async () => {
    using world = ingestWorld();
    const definition = createIngest({ catalog: world.store, documents: world.store, objects: world.objects });
    const apart = { ...definition, steps: definition.stages.map((stage) => ({ name: stage.name, stages: [stage] })) };
    const { id } = await upload(world, 'shop.json.gz', gzipSync(shop));
    const bell = await world.claim();
    for (const { name } of apart.steps) await runStep(world.engine, apart, { bell, step: name });
    const { tables } = await resultOf(world, await world.row(id));
    expect(tables.map(({ tableName, rowCount }) => [tableName, rowCount])).toEqual([
      ['shop__orders', 2],
      ['shop__buyers', 1],
    ]);
  });
});

describe('what release 0.1.0 stored of a file under way', () => {
  const table = { table: 'tbl_00000000000000000000000001', tableName: 't', sequence: 3 };
  const source = { name: 't.csv', format: 'csv', compression: 'none', bytes: 4, sha256: 'ff' };
  const read = { columns: [{ name: 'a', type: 'BIGINT' }], rowCount: 1, parts: [], warnings: [] };
  const compared = {
    snapshot: 'snap_00000000000000000000000001',
    changes: { added: ['a'], removed: [], typeChanged: [] },
  };
  const column = {
    name: 'a',
    type: 'BIGINT',
    nulls: 0,
    nullFraction: 0,
    distinct: 1,
    min: '1',
    max: '1',
    topValues: [],
  };
  const profile = { columns: [{ ...column, distinctIs: 'exact' }] };

  it.each([
    [
      outputs.received,
      { dataset, objectKey: 'key', source, ...table },
      { dataset, objectKey: 'key', source, tables: [table], warnings: [] },
    ],
    [outputs.parsed, read, { tables: [read] }],
    [outputs.reconciled, compared, { tables: [compared] }],
    [profiled, profile, { tables: [profile] }],
  ])('is read as a list of one table (%#)', ({ output }, old, listed) => {
    expect(output.parse(old)).toEqual(listed);
    expect(output.parse(listed)).toEqual(listed);
  });
});

describe('a second upload of a table', () => {
  it('is the next snapshot and says what changed', async () => {
    using world = ingestWorld();
    await ingest(world, 't.csv', 'a,b\n1,x\n');
    const result = await tableOf(world, await ingest(world, 'T.csv', 'a,c\n1.5,y\n'));
    expect(result).toMatchObject({ sequence: 2, superseded: false });
    const { changes } = await manifestOf(world, result.table);
    expect(changes).toMatchObject({ added: ['c'], removed: ['b'], typeChanged: [{ column: 'a', from: 'BIGINT' }] });
    expect(await visible(world)).toHaveLength(1);
  });

  it('carries a column over to its new name by its values, and names the snapshot it was compared with', async () => {
    using world = ingestWorld();
    const rows = Array.from({ length: 40 }, (_, at) => `${at},${at * 7.25},city ${at}`);
    const first = await tableOf(world, await ingest(world, 't.csv', ['id,price,town', ...rows].join('\n')));
    const next = ['id,town_name,unit_price', ...rows.toReversed().map((row) => row.replace(/,(.*),(.*)/, ',$2,$1'))];
    const result = await tableOf(world, await ingest(world, 't.csv', next.join('\n')));
    const { changes, hash } = await manifestOf(world, result.table);
    expect(changes).toMatchObject({ added: [], removed: [], typeChanged: [], candidates: [] });
    expect(changes.renamed?.map(({ from, to }) => [from, to])).toEqual([
      ['price', 'unit_price'],
      ['town', 'town_name'],
    ]);
    expect(changes.against).toEqual({ snapshot: first.snapshot, sequence: 1 });
    const row = await world.store.getSnapshot(scope, dataset, result.table, result.snapshot);
    expect(row).toMatchObject({ hash, publishedAt: world.clock.now() });
    expect(await leavings()).toEqual(before);
  });

  it('that was received first but finishes last is superseded, and the pointer stays', async () => {
    using world = ingestWorld();
    const older = await upload(world, 't.csv', 'a\n1\n');
    const first = await world.claim();
    await world.step(first, READ);
    const newer = await ingest(world, 't.csv', 'a\n1\n2\n');
    expect(await world.step(first, MAKE)).toBeUndefined();
    const late = await tableOf(world, await world.row(older.id));
    expect(late).toMatchObject({ sequence: 1, superseded: true, rowCount: 1 });
    expect(await tableOf(world, newer)).toMatchObject({ sequence: 2, superseded: false });
    const table = await world.store.getTable(scope, dataset, late.table);
    expect(table?.current).toMatchObject({ sequence: 2 });
    const snapshots = await world.store.listSnapshots(scope, dataset, late.table, { limit: 10 });
    expect(snapshots.items.map(({ sequence, status }) => [sequence, status])).toEqual([
      [2, 'READY'],
      [1, 'SUPERSEDED'],
    ]);
    expect(snapshots.items.every(({ manifest }) => manifest !== undefined)).toBe(true);
  });
});

describe('a publish that was committed', () => {
  /** Applies the first publishes and loses their answers. */
  const losing =
    (answers: number, calls: { publishes: number }) =>
    (store: JobStore): JobStore => ({
      ...store,
      publish: async (...args) => {
        const answer = await store.publish(...args);
        if (calls.publishes++ < answers) throw new StoreUnavailable('the answer is lost');
        return answer;
      },
    });

  it('and whose answer was lost is not published twice', async () => {
    const calls = { publishes: 0 };
    using world = ingestWorld({ wrap: losing(1, calls) });
    const { id } = await upload(world, 't.csv', 'a\n1\n');
    const running = world.claim().then((bell) => world.execute(bell));
    while (calls.publishes === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(minutes(1));
    expect(await running).toBeUndefined();
    expect(calls.publishes).toBe(2);
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    const result = await tableOf(world, row);
    expect(result).toMatchObject({ superseded: false, sequence: 1 });
    const table = await world.store.getTable(scope, dataset, result.table);
    expect(table?.current).toMatchObject({ sequence: 1, snapshot: result.snapshot });
  });

  it('and never answered is left alone by the settle of the execution', async () => {
    const calls = { publishes: 0 };
    using world = ingestWorld({ wrap: losing(Number.POSITIVE_INFINITY, calls) });
    const { id } = await upload(world, 't.csv', 'a\n1\n');
    const running = world.claim().then((bell) => world.execute(bell));
    while (calls.publishes === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.clock.advance(minutes(2));
    expect(await running).toContain('unanswered');
    expect(await world.row(id)).toMatchObject({ status: 'succeeded', crashes: 0 });
  });
});

describe('an attempt that died', () => {
  it('after the part was written leaves it unreferenced, and the next one reads the file anew', async () => {
    using world = ingestWorld();
    const { id } = await upload(world, 't.csv', 'a\n1\n');
    const bell = await world.claim();
    const put = world.objects.moveFileOnce;
    world.objects.moveFileOnce = async (key, path) => {
      const written = await put(key, path);
      world.objects.moveFileOnce = put;
      await world.settle(bell, 'killed');
      return written;
    };
    expect(await world.step(bell, READ)).toContain('lease_lost');
    await world.execute(await world.claim());
    const row = await world.row(id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 1 });
    const { table } = await tableOf(world, row);
    const part = (epoch: number) => `acme/main/datasets/${dataset}/tables/${table}/${id}/${epoch}/part-00000.parquet`;
    expect(world.objects.keys()).toContain(part(bell.epoch));
    expect((await manifestOf(world, table)).parts.map(({ key }) => key)).toEqual([part(row.epoch)]);
    expect(await leavings()).toEqual(before);
  });
});

describe('bad input', () => {
  const cases: readonly [string, string, string | Uint8Array, string][] = [
    ['an empty file', 'a.csv', '', 'EMPTY_FILE'],
    ['a picture named .parquet', 'a.parquet', Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1'), 'FORMAT_MISMATCH'],
    ['a truncated gzip', 'a.csv.gz', gzipSync('a,b\n'.repeat(9000)).subarray(0, 60), 'COMPRESSION_CORRUPT'],
    ['JSON cut in half', 'a.json', '[{"a":1},{"a":', 'PARSE_ERROR'],
    ['an unknown extension', 'a.xyz', 'a,b\n1,2\n', 'FORMAT_UNKNOWN'],
  ];
  it.each(cases)(
    '%s fails the job at once with its code and leaves nothing visible',
    async (_case, name, body, code) => {
      using world = ingestWorld();
      const row = await ingest(world, name, body);
      expect(row).toMatchObject({ status: 'failed', attempts: 0, error: { code, retriable: false } });
      expect(await visible(world)).toEqual([]);
      expect(await leavings()).toEqual(before);
    },
  );

  it('a file that was never stored fails the job', async () => {
    using world = ingestWorld();
    const row = await world.submit({ dataset, file: 'file_00000000000000000000000009', name: 'a.csv' });
    await world.execute(await world.claim());
    expect(await world.row(row.id)).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } });
  });
});
