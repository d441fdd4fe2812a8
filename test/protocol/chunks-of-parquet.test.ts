// Parquet that is larger than what is read at once, read by its row groups: what is done is done once, whoever dies.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withEngine } from '../../lib/ingest/engine/engine.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { defaultReadLimits, type ReadLimits } from '../../lib/ingest/reading/types.ts';
import { HASH_BLOCK_BYTES } from '../../lib/ingest/chunks/text-hash.ts';
import { blockHash } from '../unit/ingest/chunks/block-hash.ts';
import { inFolder } from '../unit/ingest/world.ts';
import { withName, withZone } from '../unit/ingest/parquet/edit-footer.ts';
import { type App, atPart, atRead, dies, READ, start, startApp, submitFile } from './support/chunked-app.ts';

const GROUPS = 12;
const ROWS = GROUPS * 2048;
const limits = { maxWholeBytes: 100_000, groupBytes: 1 };

const written = (select: string, options: string): Promise<Uint8Array<ArrayBuffer>> =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'p.parquet');
    await withEngine({ workDir, limits: { ...defaultReadLimits, engineThreads: 1 } }, (engine) =>
      engine.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet, ${options})`),
    );
    return new Uint8Array(await readFile(path));
  });

let bytes: Uint8Array<ArrayBuffer>;
let lossy: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  const select = "SELECT range AS n, 'x' || range AS t, range AS u FROM";
  const made = await written(`${select} range(${ROWS})`, 'ROW_GROUP_SIZE 2048, COMPRESSION uncompressed');
  // DuckDB reads it as another column, and writes none of such a name.
  bytes = new Uint8Array(withName(Buffer.from(made), 2, 'T'));
  // Points in time of microseconds, but for those of the last rows.
  const late = `CASE WHEN range >= ${ROWS - 9} THEN '.123456789' ELSE '.5' END`;
  const times = `SELECT range AS n, ('2024-05-01 00:00:00' || ${late})::TIMESTAMP_NS AS t FROM range(${ROWS})`;
  lossy = new Uint8Array(
    withZone(Buffer.from(await written(times, 'ROW_GROUP_SIZE 2048, COMPRESSION uncompressed')), [1]),
  );
});

const opened = (own?: Partial<ReadLimits>) => startApp({ ...limits, ...own });

async function checkTable(app: App, dataset: string) {
  const { t } = await app.tables(dataset);
  expect(t).toMatchObject({ rowCount: ROWS, columns: [{ type: 'BIGINT' }, { type: 'VARCHAR' }, { type: 'BIGINT' }] });
  expect(t.warnings).toMatchObject([{ code: 'COLUMN_REPEATED', column: 'T_1' }]);
  const asked = await app.query(dataset, 'SELECT count(*) AS c, sum(n) AS s, sum("T_1") AS u, max(t) AS m FROM t');
  const sum = (ROWS * (ROWS - 1)) / 2;
  expect(asked.body.rows).toEqual([[ROWS, sum, sum, 'x9999']]);
  expect(t.source).toMatchObject({ format: 'parquet', sha256: blockHash(Buffer.from(bytes), HASH_BLOCK_BYTES) });
  return t;
}

const partsIn = (app: App) => app.objects.keys().filter((key) => key.endsWith('.parquet'));

describe('Parquet that is larger than what is read at once', () => {
  it('is a table of a part a chunk of row groups, written by children where there are many', async () => {
    await using app = await opened();
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.parquet', bytes);
    expect(job).toMatchObject({ status: 'succeeded', attempts: 0 });
    await checkTable(app, dataset);
    expect(partsIn(app)).toHaveLength(GROUPS);
    const children = app.started.filter(({ ref }) => ref.id !== job.id);
    expect(new Set(children.map(({ ref }) => ref.id)).size).toBe(2);
  });

  it('has the row groups of a chunk in one part', async () => {
    await using app = await opened({ groupBytes: bytes.length / 3 });
    const dataset = await app.dataset();
    expect(await app.upload(dataset, 't.parquet', bytes)).toMatchObject({ status: 'succeeded' });
    await checkTable(app, dataset);
    expect(partsIn(app).length).toBeLessThan(5);
    // Once for the hash, once for the parts, and what the footer says, a few times.
    expect(app.sourceBytes()).toBeLessThan(2.5 * bytes.length);
  });

  it('has a column as text in all parts where one row group would lose something, found by children', async () => {
    await using app = await opened();
    const dataset = await app.dataset();
    expect(await app.upload(dataset, 't.parquet', lossy)).toMatchObject({ status: 'succeeded' });
    const { t } = await app.tables(dataset);
    expect(t).toMatchObject({ rowCount: ROWS, columns: [{ type: 'BIGINT' }, { type: 'VARCHAR' }] });
    expect(t.warnings).toMatchObject([{ code: 'TYPE_AS_TEXT', column: 't', row: ROWS - 8, count: 9 }]);
    expect(partsIn(app).filter((key) => /\/proven-\d+\.parquet$/.test(key))).toHaveLength(GROUPS);
    const asked = await app.query(
      dataset,
      "SELECT count(*) AS c, max(t) AS t FROM t WHERE t < '2024-05-01T00:00:00.2'",
    );
    expect(asked.body.rows).toEqual([[9, '2024-05-01T00:00:00.123456789Z']]);
  });

  it.each([
    ['cut short', () => bytes.slice(0, -100), {}, 'PARSE_ERROR'],
    ['encrypted', () => new Uint8Array(Buffer.concat([Buffer.from('PARE'), bytes.subarray(4)])), {}, 'FORMAT_MISMATCH'],
    ['damaged in a page', () => bytes.slice().fill(0xff, 150_000, 150_100), {}, 'PARSE_ERROR'],
    ['of a row group that is too large', () => bytes, { maxWholeBytes: 10_000 }, 'FILE_TOO_LARGE'],
  ])('that is %s is refused', async (_, file, own, code) => {
    await using app = await opened(own);
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.parquet', file());
    expect(job).toMatchObject({ status: 'failed', error: { code } });
    expect(await app.tables(dataset)).toEqual({});
  });

  it('under another name is refused', async () => {
    await using app = await opened();
    const job = await app.upload(await app.dataset(), 't.csv', bytes);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'FORMAT_MISMATCH' } });
  });

  it('goes on where it died, and fetches nothing of what is written', async () => {
    await using app = await opened({ chunksAnInvocation: 100 });
    const { id, dataset } = await submitFile(app, 't.parquet', bytes);
    const run = await start(app, id);
    atPart(app, 8, dies(app, run));
    expect(await app.step(run, READ)).toContain('lease_lost');
    const before = partsIn(app).length;
    expect(before).toBeGreaterThan(4);
    app.sourceBytes();
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // What is left of its row groups, and for each what the footer says of it. It is not hashed again.
    const footer = Buffer.from(bytes).readUInt32LE(bytes.length - 8);
    const left = GROUPS - before + 1;
    expect(app.sourceBytes()).toBeLessThan((left / GROUPS) * bytes.length + left * footer);
    await checkTable(app, dataset);
  });

  it('whose time runs out while it is received goes on at no cost', async () => {
    await using app = await opened();
    const { id, dataset } = await submitFile(app, 't.parquet', bytes);
    const run = await start(app, id);
    const late = new AbortController();
    // The heads and the footer; then what is hashed.
    atRead(app, 9, async () => late.abort(new Error('15 minutes')));
    expect(await app.step(run, READ, late.signal)).toContain('settled');
    expect(await app.row(id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0, crashes: 0 });
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    await checkTable(app, dataset);
  });
});
