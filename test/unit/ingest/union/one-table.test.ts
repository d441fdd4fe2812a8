import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { xlsx } from '../sheets/xlsx-writer.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;
let app: App;
let dataset: string;
beforeEach(async () => {
  app = await startIngestApp();
  dataset = await app.dataset();
});
afterEach(() => app[Symbol.asyncDispose]());

type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
type Json = ReturnType<typeof JSON.parse>;
type SheetRows = NonNullable<Parameters<typeof xlsx>[0]['sheets'][number]['rows']>;

function formOf(files: Files): FormData {
  const form = new FormData();
  for (const [name, body] of Object.entries(files)) form.append('files', new File([body], name));
  return form;
}

const send = (files: Files, query: Readonly<Record<string, string>> = {}, headers = {}) =>
  app.send(
    'POST',
    `/v1/datasets/${dataset}/files/bulk?${new URLSearchParams({ as: 'one-table', table: 't', ...query }).toString()}`,
    {
      body: formOf(files),
      headers,
    },
  );

async function endOf(id: string): Promise<Json> {
  await app.settle();
  return (await app.send('GET', `/v1/jobs/${id}`)).body;
}

/** Uploads them as the table `t` and answers the job. */
async function upload(files: Files, query: Readonly<Record<string, string>> = {}): Promise<Json> {
  const sent = await send(files, query);
  return sent.status === 202 ? endOf(sent.body.id) : sent.body;
}

const rows = async (sql: string): Promise<unknown[][]> => (await app.query(dataset, sql)).body.rows;
const columns = async () =>
  Object.fromEntries((await app.tables(dataset))['t'].columns.map(({ name, type }: Json) => [name, type]));
const codes = (job: Json) => job.result.warnings.map(({ code }: Json) => code);

