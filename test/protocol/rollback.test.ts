import { describe, expect, it } from 'vitest';
import { minutes } from '../../lib/core/time.ts';
import { startIngestApp } from '../support/ingest-app.ts';

/** A dataset whose table has been published twice, a minute apart. */
async function withTwo() {
  const app = await startIngestApp();
  const dataset = await app.dataset();
  await app.upload(dataset, 't.csv', 'id,price\n1,2.50\n');
  await app.clock.advance(minutes(1));
  await app.upload(dataset, 't.csv', 'id,amount\n1,2\n2,3\n');
  const table = (await app.tables(dataset))['t'];
  const path = `/v1/datasets/${dataset}/tables/${table.id}`;
  const snapshots = async () => (await app.send('GET', `${path}/snapshots`)).body.data;
  const [second, first] = await snapshots();
  const rollBack = (snapshot: string, headers = {}) =>
    app.send('POST', `${path}/rollback`, { json: { snapshot }, headers });
  const rows = async (more: object = {}) => {
    const { status, body } = await app.query(dataset, 'SELECT * FROM t ORDER BY ALL', more);
    return status === 200 ? body.rows : body.code;
  };
  return { ...app, dataset, path, first, second, snapshots, rollBack, rows };
}

describe('a table that is rolled back', () => {
  it('has the rows of the old snapshot under a new one, and says what changed and where they are from', async () => {
    await using app = await withTwo();
    const objects = app.objects.keys().filter((key) => key.endsWith('.parquet'));
    const job = await app.rollBack(app.first.id);
    expect(job.status).toBe(202);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${job.body.id}`)).body).toMatchObject({
      status: 'succeeded',
      result: { sequence: 3, superseded: false, rolledBackTo: app.first.id },
    });
    expect(await app.rows()).toEqual([[1, '2.50']]);
    const { body } = await app.send('GET', app.path);
    expect(body).toMatchObject({
      snapshot: { sequence: 3 },
      rolledBackTo: { snapshot: app.first.id, sequence: 1 },
      changes: { added: ['price'], removed: ['amount'], candidates: [], against: { sequence: 2 } },
      hash: app.first.hash,
    });
    expect((await app.snapshots()).map(({ sequence, status }: never) => [sequence, status])).toEqual([
      [3, 'READY'],
      [2, 'READY'],
      [1, 'READY'],
    ]);
    expect(app.objects.keys().filter((key) => key.endsWith('.parquet'))).toEqual(objects);
  });

  it('is rolled back once under a key, and not to where it stands', async () => {
    await using app = await withTwo();
    expect((await app.rollBack(app.second.id)).body.code).toBe('CONFLICT');
    expect((await app.rollBack('snap_00000000000000000000000001')).body.code).toBe('NOT_FOUND');
    const [one, two] = [await app.rollBack(app.first.id, { 'idempotency-key': 'k' }), await app.settle()];
    expect(two).toBeUndefined();
    const again = await app.rollBack(app.first.id, { 'idempotency-key': 'k' });
    expect(again.body.id).toBe(one.body.id);
    await app.settle();
    expect(await app.snapshots()).toHaveLength(3);
  });

  it('is superseded by an ingest whose file was received later, and supersedes one that was received before', async () => {
    await using app = await withTwo();
    const post = (body: string) => app.sendFile(app.dataset, 't.csv', body);
    const slow = (await post('id,x\n1,1\n')).body.id;
    const slowBell = await app.claim();
    await app.step(slowBell, 'receive+parse');
    const back = (await app.rollBack(app.first.id)).body.id;
    const backBell = await app.claim();
    await app.execute(backBell);
    expect(await app.rows()).toEqual([[1, '2.50']]);
    app.bells.splice(0);
    expect(await app.execute(slowBell)).toBeUndefined();
    const result = async (id: string) => (await app.send('GET', `/v1/jobs/${id}`)).body.result;
    expect(await result(slow)).toMatchObject({ tables: [{ sequence: 3, superseded: true }] });
    expect(await result(back)).toMatchObject({ sequence: 4, superseded: false });
    expect(await app.rows()).toEqual([[1, '2.50']]);
  });
});

describe('a query as of another time', () => {
  it('answers the rows of the snapshot that is named, or that was published then', async () => {
    await using app = await withTwo();
    const [now, then] = [
      [
        [1, 2],
        [2, 3],
      ],
      [[1, '2.50']],
    ];
    expect(await app.rows()).toEqual(now);
    expect(await app.rows({ asOf: { T: app.first.id } })).toEqual(then);
    expect(await app.rows({ asOf: app.first.publishedAt })).toEqual(then);
    expect(await app.rows({ asOf: app.second.publishedAt })).toEqual(now);
    expect(await app.rows({ asOf: '2001-01-01T00:00:00+01:00' })).toBe('SQL_INVALID');
    expect(await app.rows({ asOf: { t: 'snap_00000000000000000000000001' } })).toBe('NOT_FOUND');
    expect(await app.rows({ asOf: { typo: app.first.id } })).toBe('NOT_FOUND');
    expect(await app.rows({ asOf: 'yesterday' })).toBe('VALIDATION_FAILED');
  });
});
