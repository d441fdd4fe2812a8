import { describe, expect, it } from 'vitest';
import { days, hours } from '../../lib/core/time.ts';
import { startIngestApp } from '../support/ingest-app.ts';

async function withSnapshots(count: number, policy: object = {}) {
  const app = await startIngestApp();
  const dataset = await app.dataset('d', { policy });
  for (let at = 1; at <= count; at++) await app.upload(dataset, 't.csv', `a\n${at}\n`);
  const table = (await app.tables(dataset))['t'].id;
  const path = `/v1/datasets/${dataset}/tables/${table}`;
  const snapshots = async () => (await app.send('GET', `${path}/snapshots`)).body.data;
  const sweep = async (input: object = {}) => {
    const { body } = await app.send('POST', '/v1/jobs', { json: { kind: 'retention', input: { dataset, ...input } } });
    await app.settle();
    return (await app.send('GET', `/v1/jobs/${body.id}`)).body.result;
  };
  const parts = () => app.objects.keys().filter((key) => key.endsWith('.parquet'));
  const rows = async (more: object = {}) => (await app.query(dataset, 'SELECT a FROM t', more)).body;
  return { ...app, dataset, path, snapshots, sweep, parts, rows };
}
const nothing = { dryRun: false, tables: 1, expired: 0, removed: 0, partial: 0, objects: 0 };

describe('retention', () => {
  it('keeps everything where the policy says nothing', async () => {
    await using app = await withSnapshots(3);
    await app.clock.advance(days(400));
    expect(await app.sweep()).toEqual(nothing);
    expect(await app.snapshots()).toHaveLength(3);
  });

  it('counts first, then hides what is beyond the policy, and a day later removes it with its objects', async () => {
    await using app = await withSnapshots(4, { retention: { snapshots: 2 } });
    const [, , third, first] = (await app.snapshots()).map(({ id }: never) => id);
    await app.clock.advance(days(2));
    expect(await app.sweep({ dryRun: true })).toEqual({ ...nothing, dryRun: true, expired: 2 });
    expect(await app.snapshots()).toHaveLength(4);
    expect(await app.sweep()).toEqual({ ...nothing, expired: 2 });
    expect((await app.snapshots()).map(({ sequence }: never) => sequence)).toEqual([4, 3]);
    for (const id of [third, first]) {
      expect((await app.send('GET', `${app.path}/snapshots/${id}`)).status).toBe(404);
      expect((await app.send('POST', `${app.path}/rollback`, { json: { snapshot: id } })).status).toBe(404);
      expect(await app.rows({ asOf: { t: id } })).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(app.parts()).toHaveLength(4);
    expect(await app.sweep()).toEqual(nothing);
    await app.clock.advance(days(1));
    expect(await app.sweep()).toEqual({ ...nothing, removed: 2, objects: 4 });
    expect(app.parts()).toHaveLength(2);
    expect((await app.rows()).rows).toEqual([[4]]);
    expect(await app.sweep()).toEqual(nothing);
  });

  it('keeps what either the number or the days say, and the published one always', async () => {
    await using app = await withSnapshots(2, { retention: { snapshots: 1, days: 10 } });
    await app.clock.advance(days(9));
    await app.upload(app.dataset, 't.csv', 'a\n3\n');
    expect(await app.sweep()).toEqual(nothing);
    await app.clock.advance(days(20));
    expect(await app.sweep()).toEqual({ ...nothing, expired: 2 });
    expect((await app.rows()).rows).toEqual([[3]]);
  });

  it('keeps the parts that a rollback shares', async () => {
    await using app = await withSnapshots(2, { retention: { snapshots: 1 } });
    const [, first] = await app.snapshots();
    await app.send('POST', `${app.path}/rollback`, { json: { snapshot: first.id } });
    await app.settle();
    await app.clock.advance(days(2));
    expect(await app.sweep()).toMatchObject({ expired: 2 });
    await app.clock.advance(days(2));
    expect(await app.sweep()).toMatchObject({ removed: 2 });
    expect(app.parts()).toHaveLength(1);
    expect((await app.rows()).rows).toEqual([[1]]);
  });

  it('removes what ended jobs left half made, and nothing of one under way', async () => {
    await using app = await withSnapshots(1);
    const post = await app.sendFile(app.dataset, 't.csv', 'a\n9\n');
    const bell = await app.claim();
    await app.step(bell, 'receive+parse');
    const put = app.objects.putOnce;
    app.objects.putOnce = (key, body) => {
      if (key.endsWith('/manifest.json')) throw new TypeError('it cannot be written');
      return put(key, body);
    };
    await app.execute(bell);
    app.objects.putOnce = put;
    app.bells.splice(0);
    await app.clock.advance(days(3));
    expect(await app.sweep()).toEqual(nothing);
    expect((await app.send('POST', `/v1/jobs/${post.body.id}/cancel`)).status).toBeLessThan(300);
    await app.settle();
    expect(await app.sweep()).toMatchObject({ partial: 1 });
    await app.clock.advance(hours(1));
    await app.sweep();
    expect(app.parts()).toHaveLength(1);
    expect((await app.rows()).rows).toEqual([[1]]);
  });
});
