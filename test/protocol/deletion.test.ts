import { describe, expect, it } from 'vitest';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { type DurationMs, days, minutes } from '../../lib/core/time.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

async function withTables(more: object = {}) {
  const app = await startIngestApp();
  const dataset = await app.dataset('d', more);
  await app.upload(dataset, 'orders.csv', 'id,person\n1,Ada Winterbourne\n2,Bo Lindqvist\n');
  await app.upload(dataset, 'others.csv', 'id,city\n1,Utrecht\n2,Bergen\n');
  const base = `/v1/datasets/${dataset}`;
  const table = (await app.tables(dataset))['orders'].id;
  const path = `${base}/tables/${table}`;
  const keys = (below = '') => app.objects.keys().filter((key) => key.includes(`/datasets/${dataset}/${below}`));
  const names = async () => Object.keys(await app.tables(dataset)).toSorted();
  const purge = async (at = path, json: object = {}) => {
    const { status, body } = await app.send('POST', `${at}/purge`, { json });
    expect(status).toBe(202);
    await app.settle();
    return (await app.send('GET', `/v1/jobs/${body.id}`)).body;
  };
  const search = async (query: string) => (await app.send('GET', `/v1/search?q=${query}`)).body.data;
  /** What the sweep does where a day or more has passed. */
  const later = async (by: DurationMs) => {
    await app.clock.advance(by);
    await sweep(app.engine);
    await app.settle();
  };
  /** What the rows say is stored. */
  const counted = async () => {
    const { body } = await app.send('POST', '/v1/jobs', { json: { kind: 'count-storage', input: {} } });
    const before = await app.store.getUsage(scope);
    await app.settle();
    const { bytes } = await app.store.getUsage(scope);
    expect((await app.send('GET', `/v1/jobs/${body.id}`)).body.status).toBe('succeeded');
    expect(before.bytes).toBe(bytes);
  };
  return { ...app, counted, create: app.dataset, dataset, base, table, path, keys, names, purge, search, later };
}

/** An ingest that has received and parsed its file, and goes on when it is told to. */
async function underWay(app: Awaited<ReturnType<typeof withTables>>, name: string, content: string) {
  const { body } = await app.sendFile(app.dataset, name, content);
  const bell = await app.claim();
  app.bells.splice(0);
  await app.step(bell, 'receive+parse');
  return async () => {
    await app.execute(bell);
    await app.settle();
    return (await app.send('GET', `/v1/jobs/${body.id}`)).body;
  };
}

