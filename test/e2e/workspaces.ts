import { expect, it } from 'vitest';
import { createClient, outcome } from './client.ts';
import type { World } from './world.ts';

/** Where keys can be made. */
export function workspaces(world: World): void {
  it('a workspace is deleted, restored and purged, and the one beside it is as it was', async () => {
    const name = `gone-${world.run}`;
    const apiKey = await world.target.keyOf?.(name);
    if (apiKey === undefined) throw new Error('This place makes no keys.');
    const client = createClient({ url: world.target.url, apiKey });
    const dataset = await client.newDataset('d');
    expect(await client.ingest(dataset, 'orders.csv', 'a\n1\n')).toMatchObject({ status: 'succeeded' });
    expect(outcome(await world.client.send('DELETE', '/v1/workspace'))).toBe('403 FORBIDDEN');

    const deleted = await client.send('DELETE', '/v1/workspace');
    expect(deleted.body).toMatchObject({ workspace: name, state: 'deleted', restorableUntil: expect.any(String) });
    await client.until('/v1/datasets', ({ code }) => code === 'GONE');
    expect((await client.post('/v1/workspace/restore')).body.state).toBe('active');
    const tables = `/v1/datasets/${dataset}/tables`;
    expect((await client.until(tables, ({ data }) => data !== undefined)).data).toMatchObject([{ name: 'orders' }]);

    await client.send('DELETE', '/v1/workspace');
    expect(outcome(await client.post('/v1/workspace/purge', { json: { confirm: 'main' } }))).toBe(
      '422 VALIDATION_FAILED',
    );
    const purge = await client.post('/v1/workspace/purge', { json: { confirm: name } });
    const location = purge.headers.get('location') ?? '';
    const ended = await client.until(location, ({ status }) => ['succeeded', 'failed', 'dead'].includes(status));
    const counts = { purged: true, datasets: 1, tables: 1, files: 1, keys: 1 };
    expect(ended).toMatchObject({ status: 'succeeded', result: counts });
    expect((await client.get('/v1/workspace')).body).toMatchObject({ state: 'purging', purge: location });
    expect(outcome(await client.post('/v1/workspace/restore'))).toBe('410 GONE');
    expect((await world.client.get('/v1/workspace')).body.state).toBe('active');
  });
}
