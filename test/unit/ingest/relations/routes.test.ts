import { describe, expect, it } from 'vitest';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { rowsOf } from './world.ts';

const customers = (count = 60) => rowsOf('id,name', count, (n) => `${n},Customer ${n}`);
const orders = (most = 60) => rowsOf('order_no,customer_id', 90, (n) => `A-${n},${(n % most) + 1}`);

async function shop() {
  const app = await startIngestApp();
  const dataset = await app.dataset('shop');
  expect((await app.upload(dataset, 'customers.csv', customers())).status).toBe('succeeded');
  expect((await app.upload(dataset, 'orders.csv', orders())).status).toBe('succeeded');
  const relations = async (query = '') =>
    (await app.send('GET', `/v1/datasets/${dataset}/relations${query}`)).body.data;
  const act = (id: string, verb: string, json: object = {}) =>
    app.send('POST', `/v1/datasets/${dataset}/relations/${id}/${verb}`, { json });
  return { app, dataset, relations, act, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

describe('relations over HTTP', () => {
  it('are proposed by the ingest that finds them, with what was counted', async () => {
    await using world = await shop();
    const found = await world.relations();
    expect(found).toMatchObject([
      {
        from: { table: 'orders', column: 'customer_id' },
        to: { table: 'customers', column: 'id' },
        kind: 'heuristic',
        status: 'proposed',
        stale: false,
        holds: true,
        measure: { containment: 1, uniqueness: 1, cardinality: 'many-to-one', looked: 60, found: 60, sampled: false },
      },
    ]);
    const one = await world.app.send('GET', `/v1/datasets/${world.dataset}/relations/${found[0].id}`);
    expect(one.body).toEqual(found[0]);
    expect(await world.relations('?status=approved')).toEqual([]);
    expect(await world.relations(`?table=${found[0].to.tableId}&stale=false`)).toHaveLength(1);
  });

  it('that were rejected are never proposed again, and those approved stay so and show when data no longer holds', async () => {
    await using world = await shop();
    const [{ id }] = await world.relations();
    expect((await world.act(id, 'reject', { note: 'by chance' })).body).toMatchObject({
      status: 'rejected',
      note: 'by chance',
    });
    await world.app.upload(world.dataset, 'orders.csv', orders(50));
    expect(await world.relations()).toMatchObject([{ status: 'rejected', stale: true }]);

    expect((await world.act(id, 'approve')).body.status).toBe('approved');
    await world.app.upload(world.dataset, 'customers.csv', customers(20));
    expect(await world.relations()).toMatchObject([
      { id, status: 'approved', stale: false, holds: false, measure: { looked: 50, found: 20 } },
    ]);
  });

  it('that people add are approved, measured by the pass, and known by their four parts', async () => {
    await using world = await shop();
    const tables = await world.app.tables(world.dataset);
    const json = {
      from: { tableId: tables['customers'].id, column: 'name' },
      to: { tableId: tables['orders'].id, column: 'order_no' },
    };
    const path = `/v1/datasets/${world.dataset}/relations`;
    const made = await world.app.send('POST', path, { json });
    expect([made.status, made.body.status, made.body.kind, made.body.holds]).toEqual([201, 'approved', 'manual', null]);
    const again = await world.app.send('POST', path, { json });
    expect([again.status, again.body.relationId]).toEqual([409, made.body.id]);
    const wrong = await world.app.send('POST', path, { json: { ...json, to: { ...json.to, column: 'nothing' } } });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '#/to/column']);

    const asked = await world.app.send('POST', `/v1/datasets/${world.dataset}/measure-relations`);
    expect(asked.status).toBe(202);
    await world.app.settle();
    const job = await world.app.send('GET', `/v1/jobs/${asked.body.id}`);
    expect(job.body.result).toEqual({ dataset: world.dataset, measured: 2, fresh: 0, left: 0 });
    expect(await world.relations('?kind=manual')).toMatchObject([
      { stale: false, holds: false, measure: { found: 0 } },
    ]);
  });

  it('that are deleted may be found again', async () => {
    await using world = await shop();
    const [{ id }] = await world.relations();
    const path = `/v1/datasets/${world.dataset}/relations/${id}`;
    expect((await world.app.send('DELETE', path)).status).toBe(204);
    expect((await world.app.send('GET', path)).status).toBe(404);
    await world.app.send('POST', `/v1/datasets/${world.dataset}/measure-relations`);
    await world.app.settle();
    expect(await world.relations()).toMatchObject([{ id, status: 'proposed' }]);
  });

  it('of a run that does not publish are shown to nobody', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('shop');
    await app.upload(dataset, 'customers.csv', customers());
    const uploaded = await app.sendFile(dataset, 'orders.csv', orders());
    const bell = await app.claim();
    app.bells.length = 0;
    expect(await app.step(bell, 'receive+parse')).toBeUndefined();
    // The objects are gone when the manifest is to be written: all stages before have run.
    const kept = app.objects.putOnce;
    Object.assign(app.objects, {
      putOnce: async (key: string, body: string) => {
        if (key.endsWith('manifest.json')) throw new Error('no room');
        return kept(key, body);
      },
    });
    const [, make] = (await import('../../../../lib/ingest/pipeline.ts')).createIngest({
      catalog: app.store,
      documents: app.store,
      objects: app.objects,
    }).steps;
    await app.step(bell, make?.name ?? '');
    expect((await app.row(uploaded.body.id)).status).not.toBe('succeeded');
    expect((await app.send('GET', `/v1/datasets/${dataset}/relations`)).body.data).toEqual([]);
    const group = { tenant: 'acme', workspace: 'main', family: 'relation', group: dataset } as never;
    expect((await app.store.listDocuments(group, { limit: 10 })).items).toHaveLength(1);
  });

  it('are not looked for where the policy says so', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('shop', { policy: { stages: { relations: 'off' } } });
    await app.upload(dataset, 'customers.csv', customers());
    await app.upload(dataset, 'orders.csv', orders());
    expect((await app.send('GET', `/v1/datasets/${dataset}/relations`)).body.data).toEqual([]);
  });
});
