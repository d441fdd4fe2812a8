import { describe, expect, it } from 'vitest';
import type { DatasetId, TableId } from '../../lib/core/ids.ts';
import { days } from '../../lib/core/time.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

async function aTable() {
  const app = await startIngestApp();
  const dataset = (await app.dataset('d')) as unknown as DatasetId;
  await app.upload(dataset, 'people.csv', 'id,mail\n1,ada@example.org\n');
  const table = (await app.tables(dataset))['people'].id as TableId;
  return { ...app, dataset, table, path: `/v1/datasets/${dataset}/tables/${table}` };
}

/** Does `work` once, when the manifest that is published now is asked for. */
async function whenRead(app: Awaited<ReturnType<typeof aTable>>, work: () => Promise<unknown>): Promise<() => boolean> {
  const { get } = app.objects;
  const key = (await app.store.getTable(scope, app.dataset, app.table))?.current?.manifest;
  let met = false;
  app.objects.get = async (asked) => {
    if (asked === key && !met) {
      met = true;
      await work();
    }
    return get(asked);
  };
  return () => met;
}

describe('a reader whose manifest is replaced before it has it', () => {
  it('reads the one that took its place', async () => {
    await using app = await aTable();
    const reads: (() => Promise<{ status: number }>)[] = [
      () => app.send('GET', app.path),
      () => app.query(app.dataset, 'SELECT * FROM people'),
      () => app.send('GET', `${app.path}/changes`),
      () => app.send('GET', `${app.path}/data`),
      () => app.send('PUT', `${app.path}/annotation?column=id`, { json: { description: 'Which.' } }),
    ];
    for (const read of reads) {
      const met = await whenRead(app, async () => {
        await app.send('POST', `${app.path}/refresh-samples`);
        await app.settle();
      });
      expect((await read()).status).toBeLessThan(300);
      expect(met()).toBe(true);
    }
  });

  it('is told 410 where the table was deleted meanwhile', async () => {
    await using app = await aTable();
    await whenRead(app, async () => {
      await app.send('DELETE', app.path);
      await app.send('POST', `${app.path}/purge`);
      await app.settle();
    });
    const { status, body } = await app.query(app.dataset, 'SELECT * FROM people');
    expect([status, body.code]).toEqual([410, 'GONE']);
  });
});

describe('what dead jobs and requests leave', () => {
  const later = async (app: Awaited<ReturnType<typeof aTable>>, by: ReturnType<typeof days>) => {
    await app.clock.advance(by);
    await sweep(app.engine);
    await app.settle();
  };

  it('goes by itself: the pieces of a failed ingest, and bytes that no file is known by', async () => {
    await using app = await aTable();
    const before = app.objects.keys().filter((key) => key.includes('/datasets/'));
    const { putOnce } = app.objects;
    app.objects.putOnce = async (key, body) => {
      if (key.endsWith('/manifest.json')) throw new TypeError('it cannot be written');
      return putOnce(key, body);
    };
    const sent = await app.sendFile(app.dataset, 'people.csv', 'id,mail\n2,b\n');
    await app.settle();
    await app.send('POST', `/v1/jobs/${sent.body.id}/cancel`);
    await app.settle();
    app.objects.putOnce = putOnce;
    const orphan = `${scope.tenant}/${scope.workspace}/datasets/${app.dataset}/files/file_${'0'.repeat(26)}/source`;
    await app.objects.putOnce(orphan, 'nobody knows');
    expect(
      app.objects.keys().filter((key) => key.includes(`/${sent.body.id}/`) && key.includes('/tables/')),
    ).not.toEqual([]);
    await later(app, days(1));
    expect(app.objects.keys()).toContain(orphan);
    for (let day = 0; day < 3; day++) await later(app, days(1));
    const kept = app.objects.keys().filter((key) => key.includes('/datasets/') && !key.includes('/files/'));
    expect(kept).toEqual(before.filter((key) => !key.includes('/files/')));
    expect(app.objects.keys()).not.toContain(orphan);
    expect((await app.query(app.dataset, 'SELECT id FROM people')).body.rows).toEqual([[1]]);
  });

  it('is never what is published: a row that is published since it was listed is neither expired nor removed', async () => {
    await using app = await aTable();
    await app.upload(app.dataset, 'people.csv', 'id,mail\n2,b@example.org\n');
    const { items } = await app.store.listSnapshots(scope, app.dataset, app.table, { limit: 10 });
    const before = (await app.store.getTable(scope, app.dataset, app.table))?.current;
    const [, first] = items;
    if (first === undefined) throw new Error('no snapshot');
    await app.send('POST', `${app.path}/rollback`, { json: { snapshot: first.id } });
    await app.settle();
    const now = app.clock.now();
    expect(await app.store.expireSnapshot(first, before, now)).toBe('moved');
    expect(await app.store.removeSnapshot(first, before, 0)).toBe('moved');
    const current = (await app.store.getTable(scope, app.dataset, app.table))?.current;
    expect(await app.store.expireSnapshot(first, current, now)).toBe('expired');
    expect(await app.store.removeSnapshot(first, current, 0)).toBe('moved');
    expect(await app.store.removeSnapshot({ ...first, expiredAt: now }, current, 0)).toBe('removed');
    expect((await app.query(app.dataset, 'SELECT id FROM people')).body.rows).toEqual([[1]]);
  });
});
