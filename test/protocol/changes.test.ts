import { describe, expect, it } from 'vitest';
import { settleExecution } from '../../lib/pipeline/settle-execution.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

const csv = (header: string, row: (at: number) => string) =>
  [header, ...Array.from({ length: 30 }, (_, at) => row(at))].join('\n');
const first = csv('id,town,code', (at) => `${at},town ${at},c${at * 7}`);
/** `town` comes back under a like name, `code` under another one with the same values. */
const second = csv('id,Town_Name,zzz', (at) => `${at},town ${at},c${at * 7}`);

async function withDrift() {
  const app = await startIngestApp();
  const dataset = await app.dataset();
  await app.upload(dataset, 't.csv', first);
  const { id: table } = (await app.tables(dataset))['t'];
  const path = `/v1/datasets/${dataset}/tables/${table}/changes`;
  const ref = (column: string) => ({ ...scope, family: 'annotation', group: dataset, name: `${table}#${column}` });
  const said = async (column: string) => (await app.store.getDocument(ref(column)))?.body;
  const say = async (column: string, body: object) =>
    app.store.putDocument(ref(column), body, (await app.store.getDocument(ref(column)))?.version ?? 0);
  await say('town', { description: 'Where it is', piiTag: 'NONE' });
  await say('code', { description: 'A code' });
  const drift = (body = second) => app.upload(dataset, 't.csv', body);
  const changes = async (query = '') => (await app.send('GET', `${path}${query}`)).body.data;
  const post = async (verb: string, json?: object) =>
    (await app.send('POST', `${path}/${verb}`, json === undefined ? {} : { json })).body;
  return { ...app, dataset, path, said, say, drift, changes, post };
}

