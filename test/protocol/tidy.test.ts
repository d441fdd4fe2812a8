// What uploads, drops and derivations leave behind where they die is removed, and nothing that is in use.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import type { DatasetId } from '../../lib/core/ids.ts';
import { fileKey } from '../../lib/core/objects.ts';
import { days } from '../../lib/core/time.ts';
import { submitDrop } from '../../lib/ingest/inbox/submit-drop.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { systemScope } from '../../lib/job/system-scope.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;
let app: App;
let dataset: DatasetId;
beforeEach(async () => {
  app = await startIngestApp();
  dataset = (await app.dataset()) as DatasetId;
});
afterEach(() => app[Symbol.asyncDispose]());

const tidyJobs = async () => (await app.store.list(systemScope, { kind: 'system.tidy' }, { limit: 100 })).items;
/** Lets the days pass after which a dataset is looked through, and its look run. */
async function afterDays(): Promise<void> {
  for (let day = 0; day < 4; day++) {
    await app.clock.advance(days(1));
    await sweep(app.engine);
    await app.settle();
  }
}
const rows = async (sql: string) => (await app.query(dataset, sql)).body.rows;

async function drop(path: string, body: string) {
  const key = `inbox/${scope.tenant}/${scope.workspace}/${path}`;
  await app.objects.putOnce(key, body);
  const etag = must(await app.objects.head(key), 'the drop').etag;
  await submitDrop(app.engine, { scope, path }, { etag, sequencer: '01' });
  await app.settle();
}

describe('the look through a dataset', () => {
  it('comes once a day of uploads, drops and derivations', async () => {
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    await app.upload(dataset, 'b.csv', 'n\n1\n');
    expect(await tidyJobs()).toHaveLength(1);
    await afterDays();
    await drop(`${dataset}/t/a.csv`, 'n\n1\n');
    expect(await tidyJobs()).toHaveLength(2);
    await afterDays();
    await app.send('POST', `/v1/datasets/${dataset}/tables/derive`, { json: { name: 'c', sql: 'select n from a' } });
    await app.settle();
    expect(await tidyJobs()).toHaveLength(3);
  });

  it('leaves what is dropped in the inbox, and what becomes of it', async () => {
    await drop(`${dataset}/t/a.csv`, 'n\n1\n');
    const before = app.objects.keys();
    await afterDays();
    expect(app.objects.keys()).toEqual(before);
    const { t } = await app.tables(dataset);
    const [file] = (await app.store.listFiles(scope, dataset, { limit: 10 })).items;
    const path = `/v1/datasets/${dataset}/files/${must(file, 'the file of the drop').id}/ingest`;
    expect((await app.send('POST', path, { json: {} })).status).toBe(202);
    await app.settle();
    expect((await app.tables(dataset))['a']).toMatchObject({ source: t.source, rowCount: 1 });
  });

  it('removes bytes of an upload that no file is known by', async () => {
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    const orphan = fileKey(scope, dataset, 'file_nobody');
    await app.objects.putOnce(orphan, 'n\n2\n');
    await afterDays();
    expect(app.objects.keys()).not.toContain(orphan);
    expect(await rows('select n from a')).toEqual([[1]]);
  });

  it('removes what a derivation wrote that failed for good, and leaves its table as it was', async () => {
    await app.upload(dataset, 'a.csv', 'n\n1\n');
    await app.send('POST', `/v1/datasets/${dataset}/tables/derive`, { json: { name: 'c', sql: 'select n from a' } });
    await app.settle();
    await app.upload(dataset, 'a.csv', 'n\n2\n');
    const put = app.objects.putOnce;
    app.objects.putOnce = (key, body) => {
      if (key.endsWith('/manifest.json')) throw new TypeError('it cannot be written');
      return put(key, body);
    };
    const table = (await app.tables(dataset))['c'].id;
    const sent = await app.send('POST', `/v1/datasets/${dataset}/tables/${table}/refresh`, { json: {} });
    await app.settle();
    app.objects.putOnce = put;
    await app.send('POST', `/v1/jobs/${sent.body.id}/cancel`);
    await app.settle();
    const job = must(await app.store.get({ ...scope, id: sent.body.id }), 'the job');
    expect(['failed', 'dead', 'cancelled']).toContain(job.status);
    const left = () => app.objects.keys().filter((key) => key.includes(sent.body.id) && key.includes('/tables/'));
    expect(left()).not.toEqual([]);
    await afterDays();
    expect(left()).toEqual([]);
    expect(await rows('select n from c')).toEqual([[1]]);
  });
});
