import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { droppedIn } from '../../../../lib/ingest/inbox/events.ts';
import { submitDrop } from '../../../../lib/ingest/inbox/submit-drop.ts';
import { must } from '../../../../lib/core/check.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;
let app: App;
beforeEach(async () => {
  app = await startIngestApp();
});
afterEach(() => app[Symbol.asyncDispose]());

/** Puts an object into the inbox, over an earlier one, and answers the event of it. */
async function put(path: string, body: string, sequencer: string) {
  const key = `inbox/acme/main/${path}`;
  await app.objects.delete(key);
  await app.objects.putOnce(key, body);
  const eTag = must(await app.objects.head(key), 'the drop').etag.replaceAll('"', '');
  const object = { key: encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+'), eTag, sequencer };
  return { Records: [{ s3: { bucket: { name: 'b' }, object } }] };
}

/** What the function does with an event; answers the job ids. */
async function tell(event: unknown): Promise<string[]> {
  const ids: string[] = [];
  for (const { drop, version } of droppedIn(event).dropped)
    ids.push((await submitDrop(app.engine, drop, version))!.row.id);
  return ids;
}

async function told(event: unknown) {
  const [id = ''] = await tell(event);
  await app.settle();
  return (await app.send('GET', `/v1/jobs/${id}`)).body;
}

const ingests = async () => (await app.send('GET', '/v1/jobs?kind=ingest')).body.data.length as number;
const rows = async (dataset: string, sql: string) => (await app.query(dataset, sql)).body.rows;

describe('a file that is dropped in the inbox', () => {
  it('becomes a table of the dataset that its folder names, by name or by id', async () => {
    const id = await app.dataset('Größen & more');
    const byName = await told(await put('Größen & more/sizes of 2024.csv', 'a,b\n1,x\n', '01'));
    expect(byName).toMatchObject({ status: 'succeeded', result: { dataset: id } });
    const byId = await told(await put(`${id}/orders/2024/01/late+file.csv`, 'n\n007\n', '02'));
    expect(byId.status).toBe('succeeded');
    expect(Object.keys(await app.tables(id)).sort()).toEqual(['orders', 'sizes_of_2024']);
    expect(await rows(id, 'SELECT n FROM orders')).toEqual([['007']]);
  });

  it('is ingested once a version, however often and in whatever order events come', async () => {
    const id = await app.dataset('d', { policy: { inbox: { mode: 'append' } } });
    const event = await put('d/t/a.csv', 'n\n1\n', '0A');
    await Promise.all([tell(event), tell(event)]);
    await app.settle();
    expect((await told(event)).status).toBe('succeeded');
    expect(await rows(id, 'SELECT count(*)::INT FROM t')).toEqual([[1]]);
    expect(await ingests()).toBe(1);
    // The same bytes, dropped again, are another version.
    expect((await told(await put('d/t/a.csv', 'n\n1\n', '0B'))).status).toBe('succeeded');
    expect(await rows(id, 'SELECT count(*)::INT FROM t')).toEqual([[2]]);
  });

  it('never takes the place of a version that was dropped later', async () => {
    const id = await app.dataset('d');
    const first = await put('d/a.csv', 'n\n1\n', '10');
    const [job = ''] = await tell(first);
    // Taken by now, but its ingest waits.
    const { bells } = app;
    const bell = must(bells.shift(), 'a doorbell');
    const { createWorker } = await import('../../../../lib/job/run/worker.ts');
    await createWorker(app.engine).hear(bell);
    const held = bells.splice(0);
    expect((await told(await put('d/a.csv', 'n\n2\n', '11'))).status).toBe('succeeded');
    bells.push(...held);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${job}`)).body.status).toBe('cancelled');
    expect(await rows(id, 'SELECT n FROM a')).toEqual([[2]]);
    expect((await told(first)).status).toBe('cancelled');
    expect(await rows(id, 'SELECT n FROM a')).toEqual([[2]]);
  });

  it('is left where another version stands there, and fails where there is none', async () => {
    await app.dataset('d');
    const first = await put('d/a.csv', 'n\n1\n', '10');
    await put('d/a.csv', 'n\n2\n', '11');
    expect(await told(first)).toMatchObject({ status: 'cancelled' });
    const gone = await put('d/b.csv', 'n\n1\n', '12');
    await app.objects.delete('inbox/acme/main/d/b.csv');
    expect(await told(gone)).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'goes by what is said of a table called %s, or else of all',
    async (table) => {
      const tables = `{"other":{"mode":"append"},"${table}":{"mode":"upsert","keys":["k"]}}`;
      const post = (policy: string) =>
        app.send('POST', '/v1/datasets', {
          body: `{"name":"${policy.includes('upsert') ? 'own' : 'all'}","policy":{"inbox":${policy}}}`,
          headers: { 'content-type': 'application/json' },
        });
      const own = (await post(`{"tables":${tables}}`)).body.id;
      const all = (await post('{"mode":"append","tables":{"other":{"mode":"replace"}}}')).body.id;
      for (const dataset of ['own', 'all'])
        for (const [file, sequencer] of [
          ['a.csv', '1'],
          ['b.csv', '2'],
        ] as const)
          expect(await told(await put(`${dataset}/${table}/${file}`, 'k\n1\n', sequencer))).toMatchObject({
            status: 'succeeded',
          });
      expect(await rows(own, `SELECT count(*)::INT FROM "${table}"`)).toEqual([[1]]);
      expect(await rows(all, `SELECT count(*)::INT FROM "${table}"`)).toEqual([[2]]);
    },
  );

  it.each([
    ['an unknown dataset', 'nowhere/a.csv', 'n\n1\n', 'NOT_FOUND'],
    ['no dataset at all', 'a.csv', 'n\n1\n', 'NAME_NOT_ALLOWED'],
    ['a folder that names no table', 'd/2024-01/a.csv', 'n\n1\n', 'NAME_NOT_ALLOWED'],
    ['a name that no path carries', 'd/a\u0007.csv', 'n\n1\n', 'NAME_NOT_ALLOWED'],
    ['a format that is not read', 'd/a.docx', 'n\n1\n', 'FORMAT_UNKNOWN'],
    ['a text that breaks off', 'd/a.csv', 'n\n"1\n', 'PARSE_ERROR'],
    ['a file without a byte', 'd/a.csv', '', 'EMPTY_FILE'],
  ])('tells of %s in the job, and in an object beside it', async (_what, path, body, code) => {
    await app.dataset('d');
    const job = await told(await put(path, body, '01'));
    expect(job).toMatchObject({ status: 'failed', error: { code } });
    const key = `inbox/acme/main/${path}.${job.id as string}.problem.json`;
    const problem = JSON.parse(Buffer.from(must(await app.objects.get(key), key)).toString());
    expect(problem).toMatchObject({ code, jobId: job.id, detail: job.error.detail });
    const event = { Records: [{ s3: { object: { key: encodeURIComponent(key), eTag: 'x', sequencer: '1' } } }] };
    expect(droppedIn(event)).toMatchObject({ dropped: [] });
  });

  it('goes by the policy of its dataset, and of its table', async () => {
    const id = await app.dataset('d', {
      policy: {
        inbox: {
          options: { delimiter: '^' },
          tables: { t: { mode: 'upsert', keys: ['k'], options: { delimiter: '|' } } },
        },
      },
    });
    for (const [at, body] of ['k|v\n1|a\n2|b\n', 'k|v\n2|c\n'].entries())
      expect((await told(await put('d/t/x.csv', body, `0${at}`))).status).toBe('succeeded');
    expect(await rows(id, 'SELECT k, v FROM t ORDER BY k')).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
    expect((await told(await put('d/y.csv', 'k^v\n1^a\n', '09'))).status).toBe('succeeded');
    expect(await rows(id, 'SELECT v FROM y')).toEqual([['a']]);
    const refused = await app.send('PATCH', `/v1/datasets/${id}`, { json: { policy: { inbox: { mode: 'upsert' } } } });
    expect(refused.status).toBe(422);
    await app.send('PATCH', `/v1/datasets/${id}`, { json: { policy: { inbox: { mode: 'append' } } } });
    expect(await told(await put('d/z.csv', 'k\n1\n', '0A'))).toMatchObject({ error: { code: 'OPTION_MISFIT' } });
  });

  it('is refused where it is more than the workspace may store, and is then no file of it', async () => {
    await using small = await startIngestApp(() => ({ workspaceBytes: 10 }));
    await app[Symbol.asyncDispose]();
    app = small;
    const id = await app.dataset('d');
    const job = await told(await put('d/a.csv', 'n\n1234567890\n', '01'));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'STORAGE_QUOTA_EXCEEDED' } });
    expect(app.objects.keys().filter((key) => key.startsWith(`acme/main/datasets/${id}/`))).toEqual([]);
    app = await startIngestApp();
  });

  it('shares the flow of the jobs of its dataset', async () => {
    const id = await app.dataset('d');
    await told(await put('d/a.csv', 'n\n1\n', '01'));
    const { body } = await app.send('GET', `/v1/jobs?flow=${id}`);
    expect(body.data.map(({ kind }: { kind: string }) => kind)).toContain('ingest');
  });

  it('is taken again by a redrive, once the dataset is there', async () => {
    const job = await told(await put('later/a.csv', 'n\n1\n', '01'));
    const id = await app.dataset('later');
    expect((await app.send('POST', `/v1/jobs/${job.id as string}/redrive`)).status).toBe(202);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${job.id as string}`)).body.status).toBe('succeeded');
    expect(await rows(id, 'SELECT n FROM a')).toEqual([[1]]);
  });

  it('can be asked for by its path, in one’s own workspace only', async () => {
    const id = await app.dataset('d');
    await put('d/a.csv', 'n\n1\n', '01');
    const asked = async (path: string) => {
      const sent = await app.send('POST', '/v1/jobs', { json: { kind: 'inbox-drop', input: { path } } });
      await app.settle();
      return (await app.send('GET', `/v1/jobs/${sent.body.id as string}`)).body;
    };
    expect((await asked('d/a.csv')).status).toBe('succeeded');
    expect(await rows(id, 'SELECT n FROM a')).toEqual([[1]]);
    await app.objects.putOnce('inbox/other/main/d/b.csv', 'n\n1\n');
    for (const path of ['../../other/main/d/b.csv', 'd/../../../other/main/d/b.csv', 'd/t/../b.csv'])
      expect(await asked(path)).toMatchObject({ status: 'failed', error: { code: 'NAME_NOT_ALLOWED' } });
  });
});

describe('an event of the bucket', () => {
  const keys = (...all: string[]) => ({ Records: all.map((key) => ({ s3: { object: { key, eTag: 'e' } } })) });

  it('is of no drop for folders, problems, the reserved tenant, and keys that name no workspace', () => {
    const none = [
      'inbox/a/b/',
      'inbox/a/b/d/',
      'inbox/a/b/d/x.csv.problem.json',
      'inbox/system/b/d/x.csv',
      'inbox/a/x',
    ];
    const odd = [
      'inbox/a%23b/w/d/x.csv',
      'inbox/../w/d/x.csv',
      'inbox//w/d/x.csv',
      'a/b/datasets/x',
      'inbox/a/b/%E0%A4',
    ];
    expect(droppedIn(keys(...none, ...odd))).toEqual({ dropped: [], ignored: [...none, ...odd] });
  });

  it('of a set-up says nothing', () => {
    expect(droppedIn({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'b' })).toEqual({
      dropped: [],
      ignored: [],
    });
  });
});
