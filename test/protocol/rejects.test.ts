// The values that made a column wider are named, with their places, whatever the file is and however it is read.
import { afterEach, describe, expect, it } from 'vitest';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { hiddenRejects } from '../../lib/ingest/rejects/reject.ts';
import { createReport } from '../../lib/job/report.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { createMemoryObjects } from '../support/memory-objects.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;
let app: App | undefined;
afterEach(async () => {
  await app?.[Symbol.asyncDispose]();
  app = undefined;
});

const start = async (chunkBytes = defaultReadLimits.chunkBytes) =>
  (app = await startIngestApp(() => ({ limits: { ...defaultReadLimits, chunkBytes, chunksAtOnce: 1 } })));

/** The report of the only table, its lines read from where it says they are. */
async function reportOf(of: App, dataset: string) {
  const [table] = Object.values(await of.tables(dataset));
  const { body } = await of.send('GET', `/v1/datasets/${dataset}/tables/${table.id}/rejects`);
  const key = of.objects.keys().find((each) => /\/rejects[^/]*\.ndjson$/.test(each));
  const text = key === undefined ? '' : Buffer.from((await of.objects.get(key)) ?? []).toString();
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  return { body, lines };
}

/** A number a row but for some, behind a text with a line end. */
const rows = Array.from({ length: 90 }, (_, n) => (n % 30 === 29 ? `n/a ${n}` : String(n)));
const csv = `made by hand\nnote,n\n"two\nlines",0\n\n${rows.map((value) => `x,${value}`).join('\n')}\n`;
const named = [29, 59, 89].map((n) => ({
  reason: 'TYPE_WIDENED',
  row: n + 2,
  line: n + 6,
  column: 'n',
  value: `n/a ${n}`,
}));

describe('the rejects report', () => {
  it.each([
    ['a small file', undefined],
    ['a file in chunks', 200],
  ])('of %s names every value that made a column wider, with its line', async (_, chunkBytes) => {
    const of = await start(chunkBytes);
    const dataset = await of.dataset();
    const job = await of.upload(dataset, 't.csv', csv, { options: '{"headerRow":2}' });
    expect(job).toMatchObject({ status: 'succeeded' });
    const counts = { total: 3, lines: 3, reasons: { TYPE_WIDENED: 3 }, first: named };
    expect(job.result.tables[0].rejects).toEqual(counts);
    const { body, lines } = await reportOf(of, dataset);
    expect(body).toMatchObject({ ...counts, url: expect.stringContaining('t.rejects.ndjson') });
    expect(lines).toEqual(named);
  });

  it.each([undefined, 700])('of JSON says the line of the record (chunks of %s bytes)', async (chunkBytes) => {
    const of = await start(chunkBytes);
    const dataset = await of.dataset();
    const records = Array.from({ length: 150 }, (_, n) => `{"n": ${n === 12 ? '1e400' : n}\n}`);
    expect(await of.upload(dataset, 't.json', `[${records.join(',\n')}]`)).toMatchObject({ status: 'succeeded' });
    const { lines } = await reportOf(of, dataset);
    expect(lines).toEqual([{ reason: 'TYPE_WIDENED', row: 13, line: 25, column: 'n', value: '1e400' }]);
  });

  it('of a file in which every value fits is empty, and nothing is written', async () => {
    const of = await start();
    const dataset = await of.dataset();
    await of.upload(dataset, 't.csv', 'a\n1\n');
    const { body, lines } = await reportOf(of, dataset);
    expect(body).toEqual({ total: 0, lines: 0, reasons: {}, first: [] });
    expect(lines).toEqual([]);
    expect(of.objects.keys().some((key) => key.includes('rejects'))).toBe(false);
  });
});

