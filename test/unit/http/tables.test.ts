import { describe, expect, it } from 'vitest';
import { type DatasetId, derivedId, type Scope } from '../../../lib/core/ids.ts';
import { epochMs } from '../../../lib/core/time.ts';
import type { Manifest } from '../../../lib/ingest/manifest-schema.ts';
import { outcome, startApp } from './harness.ts';

const scope = { tenant: 't1', workspace: 'main' } as Scope;
const profile = { nulls: 0, nullFraction: 0, distinct: 2, distinctIsExact: true, min: '1', max: '2', topValues: [] };
const manifest: Manifest = {
  v: 1,
  table: 'sales',
  rowCount: 2,
  columns: [{ name: 'a', type: 'BIGINT', profile }],
  parts: [{ key: 't1/main/secret-place', bytes: 9, rows: 2 }],
  warnings: [{ code: 'TYPE_WIDENED', message: 'It was widened.' }],
  source: { name: 'sales.csv', format: 'csv', compression: 'none', bytes: 9, sha256: 'x' },
  changes: { added: [], removed: [], typeChanged: [] },
};

/** A dataset with one table whose first snapshot is still under way; `publish` makes the next one visible. */
async function withTable() {
  const app = await startApp();
  const dataset = (await app.send('POST', '/v1/datasets', { json: { name: 'd' } })).body.id as DatasetId;
  const table = derivedId('tbl', 'sales');
  const job = derivedId('job', 'one');
  await app.store.drawSequence(scope, dataset, table, 'sales', epochMs(1));
  const snapshot = derivedId('snap', 'one');
  await app.store.putSnapshot({
    ...{ ...scope, dataset, table, id: snapshot, sequence: 1, status: 'PARTIAL', job },
    ...{ rowCount: 2, columnCount: 1, createdAt: epochMs(1) },
  });
  app.objects.set('manifest', Buffer.from(JSON.stringify(manifest)));
  const published = {
    ...(await app.store.getTable(scope, dataset, table))!,
    current: { snapshot, sequence: 1, manifest: 'manifest' },
  };
  const ready = { ...(await app.store.getSnapshot(scope, dataset, table, snapshot))!, status: 'READY' as const };
  const publish = () =>
    Object.assign(app.deps.catalog, {
      getTable: async () => published,
      listTables: async () => ({ items: [published] }),
      listSnapshots: async () => ({ items: [ready] }),
    });
  const path = `/v1/datasets/${dataset}/tables`;
  return { ...app, dataset, path, table, snapshot, publish, [Symbol.dispose]: () => app.store.close() };
}

describe('a table', () => {
  it('does not exist for callers before something of it is published', async () => {
    using app = await withTable();
    expect((await app.send('GET', app.path)).body).toEqual({ data: [], nextCursor: null });
    expect(outcome(await app.send('GET', `${app.path}/${app.table}`))).toBe('404 NOT_FOUND');
    expect(outcome(await app.send('GET', `${app.path}/${app.table}/snapshots`))).toBe('404 NOT_FOUND');
  });

  it('is shown with columns, profile and warnings once published, but not where its parts are', async () => {
    using app = await withTable();
    app.publish();
    const summary = { id: app.table, name: 'sales', snapshot: { id: app.snapshot, sequence: 1 } };
    expect((await app.send('GET', app.path)).body.data).toMatchObject([summary]);
    const detail = await app.send('GET', `${app.path}/${app.table}`);
    const { columns, warnings, rowCount, source, changes } = manifest;
    expect(detail.body).toMatchObject({ ...summary, columns, warnings, rowCount, source, changes });
    expect(detail.text).not.toContain('secret-place');
    const snapshots = await app.send('GET', `${app.path}/${app.table}/snapshots`);
    expect(snapshots.body.data).toMatchObject([{ id: app.snapshot, sequence: 1, status: 'READY', rowCount: 2 }]);
  });

  it('shows each of its snapshots as it was, but none that is under way', async () => {
    using app = await withTable();
    const { getSnapshot } = app.store;
    app.publish();
    const ready = { ...(await getSnapshot(scope, app.dataset, app.table, app.snapshot))!, hash: 'abc' };
    const path = `${app.path}/${app.table}/snapshots/${app.snapshot}`;
    expect(outcome(await app.send('GET', path))).toBe('404 NOT_FOUND');
    Object.assign(app.deps.catalog, {
      getSnapshot: async () => ({ ...ready, status: 'SUPERSEDED', manifest: 'manifest', publishedAt: epochMs(5) }),
    });
    const detail = await app.send('GET', path);
    const { columns, warnings, rowCount } = manifest;
    const shown = { id: app.snapshot, status: 'SUPERSEDED', hash: 'abc', publishedAt: '1970-01-01T00:00:00.005Z' };
    expect(detail.body).toMatchObject({ ...shown, columns, warnings, rowCount });
    expect(detail.text).not.toContain('secret-place');
    expect(outcome(await app.send('GET', path, { key: app.keys.reader }))).toBe('403 FORBIDDEN');
  });

  it('hides a snapshot that is under way', async () => {
    using app = await withTable();
    const { listSnapshots } = app.store;
    app.publish();
    Object.assign(app.deps.catalog, { listSnapshots });
    expect((await app.send('GET', `${app.path}/${app.table}/snapshots`)).body.data).toEqual([]);
  });

  it('whose manifest is gone is our mistake, and the caller is not told where it was', async () => {
    using app = await withTable();
    app.publish();
    app.objects.clear();
    const answer = await app.send('GET', `${app.path}/${app.table}`);
    expect(outcome(answer)).toBe('500 INTERNAL');
    expect(answer.text).not.toContain('manifest');
  });
});
