import { expect, it } from 'vitest';
import { outcome } from './client.ts';
import type { World } from './world.ts';

export function derived(world: World): void {
  it('a SELECT becomes a table that knows its sources, and follows them when it is refreshed', async () => {
    const { client } = world;
    const dataset = await client.newDataset(`derived-${world.run}`);
    const at = `/v1/datasets/${dataset}/tables`;
    await client.ingest(dataset, 'orders.csv', 'city,n\nOslo,1\nOslo,2\n');
    const json = { name: 'totals', sql: 'select city, sum(n) as total from orders group by city' };
    expect(outcome(await client.post(`${at}/derive`, { json: { ...json, sql: 'select nope from orders' } }))).toBe(
      '422 SQL_INVALID',
    );
    const made = await client.post(`${at}/derive`, { json });
    expect(made.status).toBe(202);
    const job = await client.ended(made.body.id);
    expect(job).toMatchObject({ kind: 'derive', status: 'succeeded', result: { tables: [{ tableName: 'totals' }] } });
    const path = `${at}/${job.result.tables[0].table}`;
    const rows = async () => (await client.query(dataset, 'from totals order by city')).body.rows;
    expect(await rows()).toEqual([['Oslo', 3]]);
    await client.ingest(dataset, 'orders.csv', 'city,n\nBergen,5\n');
    expect((await client.get(path)).body).toMatchObject({ kind: 'derived', stale: true });
    await client.ended((await client.post(`${path}/refresh`)).body.id);
    expect(await rows()).toEqual([['Bergen', 5]]);
    const again = await client.ended((await client.post(`${path}/refresh`)).body.id);
    expect(again.result).toMatchObject({ unchanged: true });
    expect((await client.get(`${path}/lineage`)).body).toMatchObject({ stale: false, upstream: [{ name: 'orders' }] });
    const upload = await client.ingest(dataset, 'totals.csv', 'a\n1\n');
    expect(upload.error.code).toBe('TABLE_DERIVED');
  });
}