describe('a table that is deleted', () => {
  it('is in no list, query, search or relation, and is as it was once it is restored', async () => {
    await using app = await withTables();
    await app.send('PUT', `${app.path}/annotation`, { json: { description: 'What was ordered.' } });
    const ends = [app.table, (await app.tables(app.dataset))['others'].id].map((tableId) => ({
      tableId,
      column: 'id',
    }));
    await app.send('POST', `${app.base}/relations`, { json: { from: ends[0], to: ends[1] } });
    await app.settle();
    const before = (await app.tables(app.dataset))['orders'];
    const relations = (await app.send('GET', `${app.base}/relations`)).body.data.length;
    expect(await app.search('ordered')).not.toEqual([]);

    const deleted = await app.send('DELETE', app.path);
    expect([deleted.status, deleted.body.id]).toEqual([200, app.table]);
    expect(Date.parse(deleted.body.restorableUntil) - Date.parse(deleted.body.deletedAt)).toBe(days(30));
    await app.settle();
    expect(await app.names()).toEqual(['others']);
    for (const rest of ['', '/snapshots', '/annotation', '/changes', '/rejects', '/data'])
      expect((await app.send('GET', `${app.path}${rest}`)).status, rest).toBe(404);
    expect((await app.query(app.dataset, 'SELECT * FROM orders')).body.code).toBe('SQL_INVALID');
    expect(await app.search('ordered')).toEqual([]);
    expect((await app.send('GET', `${app.base}/relations`)).body.data).toEqual([]);
    expect((await app.send('DELETE', app.path)).status).toBe(404);
    const { data } = (await app.send('GET', `${app.base}/tables?deleted=true`)).body;
    expect(data).toMatchObject([{ id: app.table, name: 'orders', deletedAt: deleted.body.deletedAt }]);

    expect((await app.send('POST', `${app.path}/restore`)).status).toBe(200);
    await app.settle();
    expect((await app.tables(app.dataset))['orders']).toEqual(before);
    expect((await app.send('GET', `${app.base}/relations`)).body.data).toHaveLength(relations);
    expect(await app.search('ordered')).not.toEqual([]);
    expect((await app.send('POST', `${app.path}/restore`)).body.code).toBe('CONFLICT');
    expect((await app.send('GET', `${app.base}/tables?deleted=true`)).body.data).toEqual([]);
  });

  it('takes no file until it is restored', async () => {
    await using app = await withTables();
    await app.send('DELETE', app.path);
    const refused = await app.upload(app.dataset, 'orders.csv', 'id\n9\n');
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'GONE' } });
    await app.send('POST', `${app.path}/restore`);
    expect(await app.upload(app.dataset, 'orders.csv', 'id\n9\n')).toMatchObject({ status: 'succeeded' });
  });

  it('gets nothing published by what was under way when it was deleted', async () => {
    await using app = await withTables();
    const finish = await underWay(app, 'orders.csv', 'id\n7\n');
    await app.send('DELETE', app.path);
    expect(await finish()).toMatchObject({ status: 'failed', error: { code: 'GONE' } });
    await app.send('POST', `${app.path}/restore`);
    expect((await app.query(app.dataset, 'SELECT count(*) FROM orders')).body.rows).toEqual([[2]]);
  });

  it('gets nothing published by a rollback that was under way', async () => {
    await using app = await withTables();
    await app.upload(app.dataset, 'orders.csv', 'id\n7\n');
    const { data } = (await app.send('GET', `${app.path}/snapshots`)).body;
    const { body } = await app.send('POST', `${app.path}/rollback`, { json: { snapshot: data[1].id } });
    await app.send('DELETE', app.path);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${body.id}`)).body).toMatchObject({ status: 'failed' });
    await app.send('POST', `${app.path}/restore`);
    expect((await app.query(app.dataset, 'SELECT * FROM orders')).body.rows).toEqual([[7]]);
  });
});

describe('a purge of a table', () => {
  it('counts first, and then leaves no object, row, file or word of it', async () => {
    await using app = await withTables();
    await app.upload(app.dataset, 'orders.csv', 'id,person\n3,Cy Oduya\n');
    await app.send('PUT', `${app.path}/annotation?column=person`, { json: { description: 'Who ordered.' } });
    await app.settle();
    expect((await app.send('POST', `${app.path}/purge`)).body.code).toBe('CONFLICT');
    const dry = await app.purge(app.path, { dryRun: true });
    const objects = app.keys(`tables/${app.table}/`).length + 2;
    expect(dry.result).toMatchObject({ dryRun: true, purged: false, tables: 1, snapshots: 2, files: 2, objects });
    expect(await app.names()).toEqual(['orders', 'others']);

    await app.send('DELETE', app.path);
    await app.counted();
    const { status, result } = await app.purge();
    expect([status, result]).toEqual(['succeeded', { ...dry.result, dryRun: false, purged: true }]);
    expect(app.keys(`tables/${app.table}/`)).toEqual([]);
    expect(app.keys('files/')).toHaveLength(1);
    await app.counted();
    expect((await app.send('POST', `${app.path}/restore`)).status).toBe(404);
    expect((await app.send('POST', `${app.path}/purge`)).status).toBe(404);
    expect((await app.send('GET', `${app.base}/tables?deleted=true`)).body.data).toEqual([]);
    await app.later(minutes(12));
    const kept = await Promise.all(
      app.objects
        .keys()
        .filter((key) => /\/(search|datasets)\//.test(key))
        .map(async (key) => [key, String(await app.objects.get(key))]),
    );
    expect(kept.filter(([, text]) => /Winterbourne|Oduya|Who ordered/.test(text ?? ''))).toEqual([]);
    expect(await app.names()).toEqual(['others']);
  });

  it('leaves the name free, whose sequences go on, and nothing that was begun before comes into it', async () => {
    await using app = await withTables();
    const finish = await underWay(app, 'orders.csv', 'id\n7\n');
    await app.send('DELETE', app.path);
    await app.purge();
    const fresh = await app.upload(app.dataset, 'orders.csv', 'id\n100\n');
    expect(fresh.result.tables).toMatchObject([{ table: app.table, sequence: 3 }]);
    // What it had written is purged, so that it does not get as far as publishing.
    expect(await finish()).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
    expect((await app.query(app.dataset, 'SELECT * FROM orders')).body.rows).toEqual([[100]]);
    expect((await app.send('GET', `${app.path}/snapshots`)).body.data).toHaveLength(1);
  });

  it('comes by itself when the table can be restored no more, and not where it was restored', async () => {
    await using app = await withTables({ policy: { restoreDays: 3 } });
    await app.send('DELETE', app.path);
    await app.send('POST', `${app.path}/restore`);
    await app.later(days(2));
    expect((await app.send('DELETE', app.path)).status).toBe(200);
    await app.later(days(2));
    expect((await app.send('GET', `${app.base}/tables?deleted=true`)).body.data).toHaveLength(1);
    expect(app.keys(`tables/${app.table}/`)).not.toEqual([]);
    await app.later(days(2));
    expect((await app.send('GET', `${app.base}/tables?deleted=true`)).body.data).toEqual([]);
    expect(app.keys(`tables/${app.table}/`)).toEqual([]);
    expect(await app.names()).toEqual(['others']);
  });

  it('keeps a file that another table was read from', async () => {
    await using app = await withTables();
    const file = /files\/(file_\w+)/.exec(app.keys('files/')[0] ?? '')?.[1] ?? '';
    for (const table of ['orders', 'copy'])
      await app.send('POST', `${app.base}/files/${file}/ingest`, { json: { table } });
    await app.settle();
    await app.send('DELETE', app.path);
    const kept = app.keys(`files/${file}/`);
    await app.purge();
    expect(app.keys(`files/${file}/`)).toEqual(kept);
    const copy = (await app.tables(app.dataset))['copy'].id;
    await app.send('DELETE', `${app.base}/tables/${copy}`);
    await app.purge(`${app.base}/tables/${copy}`);
    const others = (await app.tables(app.dataset))['others'].id;
    expect(app.keys(`files/${file}/`)).toEqual(
      (await app.send('GET', `${app.base}/files/${file}`)).status === 200 ? kept : [],
    );
    expect(others).toBeDefined();
  });

  it('answers a query that meets it with a problem of the caller, never with a failure', async () => {
    await using app = await withTables();
    const { get } = app.objects;
    for (const left of [/manifest[^/]*\.json$/, /\.parquet$/]) {
      const gone = app.keys(`tables/${app.table}/`).filter((key) => left.test(key));
      app.objects.get = async (key) => {
        if (gone.includes(key)) {
          for (const each of gone) await app.objects.delete(each);
          await app.send('DELETE', app.path);
        }
        return get(key);
      };
      if (left.source.includes('parquet')) for (const each of gone) await app.objects.delete(each);
      const { status } = await app.query(app.dataset, 'SELECT * FROM orders');
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      const shown = await app.send('GET', app.path);
      expect([404, 410]).toContain(shown.status);
    }
  });
});

describe('a dataset that is deleted', () => {
  it('shows nothing, keeps its name, and is as it was once it is restored', async () => {
    await using app = await withTables();
    const before = await app.tables(app.dataset);
    const [file] = app.keys('files/').map((key) => /files\/(file_\w+)/.exec(key)?.[1]);
    expect((await app.send('DELETE', app.base)).status).toBe(200);
    await app.settle();
    for (const at of [
      '',
      '/tables',
      `/tables/${app.table}`,
      `/tables/${app.table}/snapshots`,
      `/files/${file}`,
      '/relations',
    ])
      expect((await app.send('GET', `${app.base}${at}`)).status, at).toBe(404);
    expect((await app.query(app.dataset, 'SELECT 1')).status).toBe(404);
    expect(await app.search('orders')).toEqual([]);
    expect((await app.send('GET', '/v1/datasets')).body.data).toEqual([]);
    expect((await app.send('GET', '/v1/datasets?deleted=true')).body.data).toMatchObject([{ id: app.dataset }]);
    expect((await app.send('PATCH', app.base, { json: { description: 'x' } })).status).toBe(404);
    expect((await app.send('POST', '/v1/datasets', { json: { name: 'd' } })).body.code).toBe('CONFLICT');
    expect((await app.send('POST', `${app.base}/restore`)).status).toBe(200);
    await app.settle();
    expect(await app.tables(app.dataset)).toEqual(before);
    expect(await app.search('orders')).not.toEqual([]);
  });

  it('is purged whole, and its name begins anew with nothing of before', async () => {
    await using app = await withTables();
    await app.send('POST', `${app.base}/queries`, { json: { name: 'q', sql: 'SELECT 1' } });
    await app.send('PUT', `${app.path}/annotation`, { json: { description: 'old' } });
    const finish = await underWay(app, 'orders.csv', 'id\n7\n');
    await app.send('DELETE', app.base);
    const dry = await app.purge(app.base, { dryRun: true });
    const { status, result } = await app.purge(app.base);
    expect([status, result]).toEqual(['succeeded', { ...dry.result, dryRun: false, purged: true }]);
    expect(result).toMatchObject({ tables: 2, files: 3 });
    expect(app.keys()).toEqual([]);
    expect(await app.store.getUsage(scope)).toMatchObject({ bytes: 0, fileBytes: 0, tableBytes: 0 });
    expect((await app.send('GET', '/v1/datasets?deleted=true')).body.data).toEqual([]);
    await app.clock.advance(minutes(1));
    expect(await app.create('d')).toBe(app.dataset);
    expect(await app.names()).toEqual([]);
    expect((await app.upload(app.dataset, 'orders.csv', 'id\n100\n')).status).toBe('succeeded');
    expect(await finish()).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
    expect((await app.query(app.dataset, 'SELECT * FROM orders')).body.rows).toEqual([[100]]);
    expect((await app.send('GET', `${app.path}/annotation`)).status).toBe(404);
    expect((await app.send('GET', `${app.base}/queries`)).body.data ?? []).toEqual([]);
  });
});

describe('an uploaded file', () => {
  it('is removed with its bytes, and its tables stay', async () => {
    await using app = await withTables();
    const [key = ''] = app.keys('files/');
    const id = /files\/(file_\w+)/.exec(key)?.[1];
    expect((await app.send('DELETE', `${app.base}/files/${id}`)).status).toBe(204);
    expect(app.keys('files/')).not.toContain(key);
    expect((await app.send('GET', `${app.base}/files/${id}`)).status).toBe(404);
    expect((await app.send('DELETE', `${app.base}/files/${id}`)).status).toBe(404);
    expect((await app.send('POST', `${app.base}/files/${id}/ingest`)).status).toBe(404);
    expect(await app.names()).toEqual(['orders', 'others']);
  });

  it('that is being read fails its ingest, and shows nothing', async () => {
    await using app = await withTables();
    const before = app.keys('files/');
    const { body } = await app.sendFile(app.dataset, 'new.csv', 'a\n1\n');
    const id = /files\/(file_\w+)/.exec(app.keys('files/').find((key) => !before.includes(key)) ?? '')?.[1];
    await app.send('DELETE', `${app.base}/files/${id}`);
    await app.settle();
    const job = (await app.send('GET', `/v1/jobs/${body.id}`)).body;
    expect(['NOT_FOUND', 'INPUT_UNREADABLE']).toContain(job.error.code);
    expect(await app.names()).toEqual(['orders', 'others']);
  });
});

describe('an ingest that is about to publish when its table is purged and made anew', () => {
  for (const whole of [false, true])
    it(`publishes nothing into the new ${whole ? 'dataset' : 'table'}`, async () => {
      await using app = await withTables();
      const finish = await underWay(app, 'orders.csv', 'id\n7\n');
      const { putOnce } = app.objects;
      let met = false;
      app.objects.putOnce = async (key, body) => {
        const written = await putOnce(key, body);
        if (met || !key.includes(app.table) || !key.endsWith('/manifest.json')) return written;
        met = true;
        await app.send('DELETE', whole ? app.base : app.path);
        await app.purge(whole ? app.base : app.path);
        await app.clock.advance(minutes(1));
        if (whole) await app.create('d');
        expect((await app.upload(app.dataset, 'orders.csv', 'id\n100\n')).status).toBe('succeeded');
        return written;
      };
      expect(await finish()).toMatchObject({ status: 'failed', error: { code: 'GONE' } });
      expect(met).toBe(true);
      expect((await app.query(app.dataset, 'SELECT * FROM orders')).body.rows).toEqual([[100]]);
    });
});
