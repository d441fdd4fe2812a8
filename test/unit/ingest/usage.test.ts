import { afterEach, describe, expect, it } from 'vitest';
import { days } from '../../../lib/core/time.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { scope } from '../../support/pipeline-world.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;

describe('what a workspace stores', () => {
  let app: App;
  afterEach(() => app[Symbol.asyncDispose]());

  const start = async (workspaceBytes?: number): Promise<string> => {
    app = await startIngestApp(() => ({ workspaceBytes }));
    return app.dataset();
  };
  const usage = async () => (await app.send('GET', '/v1/usage')).body;
  /** What the rows say, by a job that counts them. */
  const counted = async () => {
    const sent = await app.send('POST', '/v1/jobs', { json: { kind: 'count-storage', input: {} } });
    await app.settle();
    return (await app.send('GET', `/v1/jobs/${sent.body.id}`)).body.result;
  };
  const bytesOf = async (name: string): Promise<number> => {
    const { objects } = app;
    const keys = objects.keys().filter((key) => key.includes(name));
    const sizes = await Promise.all(keys.map(async (key) => (await objects.head(key))?.size ?? 0));
    return sizes.reduce((sum, size) => sum + size, 0);
  };

  it('is its files and the parts of its tables, as a count of the rows finds them', async () => {
    const dataset = await start();
    expect(await usage()).toEqual({ bytes: 0, fileBytes: 0, tableBytes: 0, limit: null });
    await app.upload(dataset, 'a.csv', 'n\n1\n2\n');
    await app.upload(dataset, 'a.csv', 'n\n3\n', { mode: 'append', table: 'a' });
    await app.upload(dataset, 'a.csv', 'n\n3.5\n', { mode: 'append', table: 'a' });
    await app.upload(dataset, 'b.json', '[{"x":"y"}]');
    const found = await usage();
    expect(found.fileBytes).toBe(6 + 4 + 6 + 11);
    expect(found.tableBytes).toBeGreaterThan(0);
    expect(found.bytes - found.fileBytes).toBe(found.tableBytes);
    expect(await counted()).toEqual({ ...found, limit: undefined, before: found.bytes });
    expect(await usage()).toMatchObject({ bytes: found.bytes, countedAt: expect.any(String) });
  });

  it('is set right by a count where it was wrong', async () => {
    const dataset = await start();
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    const { bytes } = await usage();
    const read = await app.store.getUsage(scope);
    await app.store.countUsage(scope, read, { fileBytes: 1, tableBytes: 10_000, at: app.clock.now() });
    expect(await counted()).toMatchObject({ bytes, before: 10_001 });
    expect((await usage()).bytes).toBe(bytes);
  });

  it('goes down when old snapshots go, by what no other names', async () => {
    const dataset = await start();
    await app.send('PATCH', `/v1/datasets/${dataset}`, { json: { policy: { retention: { snapshots: 1 } } } });
    await app.upload(dataset, 'a.csv', 'n\n1\n2\n');
    await app.upload(dataset, 'a.csv', 'n\n3\n', { mode: 'append', table: 'a' });
    const shared = await usage();
    const sweep = async () => {
      await app.clock.advance(days(2));
      await app.send('POST', '/v1/jobs', { json: { kind: 'retention', input: { dataset } } });
      await app.settle();
    };
    await sweep();
    await sweep();
    expect((await usage()).bytes).toBe(shared.bytes);
    await app.upload(dataset, 'a.csv', 'n\n4\n');
    await sweep();
    await sweep();
    const left = await usage();
    expect(left.tableBytes).toBe(await bytesOf('.parquet'));
    expect(await counted()).toMatchObject({ bytes: left.bytes, before: left.bytes });
  });

  it('refuses an upload that does not fit, in each of the ways in', async () => {
    const dataset = await start(10);
    const sent = await app.upload(dataset, 'a.csv', 'n\n1\n2\n3\n4\n5\n');
    expect(sent).toMatchObject({ status: 409, code: 'STORAGE_QUOTA_EXCEEDED', limit: 10 });
    const json = { name: 'a.csv', size: 11 };
    const started = await app.send('POST', `/v1/datasets/${dataset}/uploads`, { json });
    expect(started.body.code).toBe('STORAGE_QUOTA_EXCEEDED');
    const form = new FormData();
    form.append('files', new File(['n\n1\n2\n3\n4\n5\n'], 'a.csv'));
    form.append('files', new File(['n\n1\n'], 'b.csv'));
    const { body } = await app.send('POST', `/v1/datasets/${dataset}/files/bulk`, { body: form });
    expect(body.results[0].problem.code).toBe('STORAGE_QUOTA_EXCEEDED');
    expect(body.results[1].status).toBe('accepted');
    expect((await usage()).fileBytes).toBe(4);
  });

  it('refuses to publish what does not fit, and leaves the table as it was', async () => {
    const dataset = await start(800);
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    const before = await usage();
    const codes = [];
    for (let place = 0; place < 3; place++) codes.push((await app.upload(dataset, 'a.csv', 'n\n2\n')).error?.code);
    expect(codes.at(-1)).toBe('STORAGE_QUOTA_EXCEEDED');
    const after = await usage();
    expect(after.bytes).toBeLessThanOrEqual(800);
    expect(after.limit).toBe(800);
    expect(after.tableBytes).toBeGreaterThanOrEqual(before.tableBytes);
    const { a } = await app.tables(dataset);
    expect(a.rowCount).toBe(1);
    expect(await counted()).toMatchObject({ bytes: after.bytes });
  });

  it('refuses what a derivation does not fit in, and leaves its table as it was', async () => {
    const dataset = await start(1_300);
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    const derive = async (sql: string, mode = 'replace') => {
      const json = { name: 'b', sql, mode };
      const { body } = await app.send('POST', `/v1/datasets/${dataset}/tables/derive`, { json });
      await app.settle();
      return (await app.send('GET', `/v1/jobs/${body.id}`)).body;
    };
    expect((await derive('select n from a', 'create')).status).toBe('succeeded');
    const before = await usage();
    const many = await derive("select n, i, 'row ' || hash(i) as text from a, range(1000) r(i)");
    expect(many).toMatchObject({ status: 'failed', error: { code: 'STORAGE_QUOTA_EXCEEDED' } });
    expect(await usage()).toEqual(before);
    expect((await app.query(dataset, 'select * from b')).body.rows).toEqual([[1]]);
    expect(await counted()).toMatchObject({ bytes: before.bytes });
  });
});
