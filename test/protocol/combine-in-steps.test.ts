// Rows that are added to a table whose parts do not fit on the disk at once: what was done to some of them is done once, whoever dies, and time
// that runs out costs nothing.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Doorbell } from '../../lib/job/ports.ts';
import { type App, dies, LOOK, READ, start, startApp } from './support/chunked-app.ts';

const ROWS = 1200;
const lineOf = (row: number, word: string) => `${row},${row / 2},${word}\n`;
const base = `id,half,word\n${Array.from({ length: ROWS }, (_, row) => lineOf(row, `old ${row}`)).join('')}`;
/** Of every hundredth row, and a value that gives a column another type. */
const changesWith = (half: string) =>
  `id,half,word\n${Array.from({ length: 12 }, (_, at) => lineOf(at * 100 + 7, 'new')).join('')}5000,${half},more\n`;
const expected = [[ROWS + 1, 12, ROWS - 12, 5000]];

let app: App;
let dataset: string;
let fetched: string[];
beforeEach(() => async () => app[Symbol.asyncDispose]());

/** An app with a table of many parts, of which one fits at a time, and a run that has read what is to be added to it. */
async function startUpsert(policy: object = {}, half = '0.25'): Promise<Doorbell> {
  app = await startApp({ chunkBytes: 2000, chunksAnInvocation: 100, combineBytes: 1 });
  dataset = await app.dataset('d', { policy });
  await app.upload(dataset, 't.csv', base);
  fetched = [];
  const { download } = app.objects;
  app.objects.download = async (key, path, signal) => {
    if (path.includes('/combine/parts/')) fetched.push(key);
    return download(key, path, signal);
  };
  const upsert = { table: 't', mode: 'upsert', keys: '["id"]' };
  const sent = await app.sendFile(dataset, 't.csv', changesWith(half), upsert);
  const run = await start(app, sent.body.id);
  expect(await app.step(run, READ)).toBeUndefined();
  return run;
}

/** From then on, the `nth` part that is fetched is `what` comes to instead. */
function atFetch(nth: number, what: () => Promise<unknown>): void {
  const { download } = app.objects;
  app.objects.download = async (key, path, signal) => {
    if (path.includes('/combine/parts/') && fetched.length === nth - 1) {
      app.objects.download = download;
      await what();
    }
    return download(key, path, signal);
  };
}

const partsOfBase = () => app.objects.keys().filter((key) => /\/part-\d+\.parquet$/.test(key)).length - 1;

async function checkTable(): Promise<void> {
  const sql = `SELECT count(*), count(*) FILTER (word = 'new'), count(*) FILTER (word LIKE 'old%'), max(id) FROM t`;
  expect((await app.query(dataset, sql)).body.rows).toEqual(expected);
  const order = `SELECT count(*) FILTER (id < before) FROM (SELECT id, word, lag(id) OVER () AS before FROM t) WHERE word LIKE 'old%'`;
  expect((await app.query(dataset, order)).body.rows).toEqual([[0]]);
  expect((await app.tables(dataset))['t']).toMatchObject({ rowCount: ROWS + 1, added: { rows: 13, replaced: 12 } });
}

describe('an upsert into a table whose parts come in turn', () => {
  it('whose worker dies goes on at the part where it died', async () => {
    const run = await startUpsert();
    const parts = partsOfBase();
    expect(parts).toBeGreaterThan(10);
    // Types of what is added and of all parts, then the keys, then parts that are written.
    atFetch(1 + parts + 1 + 5, dies(app, run));
    expect(await app.step(run, LOOK)).toContain('lease_lost');
    fetched.splice(0);
    await app.settle();
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'succeeded', crashes: 1 });
    // The keys once more, and the parts that are left.
    expect(fetched).toHaveLength(1 + (parts - 4));
    await checkTable();
  });

  it('whose time runs out goes on at no cost', async () => {
    const run = await startUpsert();
    const late = new AbortController();
    atFetch(8, async () => late.abort(new Error('15 minutes')));
    expect(await app.step(run, LOOK, late.signal)).toContain('settled');
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'queued', rule: 'snooze', attempts: 0, crashes: 0 });
    await app.settle();
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    await checkTable();
  });

  it('is not published where a part that an earlier run wrote was swept since, whether somebody looks at it or not', async () => {
    const off = { pii: 'off', sample: 'off', profile: 'off', relations: 'off', describe: 'off', index: 'off' };
    const run = await startUpsert({ stages: off });
    const { moveFileOnce } = app.objects;
    let written = 0;
    app.objects.moveFileOnce = async (key, path) => {
      if (key.includes('/combined-') && ++written === 3) await dies(app, run)();
      return moveFileOnce(key, path);
    };
    expect(await app.step(run, LOOK)).toContain('lease_lost');
    const [swept = ''] = app.objects.keys().filter((key) => key.includes('/combined-'));
    app.objects.bodies.delete(swept);
    await app.settle();
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'failed', error: { code: 'INPUT_UNREADABLE' } });
    const { rows } = (await app.query(dataset, 'SELECT count(*) FROM t')).body;
    expect(rows).toEqual([[ROWS]]);
  });

  it('waits for a review with what was combined, and reads no part again for it', async () => {
    const run = await startUpsert({ drift: 'review' }, '2.5e-1');
    await app.step(run, LOOK);
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'parked' });
    fetched.splice(0);
    const approve = `/v1/datasets/${dataset}/reviews/${run.ref.id}/approve`;
    expect((await app.send('POST', approve, { json: {} })).status).toBe(200);
    await app.settle();
    expect(await app.row(run.ref.id)).toMatchObject({ status: 'succeeded' });
    expect(fetched).toEqual([]);
    await checkTable();
  });
});
