// Several files read in chunks of any size are the table, with the warnings and rejects, or the refusal, that they are when they are read at once.
import { gzipSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultReadLimits, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { zip } from '../formats/zip-writer.ts';
import { awkwardCell } from '../awkward-cell.ts';

type Files = Readonly<Record<string, string | Buffer>>;
type Json = ReturnType<typeof JSON.parse>;
type App = Awaited<ReturnType<typeof startIngestApp>>;

const off = { pii: 'off', sample: 'off', profile: 'off', relations: 'off', describe: 'off', index: 'off' };
const start = (own: Partial<ReadLimits>) => startIngestApp(() => ({ limits: { ...defaultReadLimits, ...own } }));
const small = { maxWholeBytes: 1, chunksAtOnce: 1, chunksAnInvocation: 1000 };

let datasets = 0;
let atOnce: App;
const inChunks = new Map<number, App>();
const appOf = async (chunkBytes: number): Promise<App> => {
  const app = inChunks.get(chunkBytes) ?? (await start({ ...small, chunkBytes }));
  inChunks.set(chunkBytes, app);
  return app;
};
beforeAll(async () => {
  atOnce = await start({});
});
afterAll(async () => {
  for (const app of [atOnce, ...inChunks.values()]) await app[Symbol.asyncDispose]();
});

async function read(app: App, files: Files, query: Readonly<Record<string, string>>): Promise<Json> {
  const dataset = await app.dataset(`d${(datasets += 1)}`, { policy: { stages: off } });
  const form = new FormData();
  for (const [name, body] of Object.entries(files))
    form.append('files', new File([new Uint8Array(Buffer.from(body))], name));
  const asked = new URLSearchParams({ as: 'one-table', table: 't', ...query }).toString();
  const sent = await app.send('POST', `/v1/datasets/${dataset}/files/bulk?${asked}`, { body: form });
  expect(sent.status).toBe(202);
  await app.settle();
  const job = (await app.send('GET', `/v1/jobs/${sent.body.id as string}`)).body;
  if (job.status !== 'succeeded') return { status: job.status, code: job.error.code, detail: job.error.detail };
  const { columns, rowCount, warnings, source } = (await app.tables(dataset))['t'];
  const texts = columns.map(({ name }: Json) => `"${(name as string).replaceAll('"', '""')}"::VARCHAR`).join(', ');
  const { rows } = (await app.query(dataset, `SELECT ${texts} FROM t`)).body;
  const types = columns.map(({ name, type }: Json) => `${name as string} ${type as string}`);
  const parts = app.objects.keys().filter((key) => key.includes(job.id) && key.endsWith('.parquet')).length;
  return {
    types,
    rowCount,
    rows,
    warnings,
    rejects: job.result.tables[0].rejects,
    bytes: source.bytes,
    files: source.files,
    parts,
  };
}

async function compare(files: Files, chunkBytes: number, query: Readonly<Record<string, string>> = {}): Promise<Json> {
  const { parts: _one, ...whole } = await read(atOnce, files, query);
  const { parts, ...chunked } = await read(await appOf(chunkBytes), files, query);
  expect(chunked).toEqual(whole);
  return { ...whole, parts };
}

const options = (given: object) => ({ options: JSON.stringify(given) });
const column = (name: string, values: readonly unknown[]) => `${name}\n${values.join('\n')}\n`;
const many = Array.from({ length: 30 }, (_, n) => n);

describe('several files read in chunks are what they are when they are read at once', () => {
  const cases: readonly [string, Files, Readonly<Record<string, string>>?][] = [
    [
      'types by the values of all',
      { 'a.csv': 'id,x\n1,1.10\n2,2\n', 'b.csv': 'id,x\n007,1.255\n', 'c.csv': 'x,id\n-3,9\n' },
    ],
    [
      'columns by name, in dialects of their own',
      { 'a.csv': 'x,Y\n1,a\n', 'b.tsv': 'y\tz\nb\t2024-01-01\n', 'c.csv': 'z;X;y\n2024-01-02;3;c\n' },
    ],
    ['the name of the file', { 'a.csv': 'x\n1\n2\n', 'b.csv': 'y,x\n"a\nb",3\n,4\n' }, { fileColumn: 'f' }],
    ['a name of a column that a file has', { 'a.csv': 'x\n1\n', 'b.csv': 'F\n1\n' }, { fileColumn: 'f' }],
    [
      'CSV, NDJSON and arrays',
      {
        'a.csv': 'k,v\n1,2\n2,\n',
        'b.ndjson': '{"v":"9","k":2}\n{"v":null,"u":true}\n',
        'c.json': '[{"k":1.5},{"k":3,"w":[1]}]',
      },
    ],
    [
      'kinds of JSON that differ',
      { 'a.ndjson': '{"x":{"a":1}}\n', 'b.ndjson': '{"x":"plain"}\n', 'c.ndjson': '{"x":null}\n' },
    ],
    [
      'numbers of JSON beside columns of CSV without a value',
      { 'a.csv': 'x,y\n,1\n,2\n', 'b.ndjson': '{"x":1,"y":"2"}\n' },
    ],
    ['what is empty in all of one file', { 'a.csv': '"x","y"\n"1",""\n"","2"\n', 'b.csv': 'x,y\n3,4\n' }],
    ['what is empty and text in another', { 'a.csv': '"x"\n"1"\n""\n', 'b.csv': 'x,y\n"",z\n3,z\n' }],
    ['what is empty text in JSON', { 'a.csv': '"x","y"\n"1","2"\n"",""\n', 'b.ndjson': '{"x":1}\n{"y":""}\n' }],
    ['what is no empty text in JSON', { 'a.csv': '"x","y"\n"1","2"\n"",""\n', 'b.ndjson': '{"x":1}\n{"y":"3"}\n' }],
    [
      'dates that another file decides',
      { 'a.csv': column('d', ['01/02/2024', '02/03/2024']), 'b.csv': column('d', ['25/12/2024']) },
    ],
    ['dates that none decides', { 'a.csv': column('d', ['01/02/2024']), 'b.csv': column('d', ['02/03/2024']) }],
    [
      'values that widen a column, file by file',
      { 'a.csv': column('x', [...many, 'four']), 'b.csv': column('x', ['five', ...many]) },
    ],
    ['warnings of single files', { 'a.csv': 'x,y\n1\n\n2,3\n', 'b.csv': 'x,y\n4\n5,"",6\n', 'c.csv': 'x,x,\n1,2,3\n' }],
    [
      'records that are left out',
      {
        'a.csv': 'x,y\n1,2\n3,"4"5\n5,6,7\n8,9\n',
        'b.csv': 'x,y\n1,"a\nb"\n2,"3\n',
        'c.ndjson': '{"x":1}\n{"x":\n{"x":3}\n',
      },
      options({ onBadRecord: 'reject', report: 'all' }),
    ],
    [
      'too many that are left out',
      { 'a.csv': 'x\n1\n', 'b.csv': 'x\n"2"3\n"4"5\n' },
      options({ onBadRecord: 'reject', maxRejects: 1 }),
    ],
    [
      'a type that is asked for',
      { 'a.csv': 'x,y\n1,a\n2,b\n', 'b.csv': 'y\n3\n', 'c.csv': 'y,x\n4,5\n' },
      options({ types: { x: 'BIGINT', y: 'VARCHAR' } }),
    ],
    [
      'a type that a value does not fit',
      { 'a.csv': 'x\n1\n2\n', 'b.csv': 'x\n3\n"fo\nur"\n' },
      options({ types: { x: 'BIGINT' } }),
    ],
    [
      'what does not fit as NULL',
      { 'a.csv': 'x,y\n1,1\nb,2\n', 'b.csv': 'y,x\n3,"fo\nur"\n4,5\n' },
      options({ types: { x: 'BIGINT' }, onMisfit: 'null' }),
    ],
    [
      'what does not fit left out',
      { 'a.csv': 'x,y\n1,1\nb,2\n', 'b.csv': 'y,x\n3,"fo\nur"\n4,5\n' },
      { fileColumn: 'f', ...options({ types: { x: 'BIGINT' }, onMisfit: 'reject', report: 'all' }) },
    ],
    [
      'too much that does not fit',
      { 'a.csv': 'x\n1\n', 'b.csv': 'x\nb\nc\n' },
      options({ types: { x: 'BIGINT' }, onMisfit: 'reject', maxRejects: 1 }),
    ],
    ['a type of a column that none has', { 'a.csv': 'x\n1\n', 'b.csv': 'x\n2\n' }, options({ types: { z: 'BIGINT' } })],
    [
      'currencies of all files',
      { 'a.csv': 'x;y\n$1,5;\n$2;\n', 'b.csv': 'y;x\n5 %;$3\n;\n' },
      options({ currency: true, percent: true, decimal: ',' }),
    ],
    ['currencies that differ', { 'a.csv': 'x\n$1\n$2\n', 'b.csv': 'x\n3 €\n' }, options({ currency: true })],
    [
      'encodings of their own',
      {
        'a.csv': Buffer.from('x,n\ncafé,1\nthé,2\n', 'latin1'),
        'b.csv': Buffer.from('\ufeffx,n\né,3\n', 'utf16le'),
        'c.csv': '\ufeffx,n\nü,4\n',
      },
    ],
    [
      'what is compressed, each in its way',
      {
        'a.csv.gz': gzipSync(column('x', many)),
        'b.zip': zip({ name: 'notes.txt', data: 'x' }, { name: 'd/b.csv', data: 'x,y\n1.5,"a\nb"\n,\n' }),
        'c.ndjson.zst': zstdCompressSync('{"y":"z"}\n{"x":2}\n'),
        'd.csv.zip': zip({ name: 'd', data: Buffer.from('y\ncafé\n', 'latin1') }),
      },
      { fileColumn: 'f' },
    ],
    ['what is compressed and damaged', { 'a.csv': 'x\n1\n', 'b.csv.gz': gzipSync(column('x', many)).subarray(0, -9) }],
    ['an archive with an archive in it', { 'a.csv': 'x\n1\n', 'b.zip': zip({ name: 'c.zip', data: 'x' }) }],
    ['an archive without a file', { 'a.csv': 'x\n1\n', 'b.zip': zip({ name: 'c/' }) }],
    ['nothing that is compressed', { 'a.csv': 'x\n1\n', 'b.csv.gz': gzipSync('') }],
    ['a format that nobody knows', { 'a.csv': 'x\n1\n', 'b.docx': 'x' }],
    ['a file with a header alone', { 'a.csv': 'x,y\n', 'b.csv': 'y,z\n1,2\n' }],
    ['headers alone', { 'a.csv': 'x,y\n', 'b.csv': 'z\n' }],
    ['no header', { 'a.csv': '1,2\n3,4\n', 'b.csv': '5,6,7\n' }, options({ headerRow: 0 })],
    ['a mark alone', { 'a.csv': 'x\n1\n', 'b.csv': '\ufeff' }],
    ['a quote that is never closed', { 'a.csv': 'x\n1\n', 'b.csv': 'x\n2\n3\n"4\n' }],
    ['a page of HTML', { 'a.csv': 'x\n1\n', 'b.csv': '<html>\n' }],
    ['an option that does not fit', { 'a.csv': 'x\n1\n', 'b.ndjson': '{"x":1}\n' }, options({ delimiter: ';' })],
  ];
  it.each(cases)(
    '%s',
    async (_, files, query) => {
      await compare(files, 9, query);
    },
    60_000,
  );

  it('a value that no sample shows contradicts the plan', async () => {
    const step = 25_000;
    const line = (n: number, odd?: string) =>
      `${odd ?? String(n)},${odd ?? ''},${odd === undefined ? '' : 5},`.padEnd(199, '-');
    // Behind a block that is sampled, and before the next.
    const place = Math.floor((30 * step + 0.85 * step) / 200);
    const lines = Array.from({ length: 8000 }, (_, n) => `${line(n, n === place ? 'x' : undefined)}\n`);
    const head = `${'n,late,seldom,note'.padEnd(199, ' ')}\n`;
    const found = await compare({ 'a.ndjson': '{"late":[1],"n":1}\n', 'b.csv': `${head}${lines.join('')}` }, 1 << 19);
    expect(found.types).toEqual(['late VARCHAR', 'n VARCHAR', 'seldom BIGINT', 'note VARCHAR']);
    expect(found.warnings).toMatchObject([
      { code: 'MIXED_JSON_TYPES', column: 'late' },
      { code: 'TYPE_WIDENED', row: place + 2, example: 'x' },
      { code: 'COLUMN_IN_SOME_FILES', column: 'seldom' },
      { code: 'COLUMN_IN_SOME_FILES', column: 'note' },
    ]);
  }, 120_000);

  it('what is added to texts stays as it is written', async () => {
    const app = await appOf(9);
    const dataset = await app.dataset(`d${(datasets += 1)}`, { policy: { stages: off } });
    await app.upload(dataset, 't.csv', 'code\n007\n');
    const form = new FormData();
    for (const body of ['code\n1.50\n', 'code\n2.5\n']) form.append('files', new File([body], `${body.length}.csv`));
    const query = 'as=one-table&table=t&mode=append';
    expect((await app.send('POST', `/v1/datasets/${dataset}/files/bulk?${query}`, { body: form })).status).toBe(202);
    await app.settle();
    expect((await app.query(dataset, 'SELECT code FROM t')).body.rows).toEqual([['007'], ['1.50'], ['2.5']]);
  });

  it('is a part a chunk, the chunks of each file by themselves', async () => {
    const found = await compare(
      { 'a.csv': column('x', many), 'b.csv': column('x', [1]), 'c.csv': column('y', many) },
      40,
    );
    expect(found.rowCount).toBe(61);
    expect(found.parts).toBeGreaterThan(4);
  });

  const csv = fc
    .tuple(
      fc.subarray(['h', 'i', 'j', 'K'], { minLength: 1 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
    )
    .chain(([names, delimiter, end]) =>
      fc
        .array(fc.array(awkwardCell, { minLength: names.length, maxLength: names.length }), { maxLength: 6 })
        .map((rows) => [names, ...rows].map((cells) => cells.join(delimiter) + end).join('')),
    );
  const value = fc.constantFrom(1, 2.5, '1', '', 'x', null, true, [1], '2024-01-02', 'é');
  const ndjson = fc
    .array(fc.dictionary(fc.constantFrom('h', 'i', 'k', 'J'), value, { minKeys: 1 }), { minLength: 1, maxLength: 5 })
    .map((records) => records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const file = fc.oneof(
    csv.map((body) => ['csv', body] as const),
    ndjson.map((body) => ['ndjson', body] as const),
  );
  it('any files', async () => {
    const lists = fc.array(file, { minLength: 1, maxLength: 4 });
    const asked = fc.constantFrom(
      {},
      { fileColumn: 'f' },
      options({ types: { h: 'BIGINT' }, onMisfit: 'reject', maxRejectShare: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(lists, asked, fc.constantFrom(5, 13, 40), async (list, query, chunkBytes) => {
        await compare(
          Object.fromEntries(list.map(([format, body], at) => [`f${at}.${format}`, body])),
          chunkBytes,
          query,
        );
      }),
      { numRuns: 6 },
    );
  }, 240_000);
});
