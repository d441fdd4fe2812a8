import { describe, expect, it } from 'vitest';
import { createDerive } from '../../lib/ingest/derive/derive-pipeline.ts';
import type { IngestDeps } from '../../lib/ingest/pipeline.ts';
import { startIngestApp } from '../support/ingest-app.ts';

const [{ name: READ } = { name: '' }, { name: MAKE } = { name: '' }] = createDerive({} as IngestDeps).steps;

async function withSource() {
  const app = await startIngestApp();
  const dataset = await app.dataset();
  await app.upload(dataset, 's.csv', 'a\n1\n2\n');
  const at = `/v1/datasets/${dataset}/tables`;
  const submit = async (json: object = { name: 't', sql: 'select sum(a)::integer as n from s' }) =>
    (await app.send('POST', `${at}/derive`, { json })).body.id;
  const table = async () => (await app.tables(dataset))['t'];
  return {
    ...app,
    dataset,
    submit,
    table,
    refresh: async () => (await app.send('POST', `${at}/${(await table()).id}/refresh`)).body.id,
    snapshots: async () => (await app.send('GET', `${at}/${(await table()).id}/snapshots`)).body.data,
    job: async (id: string) => (await app.send('GET', `/v1/jobs/${id}`)).body,
    rows: async () => (await app.query(dataset, 'from t')).body.rows,
    post: async (name: string, body: string): Promise<string> => (await app.sendFile(dataset, name, body)).body.id,
  };
}

describe('a derivation whose worker dies', () => {
  it('once its rows were written goes on with the snapshots that it had begun with, and publishes once', async () => {
    await using app = await withSource();
    const id = await app.submit();
    const bell = await app.claim();
    const put = app.objects.moveFileOnce;
    app.objects.moveFileOnce = async (...call) => {
      const written = await put(...call);
      app.objects.moveFileOnce = put;
      await app.settleRun(bell, 'killed');
      return written;
    };
    expect(await app.step(bell, READ)).toContain('lease_lost');
    app.bells.splice(0);
    await app.upload(app.dataset, 's.csv', 'a\n40\n');
    expect(await app.table()).toBeUndefined();
    app.bells.push({ ref: bell.ref, epoch: (await app.job(id)).epoch });
    await app.settle();
    expect(await app.job(id)).toMatchObject({ status: 'succeeded', crashes: 1, result: { tables: [{ sequence: 1 }] } });
    expect(await app.rows()).toEqual([[3]]);
    expect(await app.table()).toMatchObject({ stale: true, derivation: { sources: [{ sequence: 1 }] } });
    expect(await app.snapshots()).toHaveLength(1);
  });

  it('after it was published leaves one table', async () => {
    await using app = await withSource();
    const id = await app.submit();
    const bell = await app.claim();
    expect([await app.step(bell, READ), await app.step(bell, MAKE)]).toEqual([undefined, undefined]);
    await app.settleRun(bell, 'killed');
    await app.settle();
    expect(await app.job(id)).toMatchObject({ status: 'succeeded', crashes: 0 });
    expect(await app.snapshots()).toHaveLength(1);
  });
});

describe('a file and a derived table of one name, both new', () => {
  it('the one that is published first has it, and the derivation fails', async () => {
    await using app = await withSource();
    const id = await app.submit();
    const bell = await app.claim();
    await app.step(bell, READ);
    app.bells.splice(0);
    await app.upload(app.dataset, 't.csv', 'b\n7\n');
    expect(await app.step(bell, MAKE)).toContain('TABLE_UPLOADED');
    expect(await app.job(id)).toMatchObject({ status: 'failed', error: { code: 'TABLE_UPLOADED' } });
    expect([await app.rows(), (await app.table()).kind]).toEqual([[[7]], 'uploaded']);
  });

  it('or the file does', async () => {
    await using app = await withSource();
    const file = await app.post('t.csv', 'b\n7\n');
    const bell = await app.claim();
    await app.step(bell, 'receive+parse');
    app.bells.splice(0);
    await app.submit();
    await app.settle();
    expect(await app.step(bell, MAKE)).toContain('TABLE_DERIVED');
    expect(await app.job(file)).toMatchObject({ status: 'failed', error: { code: 'TABLE_DERIVED' } });
    expect([await app.rows(), (await app.table()).kind]).toEqual([[[3]], 'derived']);
  });
});

describe('what happens to a derived table while it is refreshed', () => {
  it('another run of it waits, and then has nothing to do', async () => {
    await using app = await withSource();
    await app.submit();
    await app.settle();
    await app.upload(app.dataset, 's.csv', 'a\n5\n');
    const [first, second] = [await app.refresh(), await app.refresh()];
    await app.settle();
    expect((await app.job(first)).result.tables).toHaveLength(1);
    expect((await app.job(second)).result).toMatchObject({ unchanged: true });
    expect(await app.snapshots()).toHaveLength(2);
  });

  it('a rollback comes first, whose definition is another', async () => {
    await using app = await withSource();
    await app.submit();
    await app.settle();
    await app.submit({ name: 't', mode: 'replace', sql: 'select max(a) as n from s' });
    await app.settle();
    const [, first] = await app.snapshots();
    await app.upload(app.dataset, 's.csv', 'a\n5\n');
    const refresh = await app.refresh();
    const bell = await app.claim();
    await app.step(bell, READ);
    app.bells.splice(0);
    const { id } = await app.table();
    await app.send('POST', `/v1/datasets/${app.dataset}/tables/${id}/rollback`, { json: { snapshot: first.id } });
    await app.settle();
    expect(await app.step(bell, MAKE)).toContain('BASE_MOVED');
    expect(await app.job(refresh)).toMatchObject({ status: 'failed', error: { code: 'BASE_MOVED' } });
    expect(await app.table()).toMatchObject({ derivation: { sql: 'select sum(a)::integer as n from s' } });
    expect(await app.rows()).toEqual([[3]]);
  });
});
