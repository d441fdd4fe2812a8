import { describe, expect, it } from 'vitest';
import { httpLimits } from '../../../lib/http/limits.ts';
import type { JobRef } from '../../../lib/core/ids.ts';
import { loadPayload } from '../../../lib/job/payload.ts';
import { type Answered, outcome, withDataset } from './harness.ts';

const binary = { 'content-type': 'application/octet-stream' };
const form = (...parts: [string, Blob | string, string?][]): FormData => {
  const data = new FormData();
  for (const [name, value, file] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, file);
  }
  return data;
};

describe('a direct upload', () => {
  it('stores the bytes under the file’s own key, then its row, then the job', async () => {
    using app = await withDataset();
    const body = Buffer.from('a,b\n1,2\n');
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/files?name=%20x.csv%20`, {
      body,
      headers: binary,
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ kind: 'ingest', status: 'queued' });
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${answer.body.id}`);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(app.rung).toHaveLength(1);
    const [key = '', ...others] = [...app.objects.keys()];
    expect(others).toEqual([]);
    const match = new RegExp(`^t1/main/datasets/${app.dataset}/files/(file_[0-9A-Z]{26})/source$`).exec(key);
    expect(match).not.toBeNull();
    expect(Buffer.from(app.objects.get(key)!)).toEqual(body);
    const path = `/v1/datasets/${app.dataset}/files/${match?.[1]}`;
    expect(answer.headers.get('link')).toBe(`<${path}>; rel="item"`);
    const file = await app.send('GET', path);
    expect(file.body).toMatchObject({ id: match?.[1], datasetId: app.dataset, name: 'x.csv', size: 8 });
    const other = await app.send('GET', `/v1/datasets/${app.dataset}/files/${match?.[1]}`, { key: app.keys.other });
    expect(outcome(other)).toBe('404 NOT_FOUND');
  });

  it('as a form takes the name from its one part, unless the query gives one', async () => {
    using app = await withDataset();
    const post = (query: string, body: FormData) =>
      app.send('POST', `/v1/datasets/${app.dataset}/files${query}`, { body });
    expect((await post('', form(['file', new Blob(['a\n1\n']), 'part.csv']))).status).toBe(202);
    expect((await post('?name=query.csv', form(['file', new Blob(['a\n1\n']), 'part.csv']))).status).toBe(202);
    const files = await Promise.all(
      [...app.objects.keys()].map((key) => app.send('GET', `/v1/datasets/${app.dataset}/files/${key.split('/')[5]}`)),
    );
    expect(files.map(({ body }) => body.name).sort()).toEqual(['part.csv', 'query.csv']);
  });

  it('that is no readable form with exactly one file is malformed', async () => {
    using app = await withDataset();
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    const forms = [form(), form(['file', 'text']), form(['data', new Blob(['a']), 'a.csv'])];
    const two = form(['file', new Blob(['a']), 'a.csv'], ['file', new Blob(['b']), 'b.csv']);
    for (const body of [...forms, two])
      expect(outcome(await app.send('POST', path, { body }))).toBe('400 MALFORMED_UPLOAD');
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const answer = await app.send('POST', path, { body: '--y\r\nno', headers: { 'content-type': type } });
      expect(outcome(answer)).toBe('400 MALFORMED_UPLOAD');
    }
    expect(app.objects.size).toBe(0);
  });

  it('is done once for an idempotency key, however it was packed; other bytes, or another name, are refused', async () => {
    using app = await withDataset();
    const upload = (body: FormData | Buffer, name = 'a.csv', idempotencyKey = 'once') =>
      app.send('POST', `/v1/datasets/${app.dataset}/files?name=${name}`, {
        body,
        headers: { 'idempotency-key': idempotencyKey, ...(body instanceof Buffer && binary) },
      });
    const bytes = Buffer.from('a\n1\n');
    const first = await upload(bytes);
    const again = [await upload(bytes), await upload(form(['file', new Blob([bytes]), 'a.csv']))];
    for (const { status, body, headers } of again) {
      expect([status, body.id, headers.get('link')]).toEqual([202, first.body.id, first.headers.get('link')]);
      expect(headers.get('idempotent-replayed')).toBe('true');
    }
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect([app.rung.length, app.objects.size]).toEqual([1, 1]);
    for (const other of [await upload(Buffer.from('b\n1\n')), await upload(bytes, 'b.csv')])
      expect([outcome(other), other.body.jobId]).toEqual(['422 IDEMPOTENCY_KEY_REUSED', first.body.id]);
    expect(app.objects.size).toBe(1);
    expect((await upload(bytes, 'a.csv', 'another')).body.id).not.toBe(first.body.id);
    expect(outcome(await upload(bytes, 'a.csv', 'x'.repeat(256)))).toBe('422 VALIDATION_FAILED');
  });

  it('shares its idempotency keys with submits', async () => {
    using app = await withDataset();
    const headers = { 'idempotency-key': 'shared' };
    await app.send('POST', '/v1/jobs', { json: { kind: 'echo', input: { say: 'a' } }, headers });
    const answer = await app.send('POST', `/v1/datasets/${app.dataset}/files?name=a.csv`, {
      body: Buffer.from('a\n1\n'),
      headers: { ...binary, ...headers },
    });
    expect([outcome(answer), app.objects.size]).toEqual(['422 IDEMPOTENCY_KEY_REUSED', 0]);
  });

  it('that died between the object and the job leaves nothing to another one under its key', async () => {
    using app = await withDataset();
    const upload = (text: string) =>
      app.send('POST', `/v1/datasets/${app.dataset}/files?name=a.csv`, {
        body: Buffer.from(text),
        headers: { ...binary, 'idempotency-key': 'once' },
      });
    const putFile = app.store.putFile;
    Object.assign(app.deps.catalog, { putFile: () => Promise.reject(new Error('died')) });
    expect(outcome(await upload('died'))).toBe('500 INTERNAL');
    Object.assign(app.deps.catalog, { putFile });
    const { body, headers } = await upload('lived');
    const file = /file_[0-9A-Z]+/.exec(headers.get('link') ?? '')?.[0];
    const [, bytes] = [...app.objects].find(([key]) => key.includes(String(file))) ?? [];
    expect([body.status, Buffer.from(bytes ?? []).toString()]).toEqual(['queued', 'lived']);
  });

  it('over 4 MiB is refused, naming the route for presigned parts, whether or not its length is declared', async () => {
    using app = await withDataset();
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    const bytes = Buffer.alloc(httpLimits.directUpload + 1, 65);
    const stream = new ReadableStream({ start: (to) => (to.enqueue(bytes), to.close()) });
    const request = { method: 'POST', headers: { authorization: `Bearer ${app.keys.own}`, ...binary } };
    const streamed = await app.app.request(path, { ...request, body: stream, duplex: 'half' });
    const whole = await app.send('POST', path, { body: bytes, headers: binary });
    const parts = await app.send('POST', path, { body: form(['file', new Blob([bytes]), 'a.csv']) });
    for (const problem of [await streamed.json(), whole.body, parts.body]) {
      expect(problem).toMatchObject({
        status: 413,
        code: 'BODY_TOO_LARGE',
        limit: httpLimits.directUpload,
        uploadRoute: `/v1/datasets/${app.dataset}/uploads`,
      });
    }
    expect(app.objects.size).toBe(0);
    const fits = await app.send('POST', path, { body: bytes.subarray(1), headers: binary });
    expect(fits.status).toBe(202);
  });

  it('whose declared length is beyond all measure is refused unread', async () => {
    using app = await withDataset();
    let pulled = 0;
    const body = new ReadableStream({ pull: (to) => (pulled++, to.enqueue(new Uint8Array(1))) }, { highWaterMark: 0 });
    const headers = { authorization: `Bearer ${app.keys.own}`, ...binary, 'content-length': '99999999999' };
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    const answer = await app.app.request(path, { method: 'POST', headers, body, duplex: 'half' });
    expect([answer.status, pulled]).toEqual([413, 0]);
  });

  it('that never ends is refused after a while', async () => {
    using app = await withDataset();
    const chunk = new Uint8Array(2 ** 20);
    const body = new ReadableStream({ pull: (to) => to.enqueue(chunk) });
    const headers = { authorization: `Bearer ${app.keys.own}`, ...binary };
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    expect((await app.app.request(path, { method: 'POST', headers, body, duplex: 'half' })).status).toBe(413);
  });

  it('with an empty body is an empty file', async () => {
    using app = await withDataset();
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    expect(outcome(await app.send('POST', path))).toBe('422 EMPTY_FILE');
    const empty = form(['file', new Blob([]), 'a.csv']);
    expect(outcome(await app.send('POST', path, { body: empty }))).toBe('422 EMPTY_FILE');
    expect(app.objects.size).toBe(0);
  });

  it('needs a plain file name', async () => {
    using app = await withDataset();
    const upload = (query: string) => app.send('POST', `/v1/datasets/${app.dataset}/files${query}`, { body: 'a\n1\n' });
    const long = 'x'.repeat(5000);
    for (const name of [
      '../x',
      'a/b.csv',
      'a%5Cb.csv',
      '..',
      '.',
      '%20',
      '',
      'a%00.csv',
      'a%0Ab.csv',
      long,
      'é'.repeat(256),
    ])
      expect([name, outcome(await upload(`?name=${name}`))]).toEqual([name, '422 NAME_NOT_ALLOWED']);
    expect(outcome(await upload(''))).toBe('422 VALIDATION_FAILED');
    expect((await upload(`?name=${encodeURIComponent('😀'.repeat(251))}.csv`)).status).toBe(202);
    const json = { name: '../x', size: 1 };
    expect(outcome(await app.send('POST', `/v1/datasets/${app.dataset}/uploads`, { json }))).toBe(
      '422 NAME_NOT_ALLOWED',
    );
  });

  it('that may have been altered on its way, or is encoded, is refused', async () => {
    using app = await withDataset();
    const path = `/v1/datasets/${app.dataset}/files?name=a.csv`;
    const altered = await app.send('POST', path, { body: 'a\n\uFFFD\n', headers: { 'content-type': 'text/csv' } });
    expect(outcome(altered)).toBe('400 MALFORMED_UPLOAD');
    expect((await app.send('POST', path, { body: 'a\n\uFFFD\n', headers: binary })).status).toBe(202);
    const gzip = { ...binary, 'content-encoding': 'gzip' };
    expect(outcome(await app.send('POST', path, { body: 'a', headers: gzip }))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('a stored file', () => {
  it('is read again by a job of its own, under other options, and once under a key', async () => {
    using app = await withDataset();
    const path = `/v1/datasets/${app.dataset}/files`;
    const first = await app.send('POST', `${path}?name=x.csv`, { body: Buffer.from('a;b\n1;2\n'), headers: binary });
    const file = /files\/(file_[0-9A-Z]{26})/.exec(first.headers.get('link') ?? '')?.[1];
    const asked = { table: 'again', options: { delimiter: ';' } };
    const inputOf = async ({ body }: Answered) => {
      const row = await app.store.get({ tenant: 't1', workspace: 'main', id: body.id } as unknown as JobRef);
      return row && loadPayload(app.deps, row, row.input);
    };
    const again = (headers = {}) => app.send('POST', `${path}/${file}/ingest`, { json: asked, headers });
    const answer = await again();
    expect(answer.status).toBe(202);
    expect(answer.body.kind).toBe('ingest');
    expect(await inputOf(answer)).toEqual({ dataset: app.dataset, file, name: 'x.csv', ...asked });
    expect(answer.headers.get('link')).toBe(`<${path}/${file}>; rel="item"`);
    expect((await again()).body.id).not.toBe(answer.body.id);
    const [one, two] = [await again({ 'idempotency-key': 'k' }), await again({ 'idempotency-key': 'k' })];
    expect([two.body.id, two.headers.get('idempotent-replayed')]).toEqual([one.body.id, 'true']);
    const plain = await app.send('POST', `${path}/${file}/ingest`);
    expect(await inputOf(plain)).toEqual({ dataset: app.dataset, file, name: 'x.csv' });
    expect([...app.objects.keys()]).toHaveLength(1);
    expect(outcome(await app.send('POST', `${path}/file_00000000000000000000000001/ingest`))).toBe('404 NOT_FOUND');
    const misfit = await app.send('POST', `${path}/${file}/ingest`, { json: { options: { delimiter: 'ab' } } });
    expect(misfit.body.errors[0].pointer).toBe('#/options/delimiter');
  });
});
