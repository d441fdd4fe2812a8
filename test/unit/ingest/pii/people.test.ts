// What a dataset's policy makes of a file with personal data, over HTTP.
import { describe, expect, it } from 'vitest';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { scope } from '../../../support/pipeline-world.ts';

/** JSON as it comes: tests look into it as they please. */
type Json = ReturnType<typeof JSON.parse>;
type App = Omit<Awaited<ReturnType<typeof startIngestApp>>, 'dataset'>;

const rows = 30;
const secretOf = (at: number) => `someone${at}@secret.example`;
const phoneOf = (at: number) => `+47 22 33 00 ${10 + at}`;
const lines = Array.from({ length: rows }, (_, at) => {
  const note = at === 3 ? 'ask ann@secret.example' : `note ${at}`;
  return `${at},${secretOf(at)},${phoneOf(at)},Town ${at % 4},${note}`;
});
const csv = `id,mail,tel,city,note\n${lines.join('\n')}\n`;

const people = async (app: App, dataset: string) => (await app.tables(dataset))['people'];
const column = (table: { columns: { name: string }[] }, name: string): Json =>
  table.columns.find((each) => each.name === name);
const values = async (app: App) => {
  // Of indexes the one that is read: those before stay for who reads them at the moment.
  const pointer = await app.store.getDocument({ ...scope, family: 'search', group: 'workspace', name: 'index' });
  const manifests = [...app.objects.keys()].filter((key) => /manifest[^/]*\.json$/.test(key));
  const stored = [...manifests, (pointer?.body as { key?: string } | undefined)?.key ?? ''];
  const texts = await Promise.all(
    stored.map(async (key) => Buffer.from((await app.objects.get(key)) ?? []).toString()),
  );
  return texts.join('\n');
};

async function withPeople(action: string, more: object = {}) {
  const app = await startIngestApp();
  const dataset = await app.dataset('d', { policy: { pii: { action, ...more } } });
  const job = await app.upload(dataset, 'people.csv', csv);
  const tableId: string = job.result?.tables[0].table;
  const path = `/v1/datasets/${dataset}/tables/${tableId}`;
  return { ...app, dataset, job, path };
}