describe('schema changes', () => {
  it('are listed with the newest snapshot first: what was applied, and what waits for somebody', async () => {
    await using app = await withDrift();
    await app.drift();
    const [rename, waiting, added, ...older] = await app.changes();
    expect(rename).toMatchObject({
      ...{ id: '2-0', sequence: 2, kind: 'RENAMED', status: 'applied' },
      ...{ before: { column: 'town' }, after: { column: 'Town_Name' } },
    });
    expect(waiting).toMatchObject({
      id: '2-1',
      kind: 'RENAMED_CANDIDATE',
      status: 'waiting',
      before: { column: 'code' },
    });
    expect(waiting.candidates).toMatchObject([{ from: 'code', to: 'zzz' }]);
    expect(waiting.candidates[0].reasons).toContain('100 % of the values are the same');
    expect(added).toMatchObject({ id: '2-2', kind: 'ADDED', after: { column: 'zzz' } });
    expect(older.map(({ kind, sequence }: never) => [kind, sequence])).toEqual(Array(3).fill(['ADDED', 1]));
    expect(await app.changes('?status=waiting')).toEqual([waiting]);
    expect((await app.send('GET', `${app.path}/2-1`)).body).toEqual(waiting);
    for (const id of ['2-9', '3-0', 'x']) expect((await app.send('GET', `${app.path}/${id}`)).status).toBe(404);
  });

  it('that rename a column take along what people said of it, before it is published', async () => {
    await using app = await withDrift();
    await app.drift();
    expect(await app.said('Town_Name')).toEqual({ description: 'Where it is', piiTag: 'NONE' });
    expect(await app.said('town')).toEqual({ description: 'Where it is', piiTag: 'NONE' });
    expect(await app.said('zzz')).toBeUndefined();
  });

  it('that were applied by themselves can be undone, but for what somebody said since', async () => {
    await using app = await withDrift();
    await app.drift();
    await app.say('Town_Name', { description: 'Somebody’s own words', piiTag: 'NONE' });
    expect(await app.post('2-0/undo')).toMatchObject({ kind: 'RENAMED', status: 'undone' });
    expect(await app.said('Town_Name')).toEqual({ description: 'Somebody’s own words' });
    expect(await app.said('town')).toEqual({ description: 'Where it is', piiTag: 'NONE' });
    expect(await app.post('2-0/undo')).toMatchObject({ status: 'undone' });
    expect(await app.post('2-0/confirm')).toMatchObject({ status: 'applied', after: { column: 'Town_Name' } });
    expect(await app.said('Town_Name')).toEqual({ description: 'Somebody’s own words', piiTag: 'NONE' });
  });

  it('are confirmed once, carried over, and undone', async () => {
    await using app = await withDrift();
    await app.drift();
    await app.say('zzz', { businessOwner: 'finance' });
    const confirmed = await app.post('2-1/confirm', { column: 'zzz' });
    expect(confirmed).toMatchObject({ kind: 'RENAMED', status: 'confirmed', after: { column: 'zzz' } });
    expect(confirmed.decidedBy).toMatch(/^key_/);
    expect(await app.said('zzz')).toEqual({ description: 'A code', businessOwner: 'finance' });
    expect(await app.post('2-1/confirm')).toMatchObject({ status: 'confirmed' });
    expect((await app.changes()).map(({ id }: never) => id)).not.toContain('2-2');
    expect(await app.post('2-1/reject')).toMatchObject({ code: 'CONFLICT' });
    expect(await app.post('2-1/undo')).toMatchObject({ kind: 'RENAMED_CANDIDATE', status: 'waiting' });
    expect(await app.said('zzz')).toEqual({ businessOwner: 'finance' });
    expect(await app.post('2-1/undo')).toMatchObject({ code: 'CONFLICT' });
  });

  it('are rejected, and opened again', async () => {
    await using app = await withDrift();
    await app.drift();
    expect(await app.post('2-1/reject')).toMatchObject({ status: 'rejected' });
    expect(await app.post('2-1/confirm')).toMatchObject({ code: 'CONFLICT' });
    await app.post('2-1/undo');
    expect(await app.changes('?status=waiting')).toHaveLength(1);
    for (const id of ['2-0', '2-2', '1-0']) expect(await app.post(`${id}/reject`)).toMatchObject({ code: 'CONFLICT' });
  });

  it('give a column to one only, whoever asks first', async () => {
    await using app = await withDrift();
    await app.drift(csv('id,town_or_code', (at) => `${at},${at % 2 ? `town ${at}` : `c${at * 7}`}`));
    const waiting = await app.changes('?status=waiting');
    expect(waiting.map(({ before }: never) => before)).toEqual([{ column: 'town' }, { column: 'code' }]);
    const asked = waiting.map(({ id }: { id: string }) => ({ id, column: 'town_or_code' }));
    const { results } = await app.post('confirm', { changes: [...asked, { id: '9-9' }] });
    expect(results).toMatchObject([
      { id: asked[0].id, change: { status: 'confirmed' } },
      { id: asked[1].id, problem: { code: 'CONFLICT' } },
      { id: '9-9', problem: { code: 'NOT_FOUND' } },
    ]);
    expect(await app.said('town_or_code')).toEqual({ description: 'Where it is', piiTag: 'NONE' });
  });

  it('of a rename survive the run that died after it carried them', async () => {
    await using app = await withDrift();
    const post = await app.sendFile(app.dataset, 't.csv', second);
    const bell = await app.claim();
    await app.step(bell, 'receive+parse');
    const document = app.store.putDocument;
    app.store.putDocument = async (...asked) => {
      app.store.putDocument = document;
      const written = await document(...asked);
      await settleExecution(app.engine, { bell, cause: 'killed' });
      return written;
    };
    await app.execute(bell);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${post.body.id}`)).body).toMatchObject({ status: 'succeeded', crashes: 1 });
    expect(await app.said('Town_Name')).toEqual({ description: 'Where it is', piiTag: 'NONE' });
    expect(await app.changes('?status=applied')).toHaveLength(5);
  });
});