describe('several files as one table', () => {
  it('are typed by the values of all of them, each kept as it is written', async () => {
    const job = await upload({
      'a.csv': 'id,amount,day,flag\n1,1.1,2024-01-31,true\n2,2,2024-02-01,false\n',
      'b.csv': 'id,amount,day,flag\n007,1.25,2024-03-01,yes\n',
      'c.csv': 'id,amount,day,flag\n9007199254740993,-3,2024-04-01,true\n',
    });
    expect(job.status).toBe('succeeded');
    expect(await columns()).toEqual({ id: 'VARCHAR', amount: 'DECIMAL(18,2)', day: 'DATE', flag: 'VARCHAR' });
    expect(await rows('SELECT id, amount::VARCHAR, flag FROM t')).toEqual([
      ['1', '1.10', 'true'],
      ['2', '2.00', 'false'],
      ['007', '1.25', 'yes'],
      ['9007199254740993', '-3.00', 'true'],
    ]);
  });

  it('keep decimals as they were written where another file makes the column text', async () => {
    await upload({ 'a.csv': 'x\n1.10\n1.2\n', 'b.csv': 'x\nn/a\n' });
    expect(await rows('SELECT x FROM t')).toEqual([['1.10'], ['1.2'], ['n/a']]);
  });

  it('have their columns by name, in any order, and NULL where a file lacks one', async () => {
    const job = await upload({
      'a.csv': 'x,Y\n1,a\n',
      'b.csv': 'y,z\nb,2024-01-01\n',
      'c.csv': 'z;X;y\n2024-01-02;3;c\n',
    });
    expect(await columns()).toEqual({ x: 'BIGINT', Y: 'VARCHAR', z: 'DATE' });
    expect(await rows('SELECT x, y, z::VARCHAR FROM t')).toEqual([
      [1, 'a', null],
      [null, 'b', '2024-01-01'],
      [3, 'c', '2024-01-02'],
    ]);
    const missing = job.result.warnings.filter(({ code }: Json) => code === 'COLUMN_IN_SOME_FILES');
    expect(missing).toMatchObject([
      { column: 'x', count: 1, example: 'b.csv' },
      { column: 'z', count: 1, example: 'a.csv' },
    ]);
  });

  it('stand in the order in which they are named, many of them too, with their names where that is asked', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `f${39 - at}.csv`);
    const job = await upload(
      Object.fromEntries(names.map((name, at) => [name, `n,s\n${2 * at},x\n${2 * at + 1},"a\nb"\n`])),
      { fileColumn: 'source_file' },
    );
    expect(job.result.tables).toMatchObject([{ rowCount: 80, columnCount: 3 }]);
    const found = await rows('SELECT n, source_file FROM t');
    expect(found).toEqual(Array.from({ length: 80 }, (_, n) => [n, names[n >> 1]]));
  });

  it('may be of several formats and packed, and those that have types already keep them', async () => {
    const { body: parquet } = await (async () => {
      await app.upload(dataset, 'p.csv', 'k,v,w\n3,x,1.5\n4,007,2.5\n', { options: '{"types":{"v":"VARCHAR"}}' });
      return { body: await partOf('p') };
    })();
    const job = await upload(
      {
        'a.csv.gz': new Uint8Array(gzipSync('k,v\n1,008\n')),
        'b.parquet': parquet,
        'c.ndjson': '{"v":"9","k":2}\n{"v":null,"k":5,"u":true}\n',
      },
      { fileColumn: 'f' },
    );
    expect(job.status).toBe('succeeded');
    expect(await columns()).toEqual({ k: 'BIGINT', v: 'VARCHAR', u: 'BOOLEAN', w: 'DECIMAL(18,1)', f: 'VARCHAR' });
    expect(await rows('SELECT k, v, u, w::VARCHAR, f FROM t ORDER BY k')).toEqual([
      [1, '008', null, null, 'a.csv.gz'],
      [2, '9', null, null, 'c.ndjson'],
      [3, 'x', null, '1.5', 'b.parquet'],
      [4, '007', null, '2.5', 'b.parquet'],
      [5, null, true, null, 'c.ndjson'],
    ]);
  });

  it('may have more columns together than one statement is given', async () => {
    const wide = (from: number) => {
      const names = Array.from({ length: 300 }, (_, at) => from + at);
      return `${names.map((at) => `c${at}`).join()}\n${names.map((at) => (at === 350 ? '007' : at)).join()}\n`;
    };
    const policy = {
      stages: { pii: 'off', sample: 'off', profile: 'off', relations: 'off', describe: 'off', index: 'off' },
    };
    expect((await app.send('PATCH', `/v1/datasets/${dataset}`, { json: { policy } })).status).toBe(200);
    const job = await upload({ 'a.csv': wide(0), 'b.csv': wide(100), 'c.csv': 'c350\n8\n' }, { fileColumn: 'f' });
    expect(job.result?.tables).toMatchObject([{ rowCount: 3, columnCount: 401 }]);
    expect(await rows('SELECT c0, c255, c256, c299, c350, c399, f FROM t')).toEqual([
      [0, 255, 256, 299, null, null, 'a.csv'],
      [null, 255, 256, 299, '007', 399, 'b.csv'],
      [null, null, null, null, '8', null, 'c.csv'],
    ]);
  });

  it('keep nested values and texts of one name as texts, and say so', async () => {
    const job = await upload({
      'a.ndjson': '{"x":{"a":1}}\n',
      'b.ndjson': '{"x":"plain"}\n',
      'c.ndjson': '{"x":null}\n',
    });
    expect(await rows('SELECT x FROM t')).toEqual([['{"a":1}'], ['plain'], [null]]);
    expect(codes(job)).toContain('MIXED_JSON_TYPES');
  });

  it('mean by an empty field what each of them means by it', async () => {
    await upload({ 'a.csv': '"x","y"\n"1",""\n"","2"\n', 'b.csv': 'x,y\n3,4\n' });
    expect(await rows('SELECT x, y FROM t')).toEqual([
      [1, null],
      [null, 2],
      [3, 4],
    ]);
    await upload({ 'a.csv': '"x"\n"1"\n""\n', 'b.csv': 'x,y\n"",z\n3,z\n' });
    expect(await rows('SELECT x FROM t')).toEqual([['1'], [''], [''], ['3']]);
  });

  it('publish nothing where one of them cannot be read, and the fault names it', async () => {
    await upload({ 'a.csv': 'x\n1\n' });
    for (const [bad, body, code] of [
      ['b.csv', 'x\n"1\n', 'PARSE_ERROR'],
      ['b.csv', '<html>', 'FORMAT_MISMATCH'],
      ['b.docx', 'x', 'FORMAT_UNKNOWN'],
      ['b.json', '{"m":[{"x":1}],"n":[{"x":2}]}', 'NOT_ONE_TABLE'],
    ] as const) {
      const job = await upload({ 'a.csv': 'x\n2\n', [bad]: body });
      expect(job).toMatchObject({ status: 'failed', error: { code } });
      expect(job.error.detail).toContain(`In "${bad}": `);
    }
    expect((await send({ 'a.csv': 'x\n1\n', 'b.csv': '' })).body).toMatchObject({ code: 'EMPTY_FILE' });
    expect(await rows('SELECT x FROM t')).toEqual([[1]]);
  });

  it('are refused where no type keeps a column of two that have types', async () => {
    await app.upload(dataset, 'p.csv', 'd\n2024-01-01\n');
    await app.upload(dataset, 'q.csv', 'd\n5\n');
    const job = await upload({ 'p.parquet': await partOf('p'), 'q.parquet': await partOf('q') });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'COLUMN_MISFIT' } });
    expect(job.error.detail).toContain('DATE in "p.parquet" and BIGINT in "q.parquet"');
    await app.upload(dataset, 'r.csv', 'd\n0.5\n');
    expect((await upload({ 'q.parquet': await partOf('q'), 'r.parquet': await partOf('r') })).status).toBe('succeeded');
    expect(await rows('SELECT d::VARCHAR FROM t')).toEqual([['5.0'], ['0.5']]);
  });

  it('name the cells that hold errors, with the rows and the columns of the table', async () => {
    const error = (at: string) => ({ xml: `<c r="${at}" t="e"><v>#N/A</v></c>` });
    const sheet = (rows: SheetRows) => new Uint8Array(xlsx({ sheets: [{ name: 'S', rows }] }));
    const job = await upload({
      'a.csv': 'id,n\n1,2\n2,3\n',
      'b.xlsx': sheet([
        ['N', 'ID'],
        [5, 3],
        [error('A3'), 4],
      ]),
      'c.xlsx': sheet([
        ['id', 'n'],
        [error('A2'), 6],
      ]),
    });
    expect(job.result.tables[0].rejects).toMatchObject({
      reasons: { CELL_ERROR: 2 },
      first: [
        { reason: 'CELL_ERROR', row: 4, line: 3, file: 'b.xlsx', column: 'n', value: '#N/A' },
        { reason: 'CELL_ERROR', row: 5, line: 2, file: 'c.xlsx', column: 'id', value: '#N/A' },
      ],
    });
  });

  it('say of a value that fits no type in which file it stands, and on which line', async () => {
    const options = JSON.stringify({ types: { x: 'BIGINT' } });
    const refused = await upload({ 'a.csv': 'x\n1\n2\n', 'b.csv': 'x\n3\nfour\n' }, { options });
    expect(refused.error).toMatchObject({ code: 'VALUE_MISFIT' });
    expect(refused.error.detail).toContain('In "b.csv": ');
    const numbers = Array.from({ length: 50 }, (_, n) => n).join('\n');
    const job = await upload({ 'a.csv': `x\n${numbers}\n`, 'b.csv': `x\n${numbers}\nfour\n` });
    expect(job.result.tables[0].rejects.first).toMatchObject([
      { file: 'b.csv', row: 101, line: 52, column: 'x', value: 'four' },
    ]);
  });

  it('take the types that are asked for, wherever a file has the column', async () => {
    const options = JSON.stringify({ types: { y: 'VARCHAR' } });
    expect((await upload({ 'a.csv': 'x\n1\n', 'b.csv': 'y\n2\n' }, { options })).status).toBe('succeeded');
    expect(await columns()).toEqual({ x: 'BIGINT', y: 'VARCHAR' });
  });

  it('can be added to a table, and under a key make no row twice', async () => {
    await app.upload(dataset, 't.csv', 'k,v\na,1\nb,2\n');
    const files = { 'a.csv': 'k,v\nb,20\n', 'b.csv': 'k,v\nc,3\n' };
    expect((await upload(files, { mode: 'upsert', keys: '["k"]' })).status).toBe('succeeded');
    expect(await rows('SELECT k, v FROM t ORDER BY k')).toEqual([
      ['a', 1],
      ['b', 20],
      ['c', 3],
    ]);
    const headers = { 'idempotency-key': 'once' };
    const first = await send(files, { mode: 'append' }, headers);
    await app.settle();
    const again = await send(files, { mode: 'append' }, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.id).toBe(first.body.id);
    await app.settle();
    expect(await rows('SELECT count(*)::INT FROM t')).toEqual([[5]]);
    const other = await send({ ...files, 'b.csv': 'k,v\nd,3\n' }, { mode: 'append' }, headers);
    expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('need a name for their table and none of a column that a file has', async () => {
    const bare = await app.send('POST', `/v1/datasets/${dataset}/files/bulk?as=one-table`, {
      body: formOf({ 'a.csv': 'x\n1\n' }),
    });
    expect(bare.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '#/query/table' }] });
    const many = await app.send('POST', `/v1/datasets/${dataset}/files/bulk?table=t`, {
      body: formOf({ 'a.csv': 'x\n' }),
    });
    expect(many.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '#/query/table' }] });
    expect(await upload({ 'a.csv': 'x\n1\n' }, { fileColumn: 'X' })).toMatchObject({
      error: { code: 'OPTION_MISFIT' },
    });
  });
});

