import { expect, it } from 'vitest';
import { outcome } from './client.ts';
import type { World } from './world.ts';

export function deleting(world: World): void {
  it('a file is removed with its bytes, and the table that was read from it stays', async () => {
    const { client } = world;
    const dataset = await client.newDataset(`removing-${world.run}`);
    const headers = { 'content-type': 'application/octet-stream' };
    const sent = await client.post(`/v1/datasets/${dataset}/files?name=read.csv`, { body: 'a\n1\n', headers });
    const { id, status } = await client.ended(sent.body.id);
    expect(status).toBe('succeeded');
    const [place = ''] = /\/v1\/datasets\/\w+\/files\/\w+/.exec(sent.headers.get('link') ?? '') ?? [];
    expect((await client.send('DELETE', place)).status).toBe(204);
    expect(outcome(await client.send('DELETE', place))).toBe('404 NOT_FOUND');
    expect(outcome(await client.post(`${place}/preview`))).toBe('404 NOT_FOUND');
    expect((await client.query(dataset, 'from read')).body.rows).toEqual([[1]]);
    expect((await client.get(`/v1/jobs/${id}`)).body.status).toBe('succeeded');
  });

  it('a table and its dataset are deleted, restored and purged, and leave nothing', async () => {
    const { client } = world;
    const dataset = await client.newDataset(`deleting-${world.run}`);
    const [one, all] = [`/v1/datasets/${dataset}`, `/v1/datasets/${dataset}/tables`];
    const { result } = await client.ingest(dataset, 'gone.csv', 'a\n1\n2\n');
    await client.ingest(dataset, 'kept.csv', 'b\n3\n');
    const table = `${all}/${result.tables[0].table}`;
    const count = async () => outcome(await client.query(dataset, 'select count(*) from gone'));

    expect((await client.send('DELETE', table)).body).toMatchObject({ restorableUntil: expect.any(String) });
    expect([outcome(await client.get(table)), await count()]).toEqual(['404 NOT_FOUND', '422 SQL_INVALID']);
    expect((await client.get(`${all}?deleted=true`)).body.data).toMatchObject([{ name: 'gone' }]);
    expect((await client.post(`${table}/restore`)).status).toBe(200);
    expect(await count()).toBe('200');

    await client.send('DELETE', table);
    const purged = await client.ended((await client.post(`${table}/purge`)).body.id);
    expect(purged).toMatchObject({
      kind: 'purge',
      status: 'succeeded',
      result: { purged: true, tables: 1, snapshots: 1 },
    });
    expect(outcome(await client.post(`${table}/restore`))).toMatch(/^4(04 NOT_FOUND|10 GONE)$/);
    expect((await client.query(dataset, 'from kept')).body.rows).toEqual([[3]]);

    await client.send('DELETE', one);
    expect(outcome(await client.get(one))).toBe('404 NOT_FOUND');
    const dry = await client.ended((await client.post(`${one}/purge`, { json: { dryRun: true } })).body.id);
    expect(dry).toMatchObject({ status: 'succeeded', result: { dryRun: true, purged: false, tables: 1 } });
    const whole = await client.ended((await client.post(`${one}/purge`)).body.id);
    expect(whole).toMatchObject({ status: 'succeeded', result: { purged: true, objects: dry.result.objects } });
    const again = await client.newDataset(`deleting-${world.run}`);
    expect((await client.get(`/v1/datasets/${again}/tables`)).body.data).toEqual([]);
  });
}
