import { describe, expect, it } from 'vitest';
import { outcome, withDataset } from './harness.ts';

describe('an upload in parts', () => {
  const start = (app: Awaited<ReturnType<typeof withDataset>>, json: object) =>
    app.send('POST', `/v1/datasets/${app.dataset}/uploads`, { json: { name: 'big.csv', ...json } });
  const MIB = 1024 ** 2;

  it('is planned in parts that are large enough to be few', async () => {
    using app = await withDataset();
    const plan = async (json: object) => {
      const { body } = await start(app, json);
      return [body.partSize / MIB, body.parts.length];
    };
    expect(await plan({ size: 1 })).toEqual([16, 1]);
    expect(await plan({ size: 33 * MIB })).toEqual([16, 3]);
    expect(await plan({ size: 33 * MIB, partSize: 5 * MIB })).toEqual([5, 7]);
    expect(await plan({ size: 50 * 1024 * MIB })).toEqual([52, 985]);
    const many = await start(app, { size: 50 * 1024 * MIB, partSize: 5 * MIB });
    expect([outcome(many), many.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/partSize']);
    for (const json of [{ size: 50 * 1024 * MIB + 1 }, { size: 1, partSize: 1 }, { size: -1 }, { size: 1.5 }])
      expect(outcome(await start(app, json))).toBe('422 VALIDATION_FAILED');
    expect(outcome(await start(app, { size: 0 }))).toBe('422 EMPTY_FILE');
  });

  it('starts one job, however often it is completed', async () => {
    using app = await withDataset();
    const { body: upload } = await start(app, { size: 10 });
    const complete = (parts: object[]) => app.send('POST', upload.completeRoute, { json: { parts } });
    const good = [{ number: 1, etag: '"good"' }];
    const [first, second] = [await complete(good), await complete(good)];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.id).toBe(first.body.id);
    expect((await complete([{ number: 1, etag: 'another' }])).body.id).toBe(first.body.id);
    expect(app.rung).toHaveLength(1);
    expect([...app.objects.keys()]).toHaveLength(1);
    const elsewhere = await app.send('POST', upload.completeRoute, { json: { parts: good }, key: app.keys.other });
    expect(outcome(elsewhere)).toBe('404 NOT_FOUND');
  });

  it('completed under an idempotency key says so when it was repeated, and refuses other parts under one', async () => {
    using app = await withDataset();
    const { body: upload } = await start(app, { size: 10 });
    const complete = (etag: string, headers: Record<string, string> = { 'idempotency-key': 'once' }) =>
      app.send('POST', upload.completeRoute, { json: { parts: [{ number: 1, etag }] }, headers });
    const [first, second] = [await complete('"good"'), await complete('"good"')];
    expect([second.status, second.body.id]).toEqual([202, first.body.id]);
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(outcome(await complete('another'))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect((await complete('another', {})).body.id).toBe(first.body.id);
  });

  it('completed without a key answers the same job to whoever brings one later', async () => {
    using app = await withDataset();
    const { body: upload } = await start(app, { size: 10 });
    const json = { parts: [{ number: 1, etag: '"good"' }] };
    const first = await app.send('POST', upload.completeRoute, { json });
    const keyed = await app.send('POST', upload.completeRoute, { json, headers: { 'idempotency-key': 'late' } });
    expect([keyed.status, keyed.body.id]).toEqual([202, first.body.id]);
  });

  it('goes on where a completion died between the object and the job', async () => {
    using app = await withDataset();
    const { body: upload } = await start(app, { size: 10 });
    const parts = [{ number: 1, etag: '"good"' }];
    const putFile = app.store.putFile;
    const dying = { ...app.store, putFile: () => Promise.reject(new Error('died')) };
    Object.assign(app.deps.catalog, dying);
    expect(outcome(await app.send('POST', upload.completeRoute, { json: { parts } }))).toBe('500 INTERNAL');
    Object.assign(app.deps.catalog, { putFile });
    expect((await app.send('POST', upload.completeRoute, { json: { parts } })).status).toBe(202);
  });

  it('is incomplete without every part, with a wrong ETag, or with another size than declared', async () => {
    using app = await withDataset();
    const { body: upload } = await start(app, { size: 20 * MIB });
    const complete = (parts: object[]) => app.send('POST', upload.completeRoute, { json: { parts } });
    const [one, two] = [
      { number: 1, etag: '"good"' },
      { number: 2, etag: '"good"' },
    ];
    const missing = await complete([one]);
    expect([outcome(missing), missing.body.detail]).toEqual([
      '422 UPLOAD_INCOMPLETE',
      expect.stringContaining('missing: 2'),
    ]);
    expect(outcome(await complete([one, two, two]))).toBe('422 UPLOAD_INCOMPLETE');
    expect(outcome(await complete([one, { ...two, etag: 'bad' }]))).toBe('422 UPLOAD_INCOMPLETE');
    const short = await complete([one, two]);
    expect([outcome(short), short.body.detail]).toEqual(['422 UPLOAD_INCOMPLETE', expect.stringContaining('20 bytes')]);
    expect(outcome(await complete([]))).toBe('422 VALIDATION_FAILED');
    expect(app.rung).toHaveLength(0);
  });
});