describe('personal data in a file', () => {
  it.each(['redact', 'mask'])(
    'is tagged, and stands under %s in no sample, no profile and no manifest',
    async (action) => {
      await using app = await withPeople(action);
      const table = await people(app, app.dataset);
      expect(column(table, 'mail')).toMatchObject({ pii: { tag: 'EMAIL', share: 1, source: 'rule' } });
      expect(column(table, 'tel')).toMatchObject({ pii: { tag: 'PHONE', share: 1, source: 'rule' } });
      for (const name of ['id', 'city', 'note']) expect(column(table, name)).not.toHaveProperty('pii');
      expect(column(table, 'mail').profile).toEqual({
        nulls: 0,
        nullFraction: 0,
        distinct: rows,
        distinctIsExact: true,
        min: null,
        max: null,
        topValues: [],
      });
      expect(column(table, 'mail')).not.toHaveProperty('samples');
      expect(table.sampleRows.columns).toEqual(['id', 'city', 'note']);
      for (const text of [JSON.stringify(table), await values(app), JSON.stringify(app.job)]) {
        expect(text).not.toContain('secret.example');
        expect(text).not.toContain('22 33');
      }
    },
  );

  it('is tagged and nothing else under warn, and yet no mailbox among remarks is a sample', async () => {
    await using app = await withPeople('warn');
    const table = await people(app, app.dataset);
    expect(column(table, 'mail')).toMatchObject({
      pii: { tag: 'EMAIL' },
      profile: { distinct: rows, min: secretOf(0) },
    });
    expect(column(table, 'mail').profile.topValues).toHaveLength(5);
    expect(column(table, 'note').samples).toHaveLength(8);
    expect(
      JSON.stringify([column(table, 'note').samples, table.sampleRows.rows.map((row: string[]) => row.at(-1))]),
    ).not.toContain('@');
  });

  it('lets the ingest fail under reject, which names the columns and no value, and publishes nothing', async () => {
    await using app = await withPeople('reject');
    expect(app.job).toMatchObject({ status: 'failed', error: { code: 'PII_FOUND' } });
    expect(app.job.error.detail).toContain('mail (EMAIL, 100 % of its values), tel (PHONE, 100 % of its values)');
    expect(app.job.error.detail).not.toContain('secret');
    expect(await app.tables(app.dataset)).toEqual({});
  });

  it('lets a best-effort stage that fails end the ingest where the policy needs what it finds', async () => {
    const broken = () =>
      startIngestApp(({ objects }) => ({
        objects: {
          ...objects,
          download: async (key, path) => !key.endsWith('.parquet') && objects.download(key, path),
        },
      }));
    const stages = { pii: 'best-effort', sample: 'off', profile: 'off' };
    for (const [action, status] of [
      ['warn', 'succeeded'],
      ['mask', 'failed'],
    ] as const) {
      await using app = await broken();
      const dataset = await app.dataset('d', { policy: { pii: { action }, stages } });
      expect(await app.upload(dataset, 'people.csv', csv)).toMatchObject({ status });
    }
  });

  it('is found by a detector of the workspace, which goes before those of the service', async () => {
    await using app = await startIngestApp();
    const made = await app.send('PUT', '/v1/detectors/STAFF_MAIL', { json: { pattern: '(?i)someone\\d+@.*' } });
    expect(made).toMatchObject({ status: 201, body: { tag: 'CUSTOM:STAFF_MAIL', version: 1 } });
    expect(await app.send('PUT', '/v1/detectors/TOWN', { json: { columnHints: ['city'] } })).toMatchObject({
      status: 201,
    });
    expect(
      await app.send('PUT', '/v1/detectors/NOTE', { json: { pattern: 'note 1\\d', threshold: 0.9 } }),
    ).toMatchObject({ status: 201 });
    const dataset = await app.dataset();
    await app.upload(dataset, 'people.csv', csv);
    const table = await people(app, dataset);
    expect(column(table, 'mail').pii).toEqual({ tag: 'CUSTOM:STAFF_MAIL', share: 1, source: 'custom' });
    expect(column(table, 'city').pii).toEqual({ tag: 'CUSTOM:TOWN', source: 'custom' });
    expect(column(table, 'city')).not.toHaveProperty('samples');
    expect(column(table, 'note').pii).toBeUndefined();
    expect(column(table, 'note').samples.filter((each: string) => /^note 1\d$/.test(each))).toEqual([]);
  });

  it('is found by a detector of the workspace in texts with NUL, which end no statement', async () => {
    await using app = await startIngestApp();
    for (const [name, pattern] of [
      ['STAFF', 'S-\\d{3}[^x]*'],
      ['OTHER', 'x'],
    ])
      await app.send('PUT', `/v1/detectors/${name}`, { json: { pattern } });
    const dataset = await app.dataset();
    const texts = Array.from({ length: 20 }, (_, at) => ({
      code: `S-1${10 + at}\0'--`,
      note: at % 2 === 0 ? '\0' : `it's ${at}`,
    }));
    const job = await app.upload(dataset, 'staff.json', JSON.stringify(texts));
    expect(job).toMatchObject({ status: 'succeeded' });
    const table = (await app.tables(dataset))['staff'];
    expect(column(table, 'code').pii).toMatchObject({ tag: 'CUSTOM:STAFF', share: 1 });
    expect(column(table, 'note').samples).toContain('\0');
    const { body } = await app.query(dataset, 'SELECT note FROM staff LIMIT 2');
    expect(body.rows).toEqual([['\0'], ["it's 1"]]);
  });

  it('is looked for again where that is asked, and the samples are others', async () => {
    await using app = await withPeople('redact');
    const before = await people(app, app.dataset);
    await app.send('PUT', '/v1/detectors/TOWN', { json: { columnHints: ['city'] } });
    expect(await app.send('POST', `${app.path}/samples/refresh`)).toMatchObject({ status: 202 });
    await app.settle();
    const after = await people(app, app.dataset);
    expect(after.snapshot).toEqual(before.snapshot);
    expect(column(after, 'city')).toMatchObject({ pii: { tag: 'CUSTOM:TOWN' }, profile: { min: null } });
    expect(column(after, 'city')).not.toHaveProperty('samples');
    expect(column(after, 'mail').pii).toEqual(column(before, 'mail').pii);
    expect(column(after, 'id').samples).toHaveLength(8);
    expect(column(after, 'id').samples).not.toEqual(column(before, 'id').samples);
    expect([...app.objects.keys()].filter((key) => /manifest.*\.json$/.test(key))).toHaveLength(1);
  });

  it('is found late, and no description quotes it any more', async () => {
    await using app = await withPeople('redact');
    const told = async () => JSON.stringify([await people(app, app.dataset), await values(app)]);
    expect(await told()).toContain('Its values are Town 0');
    await app.send('PUT', '/v1/detectors/TOWN', { json: { columnHints: ['city'] } });
    await app.send('POST', `${app.path}/samples/refresh`);
    await app.settle();
    expect(await told()).not.toContain('Town');
  });

  it('gives the same samples to a run that is repeated', async () => {
    const drawn = async () => {
      await using app = await withPeople('redact');
      const table = await people(app, app.dataset);
      return { samples: table.columns.map((each: Json) => each.samples), rows: table.sampleRows };
    };
    const first = await drawn();
    expect(await drawn()).toEqual(first);
    expect(first.rows.rows).toHaveLength(5);
  });
});

