// Tables with more bytes than are looked at: some parts are fetched, and what is said of them is never said of the whole.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReadLimits } from '../../lib/ingest/reading/types.ts';
import { type App, dies, LOOK, READ, start, startApp, submitFile } from './support/chunked-app.ts';

type Json = ReturnType<typeof JSON.parse>;

const ROWS = 2000;
const KEY_OF_PART = /\/(?:part|proven)-\d+\.parquet$/;
/** `late` has values in the last tenth only. */
const csv = `id,mail,late\n${Array.from({ length: ROWS }, (_, n) => `${n},someone${n}@secret.example,${n < 1800 ? '' : n}\n`).join('')}`;

let app: App;
let fetched: string[];
beforeEach(() => async () => app[Symbol.asyncDispose]());

const open = async (limits: Partial<ReadLimits>) => {
  app = await startApp({ chunkBytes: 2000, ...limits });
  fetched = [];
  const { download } = app.objects;
  app.objects.download = async (key, path) => {
    if (KEY_OF_PART.test(key)) fetched.push(key);
    return download(key, path);
  };
};
const bytesOf = (keys: readonly string[]) =>
  keys.reduce((sum, key) => sum + (app.objects.bodies.get(key)?.length ?? 0), 0);
const partsOf = () => app.objects.keys().filter((key) => KEY_OF_PART.test(key));
const named = (table: Json, name: string): Json => table.columns.find((column: Json) => column.name === name);
const rowsSeen = (table: Json): number => named(table, 'id').profile.rows;

describe('a table that is larger than what is looked at', () => {
  it('is looked at in some of its parts, each fetched once, and says of how many rows everything is', async () => {
    await open({ lookBytes: 12_000 });
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 't.csv', csv);
    expect(job).toMatchObject({ status: 'succeeded', result: { tables: [{ rowCount: ROWS }] } });
    const parts = partsOf();
    expect(bytesOf(parts)).toBeGreaterThan(3 * 12_000);
    expect(new Set(fetched).size).toBe(fetched.length);
    expect(fetched.length).toBeGreaterThan(3);
    expect(bytesOf(fetched)).toBeLessThanOrEqual(12_000);
    const { t } = await app.tables(dataset);
    const rows = rowsSeen(t);
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThan(ROWS / 2);
    expect(t.rowCount).toBe(ROWS);
    for (const { profile } of t.columns) {
      expect(profile).toMatchObject({ rows, distinctIsExact: false });
      expect(profile.nulls).toBeLessThanOrEqual(rows);
      expect(profile.nullFraction).toBe(profile.nulls / rows);
    }
    expect(named(t, 'id').profile).toMatchObject({ nulls: 0, distinct: rows });
    expect(named(t, 'id').profile.histogram.reduce((sum: number, each: number) => sum + each, 0)).toBe(rows);
    // Spread over the table: what stands at its end is there in its share.
    expect(named(t, 'late').profile.nullFraction).toBeGreaterThan(0.75);
    expect(named(t, 'late').profile.nullFraction).toBeLessThan(1);
    const warning = { code: 'LOOKED_IN_PART', count: rows };
    expect(t.warnings).toContainEqual(expect.objectContaining(warning));
    expect(job.result.warnings).toContainEqual(expect.objectContaining(warning));
    expect(named(t, 'mail').pii).toMatchObject({ tag: 'EMAIL' });
    expect(named(t, 'id').description.text).toContain(`Looked at were ${rows} of 2,000 rows.`);
    expect(named(t, 'id').description.text).not.toContain('Each row has a value of its own');
    expect(t.description.text).toContain('2,000 rows');
    expect(t.description.text).not.toContain('tells its rows apart');
    const known = new Set((await app.query(dataset, 'SELECT id FROM t')).body.rows.map(([n]: number[]) => String(n)));
    expect(named(t, 'id').samples.every((value: string) => known.has(value))).toBe(true);
    expect(t.sampleRows.rows).not.toHaveLength(0);
  });

  it('is looked at whole where its bytes are what may be looked at, and says nothing of it', async () => {
    await open({});
    const dataset = await app.dataset();
    await app.upload(dataset, 't.csv', csv);
    const bytes = bytesOf(partsOf());
    await app[Symbol.asyncDispose]();
    await open({ lookBytes: bytes });
    const again = await app.dataset();
    await app.upload(again, 't.csv', csv);
    const { t } = await app.tables(again);
    expect([...fetched].sort()).toEqual(partsOf());
    expect(named(t, 'id').profile).toMatchObject({ nulls: 0, distinct: ROWS, distinctIsExact: true });
    for (const { profile } of t.columns) expect(profile).not.toHaveProperty('rows');
    expect(t.warnings.map(({ code }: Json) => code)).not.toContain('LOOKED_IN_PART');
    expect(t.description.text).toContain('tells its rows apart');
  });

  it('is looked at in the same parts by the run that follows one that died', async () => {
    await open({ lookBytes: 12_000, chunksAnInvocation: 100 });
    const { id, dataset } = await submitFile(app, 't.csv', csv);
    const run = await start(app, id);
    expect(await app.step(run, READ)).toBeUndefined();
    const { download } = app.objects;
    app.objects.download = async (key, path) => {
      if (fetched.length < 3) return download(key, path);
      app.objects.download = download;
      return dies(app, run)();
    };
    expect(await app.step(run, LOOK)).toContain('lease_lost');
    const before = fetched.splice(0);
    expect(before).toHaveLength(3);
    await app.settle();
    expect(await app.row(id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    expect(fetched.slice(0, 3)).toEqual(before);
    expect(fetched.length).toBeGreaterThan(3);
    expect(rowsSeen((await app.tables(dataset))['t'])).toBeGreaterThan(100);
  });

  it('has its samples refreshed from as much of it', async () => {
    await open({ lookBytes: 12_000 });
    const dataset = await app.dataset();
    await app.upload(dataset, 't.csv', csv);
    const { t } = await app.tables(dataset);
    fetched.splice(0);
    const asked = await app.send('POST', `/v1/datasets/${dataset}/tables/${t.id}/samples/refresh`);
    expect(asked.status).toBe(202);
    await app.settle();
    expect(await app.row(asked.body.id)).toMatchObject({ status: 'succeeded' });
    expect(fetched.length).toBeGreaterThan(3);
    expect(bytesOf(fetched)).toBeLessThanOrEqual(12_000);
    const again = (await app.tables(dataset)).t;
    expect(named(again, 'id').samples).toHaveLength(8);
    expect(named(again, 'mail').pii).toMatchObject({ tag: 'EMAIL' });
    expect(again.warnings.filter(({ code }: Json) => code === 'LOOKED_IN_PART')).toHaveLength(1);
  });
});
