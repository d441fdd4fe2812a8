import { describe, expect, it } from 'vitest';
import { startIngestApp } from '../support/ingest-app.ts';

async function withDataset() {
  const app = await startIngestApp();
  const dataset = await app.dataset();
  const files = `/v1/datasets/${dataset}/files`;
  const post = (name: string, query: Record<string, string>, body = 'a\n1\n') =>
    app.sendFile(dataset, name, body, query);
  const status = async (id: string) => (await app.send('GET', `/v1/jobs/${id}`)).body.status;
  return { ...app, dataset, files, post, status };
}

describe('a second file of a table while one is under way', () => {
  it('is refused with the job that is, where it is asked for, and its file can be ingested later', async () => {
    await using app = await withDataset();
    const first = await app.post('t.csv', { onConflict: 'refuse' });
    const second = await app.post('T.csv', { onConflict: 'refuse' }, 'a\n2\n');
    expect([second.status, second.body.code, second.body.jobId]).toEqual([409, 'TABLE_BUSY', first.body.id]);
    const other = await app.post('t.csv', { onConflict: 'refuse', table: 'other' });
    expect(other.status).toBe(202);
    await app.settle();
    const again = await app.send('POST', `${app.files}/${second.body.fileId}/ingest`, {
      json: { onConflict: 'refuse' },
    });
    expect(again.status).toBe(202);
    await app.settle();
    const { rows } = (await app.query(app.dataset, 'SELECT a FROM t')).body;
    expect(rows).toEqual([[2]]);
  });

  it('of many at once, one is taken', async () => {
    await using app = await withDataset();
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.post('t.csv', { onConflict: 'refuse' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(7).fill(409)]);
  });

  it('waits for the first, where it is asked to queue', async () => {
    await using app = await withDataset();
    const first = await app.post('t.csv', { onConflict: 'queue' });
    const bell = await app.claim();
    await app.step(bell, 'receive+parse');
    const second = await app.post('x.csv', { onConflict: 'queue', table: 't' }, 'a\n2\n');
    await app.settle();
    expect([await app.status(first.body.id), await app.status(second.body.id)]).toEqual(['running', 'parked']);
    await app.execute(bell);
    await app.settle();
    expect(await app.status(second.body.id)).toBe('succeeded');
    expect((await app.send('GET', `/v1/jobs/${first.body.id}`)).body.result.tables[0].superseded).toBe(false);
    expect((await app.query(app.dataset, 'SELECT a FROM t')).body.rows).toEqual([[2]]);
  });

  it('runs beside it otherwise, and the one that was received later is published', async () => {
    await using app = await withDataset();
    const first = await app.post('t.csv', {});
    const bell = await app.claim();
    await app.step(bell, 'receive+parse');
    await app.post('t.csv', {}, 'a\n2\n');
    await app.settle();
    await app.execute(bell);
    expect((await app.send('GET', `/v1/jobs/${first.body.id}`)).body.result.tables[0].superseded).toBe(true);
    expect((await app.query(app.dataset, 'SELECT a FROM t')).body.rows).toEqual([[2]]);
  });

  it('is the same job under an Idempotency-Key, not another one', async () => {
    await using app = await withDataset();
    const send = () =>
      app.send('POST', `${app.files}?name=t.csv&onConflict=refuse`, {
        body: 'a\n1\n',
        headers: { 'content-type': 'application/octet-stream', 'idempotency-key': 'k' },
      });
    const [one, two] = [await send(), await send()];
    expect([two.status, two.body.id]).toEqual([202, one.body.id]);
    expect((await app.post('t.csv', { onConflict: 'perhaps' })).body.code).toBe('VALIDATION_FAILED');
  });
});