describe('what may not be shown', () => {
  const options = JSON.stringify({ types: { n: 'BIGINT' }, onMisfit: 'null' });
  const texts = (of: App) =>
    Promise.all(
      of.objects
        .keys()
        .filter((key) => /rejects/.test(key))
        .map(async (key) => of.objects.get(key)),
    );

  it('is no value of a report, whatever its column is', async () => {
    const of = await start();
    const dataset = await of.dataset();
    const job = await of.upload(dataset, 't.csv', 'n\n1\nkari@fjord.example\nnone\n', { options });
    const reject = { reason: 'MISFIT_AS_NULL', row: 2, line: 3, column: 'n' };
    const other = { ...reject, row: 3, line: 4, value: 'none' };
    expect(job.result.tables[0].rejects).toMatchObject({ total: 2, first: [reject, other] });
    expect(JSON.stringify(job.result)).not.toContain('kari');
    const { body, lines } = await reportOf(of, dataset);
    expect([body.url, lines]).toEqual([expect.any(String), [reject, other]]);
    expect(Buffer.concat((await texts(of)).map((bytes) => bytes ?? Buffer.alloc(0))).toString()).not.toContain('kari');
  });

  it('leaves a report when its column is tagged late, and the places stay', async () => {
    const of = await start();
    const dataset = await of.dataset();
    await of.upload(dataset, 't.csv', 'n\n1\nsecret\n', { options });
    const [table] = Object.values(await of.tables(dataset));
    const path = `/v1/datasets/${dataset}/tables/${table.id}`;
    expect((await of.send('GET', `${path}/rejects?format=csv`)).body.url).toContain('t.rejects.csv');
    await of.send('PUT', `${path}/annotation?column=n`, { json: { piiTag: 'NAME' } });
    const reject = { reason: 'MISFIT_AS_NULL', row: 2, line: 3, column: 'n' };
    const at = await of.send('GET', `${path}/rejects`);
    expect(at.body).toEqual({ total: 1, lines: 1, reasons: { MISFIT_AS_NULL: 1 }, first: [reject] });
    await of.settle();
    const { body, lines } = await reportOf(of, dataset);
    expect([body.url, lines]).toEqual([expect.any(String), [reject]]);
    expect(await texts(of)).toHaveLength(1);
  });
});

it('the report is there as CSV too, every value as it is', async () => {
  const of = await start();
  const dataset = await of.dataset();
  const options = JSON.stringify({ types: { n: 'BIGINT' }, onMisfit: 'reject' });
  await of.upload(dataset, 't.csv', 'n\n1\n"a ""b"", c"\n3\n', { options });
  const [table] = Object.values(await of.tables(dataset));
  expect(table).toMatchObject({ rowCount: 2, warnings: [{ code: 'RECORDS_REJECTED', count: 1 }] });
  await of.send('GET', `/v1/datasets/${dataset}/tables/${table.id}/rejects?format=csv`);
  const key = of.objects.keys().find((each) => each.endsWith('rejects.csv')) ?? '';
  const text = Buffer.from((await of.objects.get(key)) ?? []).toString();
  expect(text).toBe('reason,row,line,sheet,column,value\r\n"MISFIT_REJECTED",2,3,,"n","a ""b"", c"\r\n');
});

it('of a column that hides its values is counted, and told to nobody', () => {
  const first = ['a', 'b'].map((column) => ({ reason: 'TYPE_WIDENED', row: 1, column, value: 'x' }));
  const rejects = { key: 'k', columns: ['a', 'b'], total: 2, lines: 2, reasons: { TYPE_WIDENED: 2 }, first };
  expect(hiddenRejects(rejects, new Set(['c']))).toEqual(rejects);
  const { key: _key, ...counted } = rejects;
  expect(hiddenRejects(rejects, new Set(['a']))).toEqual({
    ...counted,
    first: [{ ...first[0], value: undefined }, first[1]],
  });
});

describe('a report of one’s own', () => {
  it('keeps lines while there is room, and counts all', async () => {
    const objects = createMemoryObjects();
    const report = createReport({ objects, key: 'mine.ndjson', mostLines: 12 });
    for (let n = 0; n < 30; n++) report.add({ reason: n % 2 === 0 ? 'even' : 'odd', n });
    report.count('odd', 5);
    const summary = await report.close();
    expect(summary).toMatchObject({ key: 'mine.ndjson', total: 35, lines: 12, reasons: { even: 15, odd: 20 } });
    expect(summary?.first.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(
      Buffer.from((await objects.get('mine.ndjson')) ?? [])
        .toString()
        .trimEnd()
        .split('\n'),
    ).toHaveLength(12);
  });

  it('writes nothing where there was no case', async () => {
    const objects = createMemoryObjects();
    expect(await createReport({ objects, key: 'mine.ndjson' }).close()).toBeUndefined();
    expect(objects.keys()).toEqual([]);
  });
});
