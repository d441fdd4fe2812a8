// Ways in beside the upload of one file: several together, and a look at what one would become.
import { describe, expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';

const form = (...files: readonly (readonly [string, string])[]): FormData => {
  const body = new FormData();
  for (const [name, text] of files) body.append('files', new File([text], name));
  return body;
};

const formOfOther = (): FormData => {
  const body = new FormData();
  body.append('file', new File(['n'], 'a.csv'));
  return body;
};

describe('several files in one request', () => {
  it('are ingested each by itself, and one that is refused keeps no other back', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const body = form(['a.csv', 'n\n1\n'], ['empty.csv', ''], ['b.json', '[{"x":true}]'], ['wrong.csv', 'PAR1']);
    const sent = await app.send('POST', `/v1/datasets/${dataset}/files/bulk`, { body });
    expect(sent).toMatchObject({ status: 200, body: { accepted: 3, refused: 1 } });
    expect(sent.body.results.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)).toEqual([
      'a.csv accepted',
      'empty.csv refused',
      'b.json accepted',
      'wrong.csv accepted',
    ]);
    expect(sent.body.results[1].problem).toMatchObject({ code: 'EMPTY_FILE', status: 422 });
    await app.settle();
    expect(Object.keys(await app.tables(dataset)).toSorted()).toEqual(['a', 'b']);
    const failed = await app.send('GET', `/v1/jobs/${sent.body.results[3].job.id}`);
    expect(failed.body).toMatchObject({ status: 'failed', error: { code: 'FORMAT_MISMATCH' } });
    const stored = await app.send('GET', `/v1/datasets/${dataset}/files/${sent.body.results[0].fileId}`);
    expect(stored.body).toMatchObject({ name: 'a.csv', size: 4 });
  });

  it('are the same jobs again under the same key', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const headers = { 'idempotency-key': 'monday' };
    const send = (...files: (readonly [string, string])[]) =>
      app.send('POST', `/v1/datasets/${dataset}/files/bulk`, { body: form(...files), headers });
    const jobs = ({ body }: Awaited<ReturnType<typeof send>>) =>
      body.results.map(
        (each: { job?: { id: string }; problem?: { code: string } }) => each.job?.id ?? each.problem?.code,
      );
    const first = jobs(await send(['a.csv', 'n\n1\n'], ['b.csv', 'n\n1\n']));
    expect(new Set(first).size).toBe(2);
    expect(jobs(await send(['a.csv', 'n\n1\n'], ['b.csv', 'n\n1\n']))).toEqual(first);
    expect(jobs(await send(['a.csv', 'n\n1\n'], ['b.csv', 'n\n2\n']))).toEqual([first[0], 'IDEMPOTENCY_KEY_REUSED']);
  });

  it.each([
    ['no part', form()],
    ['a part of another name', formOfOther()],
    ['more than there may be', form(...Array.from({ length: 51 }, (_, at) => [`${at}.csv`, 'n\n'] as const))],
  ])('are refused together where the form has %s', async (_what, body) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const sent = await app.send('POST', `/v1/datasets/${dataset}/files/bulk`, { body });
    expect(sent).toMatchObject({ status: 400, body: { code: 'MALFORMED_UPLOAD' } });
  });
});

describe('a preview', () => {
  const csv = `id;when;note\n${Array.from({ length: 60 }, (_, at) => `${at};2024-01-02;x`).join('\n')}\n`;

  it('tells columns, first rows and warnings, and keeps nothing', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const { status, body } = await app.send('POST', `/v1/datasets/${dataset}/preview?name=p.csv`, { body: csv });
    expect(status).toBe(200);
    expect(body).toMatchObject({ format: 'csv', compression: 'none', further: [], warnings: [] });
    expect(body.tables).toHaveLength(1);
    expect(body.tables[0]).toMatchObject({
      name: 'p',
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'when', type: 'DATE' },
        { name: 'note', type: 'VARCHAR' },
      ],
      rowCount: 60,
    });
    expect(body.tables[0].rows).toHaveLength(50);
    expect(body.tables[0].rows[1]).toEqual([1, '2024-01-02', 'x']);
    expect(app.objects.keys()).toEqual([]);
    expect(await app.tables(dataset)).toEqual({});
  });

  it('follows the options, as the upload would', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const options = encodeURIComponent(JSON.stringify({ delimiter: '^', types: { id: 'VARCHAR' } }));
    const path = `/v1/datasets/${dataset}/preview?name=p.csv&table=q&options=${options}`;
    const { body } = await app.send('POST', path, { body: 'id^n\n1^2\n' });
    const columns = [{ type: 'VARCHAR' }, { type: 'BIGINT' }];
    expect(body.tables).toMatchObject([{ name: 'q', columns, rows: [['1', 2]] }]);
  });

  it('looks at a stored file again under other options', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const sent = await app.send('POST', `/v1/datasets/${dataset}/files?name=p.csv`, { body: 'a|b\n1|2\n' });
    const file = /files\/(file_\w+)/.exec(sent.headers.get('link') ?? '')?.[1] ?? '';
    const path = `/v1/datasets/${dataset}/files/${file}/preview`;
    const widthUnder = async (json: object) => (await app.send('POST', path, { json })).body.tables[0].columns.length;
    expect(await widthUnder({})).toBe(2);
    expect(await widthUnder({ options: { delimiter: ',' } })).toBe(1);
  });

  it.each([
    ['p.csv', 'PAR1', 'FORMAT_MISMATCH'],
    ['p.csv', '', 'EMPTY_FILE'],
    ['p.xyz', 'a', 'FORMAT_UNKNOWN'],
    ['p.json', '{"a":', 'PARSE_ERROR'],
  ])('of what cannot be read says why: %s', async (name, body, code) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const sent = await app.send('POST', `/v1/datasets/${dataset}/preview?name=${name}`, { body });
    expect(sent).toMatchObject({ status: 422, body: { code } });
  });
});
