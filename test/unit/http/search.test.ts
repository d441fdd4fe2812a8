import { describe, expect, it, vi } from 'vitest';
import type { DatasetId, TableId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { minutes } from '../../../lib/core/time.ts';
import { makeKey } from '../../../lib/http/make-key.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { readIndex } from '../../../lib/ingest/search/index-read.ts';
import { mergeIndex } from '../../../lib/ingest/search/merge.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { scope } from '../../support/pipeline-world.ts';
import { anyRoom } from '../../support/search-index.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;

const search = async (app: App, query: Readonly<Record<string, string>>) =>
  (await app.send('GET', `/v1/search?${new URLSearchParams(query).toString()}`)).body;
const names = async (app: App, query: Readonly<Record<string, string>>) =>
  (await search(app, query)).data.map((hit: { table: { name: string }; column?: { name: string } }) =>
    hit.column ? `${hit.table.name}.${hit.column.name}` : hit.table.name,
  );
const indexObjects = (app: App) => [...app.objects.keys()].filter((key) => key.endsWith('/index.ndjson'));

/** Descriptions name what they are of, and would be found beside it. */
const undescribed = { policy: { stages: { describe: 'off' } } };

describe('search', () => {
  it('finds what was uploaded, by words that are misspelled or cut short, and says what matches', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('shop', undescribed);
    await app.upload(dataset, 'orders.csv', 'orderId,customer_email,total\n1,a@b.example,3\n');
    await app.upload(dataset, 'weather.json', '[{"Größe": 1, "wind_speed": 2.5}]');
    const { data, nextCursor, indexedAt, leftOut } = await search(app, { q: 'custmer emial' });
    expect(data[0]).toMatchObject({
      type: 'column',
      datasetId: dataset,
      table: { name: 'orders' },
      column: { name: 'customer_email', type: 'VARCHAR' },
      matches: [
        {
          field: 'name',
          text: 'customer_email',
          highlights: [
            [0, 8],
            [9, 14],
          ],
        },
      ],
    });
    expect({ nextCursor, indexedAt, leftOut }).toEqual({ nextCursor: null, indexedAt: expect.any(String), leftOut: 0 });
    expect(await names(app, { q: 'grosse' })).toEqual(['weather.Größe']);
    expect(await names(app, { q: 'windsp' })).toEqual(['weather.wind_speed']);
    expect(await names(app, { q: 'order', kind: 'table' })).toEqual(['orders']);
    expect(await names(app, { q: 'order', type: 'bigint' })).toEqual(['orders.orderId', 'orders.total']);
  });

  it('answers nothing before the first publish', async () => {
    await using app = await startIngestApp();
    const nothing = { data: [], nextCursor: null, indexedAt: null, ranking: 'text', degraded: null, leftOut: 0 };
    expect(await search(app, { q: 'a' })).toEqual(nothing);
  });

  it('walks through pages, each hit once', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(
      dataset,
      't.csv',
      `${Array.from({ length: 25 }, (_, at) => `price_${at}`).join(',')}\n${'1,'.repeat(24)}1\n`,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { data: { column: { name: string } }[]; nextCursor: string | null } = await search(app, {
        ...{ q: 'price', kind: 'column', limit: '10' },
        ...(cursor !== null && { cursor }),
      });
      seen.push(...page.data.map(({ column }) => column.name));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect([seen.length, new Set(seen).size]).toEqual([25, 25]);
    const wrong = await app.send('GET', '/v1/search?q=price&cursor=x');
    expect([wrong.status, wrong.body.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it('narrows to a dataset', async () => {
    await using app = await startIngestApp();
    const [one, other] = [await app.dataset('one', undescribed), await app.dataset('other', undescribed)];
    await app.upload(one, 'a.csv', 'price\n1\n');
    await app.upload(other, 'b.csv', 'price\n1\n');
    expect(await names(app, { q: 'price' })).toEqual(expect.arrayContaining(['a.price', 'b.price']));
    expect(await names(app, { q: 'price', dataset: other })).toEqual(['b.price']);
  });

  it('knows nothing of other workspaces', async () => {
    await using app = await startIngestApp();
    await app.upload(await app.dataset(), 'a.csv', 'price\n1\n');
    for (const [tenant, workspace] of [
      ['acme', 'other'],
      ['rival', 'main'],
    ] as const) {
      const owner = { tenant: tenant as TenantId, workspace: workspace as WorkspaceId };
      const key = await makeKey(app.deps, { ...owner, name: 'test' });
      const answer = await app.send('GET', '/v1/search?q=price', { headers: { authorization: `Bearer ${key}` } });
      expect([answer.status, answer.body.data]).toEqual([200, []]);
    }
    const none = await app.send('GET', '/v1/search?q=price', { headers: { authorization: 'Bearer x' } });
    expect(none.status).toBe(401);
  });
});

describe('the index', () => {
  it('follows a table that gets other columns', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'price,old\n1,2\n');
    await app.upload(dataset, 'a.csv', 'price,fresh\n1,2\n');
    expect(await names(app, { q: 'old' })).toEqual([]);
    expect(await names(app, { q: 'fresh' })).toEqual(['a.fresh']);
  });

  it('is never ahead of what is published, and shows of a table that has moved on only what is there now', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'a.csv', 'price,old\n1,2\n');
    // The index of that time, whatever is published after.
    const { getDocument } = app.store;
    const before = await getDocument({ ...scope, family: 'search', group: 'workspace', name: 'index' });
    app.store.getDocument = async (ref) => (ref.family === 'search' ? before : getDocument(ref));
    app.store.putDocument = async () => 'moved';
    await app.upload(dataset, 'a.csv', 'price,fresh\n1,2\n');
    expect(await names(app, { q: 'old' })).toEqual([]);
    expect(await names(app, { q: 'price' })).toEqual(['a.price']);
  });

  it('is told anew by what people say, at once where it must no longer be shown', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'x1\n1\n');
    const [table] = Object.values(await app.tables(dataset));
    const place = { ...scope, family: 'annotation', group: dataset, name: `${table.id}#x1` };
    await app.store.putDocument(place, { description: 'Net revenue of the month' }, 0);
    const ingest = (await app.send('GET', '/v1/jobs')).body.data[0];
    await mergeIndex(
      { ...app.deps, room: anyRoom },
      { scope, dataset: dataset as unknown as DatasetId, prefix: `acme/main/search/${ingest.id}/1` },
    );
    expect(await names(app, { q: 'revenue' })).toEqual(['a.x1']);
    await app.store.putDocument(place, { description: 'Something else' }, 1);
    expect(await names(app, { q: 'revenue' })).toEqual([]);
  });

  it('leaves out a dataset whose policy says so', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d', { policy: { stages: { index: 'off' } } });
    const other = await app.dataset('e', undescribed);
    await app.upload(dataset, 'a.csv', 'price\n1\n');
    await app.upload(other, 'b.csv', 'price\n1\n');
    expect(await names(app, { q: 'price' })).toEqual(['b.price']);
    expect((await app.tables(dataset))['a'].name).toBe('a');
  });

  it('keeps the version before it for those who are on their way to it, and removes it later', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'a\n1\n');
    await app.upload(dataset, 'b.csv', 'b\n1\n');
    expect(indexObjects(app)).toHaveLength(2);
    await app.clock.advance(minutes(11));
    await app.upload(dataset, 'c.csv', 'c\n1\n');
    expect(indexObjects(app)).toHaveLength(2);
    await app.clock.advance(minutes(11));
    await app.upload(dataset, 'd.csv', 'd\n1\n');
    expect(indexObjects(app)).toHaveLength(2);
  });

  it('is made anew where its object is lost, with every dataset', async () => {
    await using app = await startIngestApp();
    await app.upload(await app.dataset('one', undescribed), 'a.csv', 'price\n1\n');
    for (const key of indexObjects(app)) await app.objects.delete(key);
    await app.upload(await app.dataset('two', undescribed), 'b.csv', 'price\n1\n');
    expect((await names(app, { q: 'price' })).sort()).toEqual(['a.price', 'b.price']);
  });

  /** The index of a workspace of one table with the column `price`, and a merge that says what it warns of. */
  async function indexed(app: App) {
    const dataset = await app.dataset('one', undescribed);
    await app.upload(dataset, 'a.csv', 'price\n1\n');
    const [key = ''] = indexObjects(app);
    const warn = vi.fn();
    const merge = () =>
      mergeIndex(
        { ...app.deps, log: { ...silentLog, warn }, room: anyRoom },
        { scope, dataset: dataset as unknown as DatasetId, prefix: 'acme/main/search/x/1' },
      );
    const saySomething = async () => {
      const [table] = Object.values(await app.tables(dataset));
      const place = { ...scope, family: 'annotation', group: dataset, name: table.id as string };
      await app.store.putDocument(place, { description: 'what a thing costs' }, 0);
    };
    return { key, warn, merge, saySomething };
  }

  const spoilt: [string, (text: string) => string][] = [
    ['its lines', (text) => text.slice(0, -5)],
    ['its head', (text) => text.slice(5)],
    ['the card of a table', (text) => text.replace('"manifest":"', '"manifest":')],
    ['the entries of a table', (text) => text.replace('"name":"a"', '"name":"a')],
    ['a word', (text) => text.replace('["price",[', '["price",{')],
  ];

  async function spoil(app: App, key: string, how: (text: string) => string): Promise<void> {
    const text = Buffer.from((await app.objects.get(key)) ?? []).toString();
    expect(how(text)).not.toBe(text);
    await app.objects.delete(key);
    await app.objects.putOnce(key, how(text));
  }

  it.each([
    ...spoilt,
    [
      'the entries of a table',
      (text: string) => text.replace('"columns":[{"name":"price","type":"BIGINT"', '"columns":[],"synonyms":[""'),
    ],
    ['a word', (text: string) => text.replace(/(?<=\n\["price",\[\d+,)\d+/, '77')],
    ['a word', (text: string) => text.replace(/(?<=\n\["price",\[)\d+/, '77')],
  ])('that a search finds damaged is a problem that is over when a job has made it anew: %s', async (_, how) => {
    await using app = await startIngestApp();
    const { key } = await indexed(app);
    await spoil(app, key, how);
    const asked = async () => app.send('GET', '/v1/search?q=price');
    const answers = [await asked(), await asked()];
    for (const { status, headers, body } of answers)
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'INDEX_DAMAGED', '5']);
    const jobs = async () => (await app.send('GET', '/v1/jobs?kind=system.after-ingest&status=queued')).body.data;
    expect(await jobs()).toHaveLength(1);
    await app.settle();
    expect(await names(app, { q: 'price' })).toEqual(['a.price']);
    expect(await jobs()).toEqual([]);
  });

  it('that is lost is such a problem too, and one that others have made anew meanwhile is left alone', async () => {
    await using app = await startIngestApp();
    const { key, merge } = await indexed(app);
    await app.objects.delete(key);
    expect((await app.send('GET', '/v1/search?q=price')).body.code).toBe('INDEX_DAMAGED');
    await merge();
    const [made] = indexObjects(app);
    await app.settle();
    expect(indexObjects(app)).toEqual([made]);
    expect(await names(app, { q: 'price' })).toEqual(['a.price']);
  });

  it.each(spoilt)('is made anew where its object is damaged, which is told: %s', async (part, how) => {
    await using app = await startIngestApp();
    const { key, warn, merge, saySomething } = await indexed(app);
    await spoil(app, key, how);
    await saySomething();
    expect(await merge()).toBe(1);
    expect(warn.mock.calls).toEqual([
      ['The index of a workspace is damaged, and is made anew.', { key, error: `It cannot be read: ${part}.` }],
    ]);
    expect(await names(app, { q: 'price' })).toEqual(['a.price']);
    expect(await names(app, { q: 'costs' })).toEqual(['a']);
  });

  it('is not made anew where the store does not answer', async () => {
    await using app = await startIngestApp();
    const { key, warn, merge, saySomething } = await indexed(app);
    await saySomething();
    const outage = vi.spyOn(app.objects, 'get').mockRejectedValue(new SyntaxError('503'));
    await expect(merge()).rejects.toThrow('503');
    outage.mockRestore();
    expect([warn.mock.calls, indexObjects(app)]).toEqual([[], [key]]);
  });

  it('of an earlier release is searched, and written as this one does by the next merge, whatever has changed', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('one', undescribed);
    await app.upload(dataset, 'a.csv', 'price\n1\n');
    const [key = ''] = indexObjects(app);
    const { cards, tableAt } = readIndex((await app.objects.get(key)) ?? Buffer.of());
    await app.objects.delete(key);
    const first = { v: 1, words: 1, tables: [...cards.keys()].map(tableAt), text: {} };
    await app.objects.putOnce(key, JSON.stringify(first));
    expect(await names(app, { q: 'prices' })).toEqual(['a.price']);
    const merge = (run: number) =>
      mergeIndex({ ...app.deps, room: anyRoom }, { scope, prefix: `acme/main/search/x/${run}` });
    expect([await merge(1), await merge(2)]).toEqual([0, 0]);
    expect(indexObjects(app)).toEqual([key, 'acme/main/search/x/1/search-1/index.ndjson']);
    expect(await names(app, { q: 'prices' })).toEqual(['a.price']);
  });

  it('holds as many entries as it may and says how many tables found no room', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'a.csv', 'price\n1\n');
    await app.upload(dataset, 'b.csv', 'price,cost\n1,2\n');
    const merge = (entries: number, run: number) =>
      mergeIndex({ ...app.deps, room: { ...anyRoom, entries } }, { scope, prefix: `acme/main/search/x/${run}` });
    // Made anew with less room: two entries are one table.
    const pointer = { ...scope, family: 'search', group: 'workspace', name: 'index' };
    const now = await app.store.getDocument(pointer);
    await app.store.removeDocument(pointer, now?.version ?? 0);
    expect(await merge(2, 1)).toBe(2);
    expect((await search(app, { q: 'price' })).leftOut).toBe(1);
    expect(await merge(2, 2)).toBe(0);
    expect(await merge(100, 3)).toBe(1);
    expect((await search(app, { q: 'cost' })).data).toHaveLength(1);
  });

  it('loses no table where two merge at once', async () => {
    await using app = await startIngestApp();
    const datasets = [await app.dataset('a'), await app.dataset('b'), await app.dataset('c')];
    for (const [at, dataset] of datasets.entries()) await app.upload(dataset, `t${at}.csv`, `old${at}\n1\n`);
    const renamed = async (dataset: string, at: number) => {
      const [table] = Object.values(await app.tables(dataset));
      const place = { ...scope, family: 'annotation', group: dataset, name: table.id as TableId as unknown as string };
      await app.store.putDocument(place, { description: `shared words ${at}` }, 0);
    };
    for (const [at, dataset] of datasets.entries()) await renamed(dataset, at);
    const merges = datasets.map((dataset, at) =>
      mergeIndex(
        { ...app.deps, room: anyRoom },
        { scope, dataset: dataset as unknown as DatasetId, prefix: `acme/main/search/y${at}/1` },
      ),
    );
    expect(await Promise.all(merges)).toEqual([1, 1, 1]);
    expect((await names(app, { q: 'shared' })).sort()).toEqual(['t0', 't1', 't2']);
  });
});