/** The only part of a published table, as it is stored. */
async function partOf(table: string): Promise<Uint8Array<ArrayBuffer>> {
  const { id } = (await app.tables(dataset))[table];
  const key = app.objects.keys().find((each) => each.includes(`/tables/${id as string}/`) && each.endsWith('.parquet'));
  return new Uint8Array((await app.objects.get(key ?? '')) ?? Buffer.alloc(0));
}

describe('stored files as one table', () => {
  const ask = (json: object, headers = {}) =>
    app.send('POST', `/v1/datasets/${dataset}/files/one-table`, { json, headers });
  const fileOf = (link: string | null) => /\/files\/(file_\w+)/.exec(link ?? '')?.[1] ?? '';

  it('are named by their ids, in the order of the rows, and their list is a file that is ingested again', async () => {
    const ids: string[] = [];
    for (const [name, body] of [
      ['a.csv', 'x\n1\n'],
      ['b.csv', 'x\n02\n'],
    ] as const) {
      const sent = await app.send('POST', `/v1/datasets/${dataset}/files?name=${name}`, { body });
      ids.push(fileOf(sent.headers.get('link')));
    }
    const sent = await ask({ table: 't', files: ids.toReversed() });
    expect((await endOf(sent.body.id)).status).toBe('succeeded');
    expect(await rows('SELECT x FROM t')).toEqual([['02'], ['1']]);
    const list = fileOf(sent.headers.get('link'));
    const path = `/v1/datasets/${dataset}/files/${list}`;
    expect((await app.send('GET', path)).body).toMatchObject({ name: 't.files', files: 2 });
    const again = await app.send('POST', `${path}/ingest`, { json: { fileColumn: 'f' } });
    expect((await endOf(again.body.id)).status).toBe('succeeded');
    expect(await rows('SELECT x, f FROM t')).toEqual([
      ['02', 'b.csv'],
      ['1', 'a.csv'],
    ]);
    const source = (await app.tables(dataset))['t'].source;
    expect(source).toMatchObject({ name: 't.files', format: 'files', files: 2, bytes: 9 });
    expect((await ask({ table: 't', files: [ids[0], ids[0]] })).body.errors[0].pointer).toBe('#/files/1');
    expect((await ask({ table: 't', files: [list] })).body.errors[0].pointer).toBe('#/files/0');
    expect((await ask({ table: 't', files: [ids[0]], prefix: 'x' })).status).toBe(422);
    expect((await ask({ table: 't' })).status).toBe(422);
    const nowhere = `file_${'0'.repeat(26)}`;
    expect((await ask({ table: 't', files: [nowhere] })).status).toBe(404);
  });

  it('are all files below a prefix of the own workspace, by name, as they were when it was asked', async () => {
    const put = (path: string, body: string) => app.objects.putOnce(`batch/acme/main/${path}`, body);
    await put('daily/2024/b.csv', 'x\n2\n');
    await put('daily/2024/a/z.csv', 'x\n1\n');
    await put('daily/2024/_SUCCESS', '');
    await put('daily/2024/.a.csv.crc', '??');
    await put('daily/2024b/c.csv', 'x\n9\n');
    await app.objects.putOnce('batch/other/main/daily/2024/d.csv', 'x\n8\n');
    const sent = await ask({ table: 't', prefix: 'daily/2024/', fileColumn: 'f' }, { 'idempotency-key': 'p' });
    expect((await endOf(sent.body.id)).status).toBe('succeeded');
    const found = [
      [1, 'a/z.csv'],
      [2, 'b.csv'],
    ];
    expect(await rows('SELECT x, f FROM t')).toEqual(found);
    await put('daily/2024/c.csv', 'x\n3\n');
    const replayed = await ask({ table: 't', prefix: 'daily/2024/', fileColumn: 'f' }, { 'idempotency-key': 'p' });
    expect(replayed.body.id).toBe(sent.body.id);
    const changed = await ask({ table: 't', prefix: 'daily/2024' });
    await app.objects.delete('batch/acme/main/daily/2024/c.csv');
    await put('daily/2024/c.csv', 'x\n4\n');
    const job = await endOf(changed.body.id);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
    expect(job.error.detail).toContain('In "c.csv": ');
    expect(await rows('SELECT x, f FROM t')).toEqual(found);
    expect((await ask({ table: 't', prefix: 'nothing' })).status).toBe(404);
    for (const prefix of ['../../other/main/daily', 'a//b', '/', 'a/\u0000'])
      expect((await ask({ table: 't', prefix })).body).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});