describe('what a person says of a column', () => {
  const annotate = (app: App & { path: string }, name: string, json: object, headers = {}) =>
    app.send('PUT', `${app.path}/annotation?column=${name}`, { json, headers });

  it('hides its values with the same write, and takes them out of the store soon after', async () => {
    await using app = await withPeople('redact');
    expect(JSON.stringify(await people(app, app.dataset))).toContain('Town 2');
    expect(await annotate(app, 'city', { piiTag: 'ADDRESS', description: 'Where they live' })).toMatchObject({
      status: 201,
    });
    const hidden = await people(app, app.dataset);
    expect(column(hidden, 'city')).toMatchObject({
      pii: { tag: 'ADDRESS', source: 'human' },
      annotation: { description: 'Where they live', version: 1 },
    });
    expect(JSON.stringify(hidden)).not.toContain('Town');
    expect(await values(app)).toContain('Town 2');
    await app.settle();
    expect(await values(app)).not.toContain('Town');
    expect(await people(app, app.dataset)).toEqual(hidden);
  });

  it('hides what search shows of its values with the same write', async () => {
    await using app = await withPeople('redact');
    const found = async () => JSON.stringify((await app.send('GET', '/v1/search?q=town+city')).body.data);
    expect(await found()).toContain('Its values are Town 0');
    await annotate(app, 'city', { piiTag: 'ADDRESS' });
    expect(await found()).not.toMatch(/Town \d/);
  });

  it('shows a column that detectors found: NONE goes before them, in later snapshots and queries too', async () => {
    await using app = await withPeople('mask');
    await annotate(app, 'mail', { piiTag: 'NONE' });
    expect((await app.query(app.dataset, 'SELECT min(mail) FROM people')).body.rows).toEqual([[secretOf(0)]]);
    await app.upload(app.dataset, 'people.csv', csv);
    const table = await people(app, app.dataset);
    expect(column(table, 'mail')).toMatchObject({
      pii: { tag: 'NONE', source: 'human' },
      profile: { min: secretOf(0) },
    });
    expect(column(table, 'tel').profile.min).toBeNull();
    const { version } = column(table, 'mail').annotation;
    expect(
      await app.send('DELETE', `${app.path}/annotation?column=mail`, { headers: { 'if-match': `"${version}"` } }),
    ).toMatchObject({ status: 204 });
    const again = await people(app, app.dataset);
    expect(column(again, 'mail')).toMatchObject({ pii: { tag: 'EMAIL', source: 'rule' }, profile: { min: null } });
    expect((await app.query(app.dataset, 'SELECT DISTINCT mail FROM people')).body.rows).toEqual([[null]]);
  });

  it('hides under warn too, and lets nothing through that reject would refuse', async () => {
    await using app = await withPeople('warn');
    await annotate(app, 'mail', { piiTag: 'EMAIL' });
    expect(JSON.stringify(await people(app, app.dataset))).not.toContain('someone');
    const policy = { pii: { action: 'reject' } };
    await app.send('PATCH', `/v1/datasets/${app.dataset}`, { json: { policy } });
    expect(await app.upload(app.dataset, 'people.csv', csv)).toMatchObject({ error: { code: 'PII_FOUND' } });
    for (const name of ['mail', 'tel']) await annotate(app, name, { piiTag: 'NONE' });
    expect(await app.upload(app.dataset, 'people.csv', csv)).toMatchObject({ status: 'succeeded' });
  });

  it('is still said when the column is gone and comes back', async () => {
    await using app = await withPeople('redact');
    await annotate(app, 'city', { businessOwner: 'Geo', governance: { class: 'C2' } });
    await app.upload(app.dataset, 'people.csv', 'id\n1\n');
    expect(column(await people(app, app.dataset), 'city')).toBeUndefined();
    await app.upload(app.dataset, 'people.csv', csv);
    expect(column(await people(app, app.dataset), 'city').annotation).toEqual({
      businessOwner: 'Geo',
      governance: { class: 'C2' },
      version: 1,
    });
  });

  it('is changed by who has read it: others get 412, and two at once 409', async () => {
    await using app = await withPeople('redact');
    expect(await annotate(app, 'city', {}, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(await annotate(app, 'city', { synonyms: ['town'] }, { 'if-none-match': '*' })).toMatchObject({
      status: 201,
    });
    expect(await annotate(app, 'city', {}, { 'if-none-match': '*' })).toMatchObject({ status: 412 });
    const changed = await annotate(app, 'city', { synonyms: ['place'] }, { 'if-match': '"1"' });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(await annotate(app, 'city', {}, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
      body: { code: 'PRECONDITION_FAILED' },
    });
    const { putDocument } = app.deps.documents;
    Object.assign(app.deps.documents, { putDocument: async () => 'moved' });
    expect(await annotate(app, 'city', {})).toMatchObject({ status: 409 });
    Object.assign(app.deps.documents, { putDocument });
    const got = await app.send('GET', `${app.path}/annotation?column=city`);
    expect(got).toMatchObject({ status: 200, body: { synonyms: ['place'], version: 2 } });
  });

  it.each([
    [{ piiTag: 'not a tag' }, 422],
    [{ semanticType: 'No' }, 422],
    [{ governance: { big: 'x'.repeat(4096) } }, 422],
    [{ other: 1 }, 422],
    [{ description: 'Ünïcode 🙂', governance: { a: [1, { b: null }] } }, 201],
  ])('is checked: %j gives %i', async (json, status) => {
    await using app = await withPeople('redact');
    expect((await annotate(app, 'city', json)).status).toBe(status);
  });

  it('may be of the table, which has no tag, and of no column that is not there', async () => {
    await using app = await withPeople('redact');
    const path = `${app.path}/annotation`;
    expect(await app.send('GET', path)).toMatchObject({ status: 404 });
    expect(await app.send('PUT', path, { json: { piiTag: 'NAME' } })).toMatchObject({ status: 422 });
    expect(await app.send('PUT', path, { json: { description: 'Our people' } })).toMatchObject({ status: 201 });
    expect(await people(app, app.dataset)).toMatchObject({ annotation: { description: 'Our people', version: 1 } });
    expect(await annotate(app, 'nothing', {})).toMatchObject({ status: 404 });
    expect(await app.send('DELETE', path)).toMatchObject({ status: 204 });
    expect(await people(app, app.dataset)).not.toHaveProperty('annotation');
  });
});

describe('detectors of a workspace', () => {
  it('are made, changed, listed and removed, each by who has read it', async () => {
    await using app = await startIngestApp();
    const put = (json: object, headers = {}) => app.send('PUT', '/v1/detectors/STAFF', { json, headers });
    expect(await put({ pattern: 'S-\\d{6}' })).toMatchObject({ status: 201, body: { name: 'STAFF', version: 1 } });
    expect(await put({ pattern: 'S-\\d{7}' }, { 'if-match': '"9"' })).toMatchObject({ status: 412 });
    expect(await put({ pattern: 'S-\\d{7}', columnHints: ['staff'] }, { 'if-match': '"1"' })).toMatchObject({
      status: 200,
      body: { version: 2 },
    });
    expect((await app.send('GET', '/v1/detectors')).body.data).toMatchObject([
      { name: 'STAFF', pattern: 'S-\\d{7}', version: 2 },
    ]);
    expect(await app.send('DELETE', '/v1/detectors/STAFF')).toMatchObject({ status: 204 });
    expect(await app.send('GET', '/v1/detectors/STAFF')).toMatchObject({ status: 404 });
  });

  it.each([
    [{}],
    [{ pattern: '(a+' }],
    [{ pattern: '(a)\\1' }],
    [{ columnHints: [] }],
    [{ pattern: 'a', threshold: 0 }],
  ])('refuse %j', async (json) => {
    await using app = await startIngestApp();
    expect(await app.send('PUT', '/v1/detectors/X', { json })).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_FAILED' },
    });
  });
});
