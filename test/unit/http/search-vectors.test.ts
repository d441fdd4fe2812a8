import { describe, expect, it } from 'vitest';
import { days, type DurationMs, hours, minutes, seconds } from '../../../lib/core/time.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { scope } from '../../support/pipeline-world.ts';
import { embedderOf, named, standInEmbeddings } from '../../support/stand-in-embeddings.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;
interface Hit {
  readonly table: { readonly name: string };
  readonly column?: { readonly name: string };
  readonly foundBy: readonly string[];
  readonly matches: readonly object[];
}

const search = async (app: App, q: string, more: Readonly<Record<string, string>> = {}) => {
  const { status, body } = await app.send('GET', `/v1/search?${new URLSearchParams({ q, ...more }).toString()}`);
  expect(status).toBe(200);
  return body as { data: Hit[]; ranking: string; degraded: string | null };
};
const nameOf = ({ table, column }: Hit) => (column ? `${table.name}.${column.name}` : table.name);
const documentsAsked = ({ asked }: ReturnType<typeof standInEmbeddings>) =>
  asked.filter(({ as }) => as === 'document').flatMap(({ texts }) => texts);
const vectorObjects = (app: App) => [...app.objects.keys()].filter((key) => key.endsWith('.bin'));
/** Lets time pass, and runs what is due then. */
const passed = async (app: App, time: DurationMs) => {
  await app.clock.advance(time);
  await sweep(app.engine);
  await app.settle();
};
const undescribed = { policy: { stages: { describe: 'off' } } };
const down = (calls: number) => Array.from({ length: calls }, () => named('ThrottlingException'));

describe('search with an embedding model', () => {
  it('finds what means the same without one common word, and says by what', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'shop.csv', 'clientRef,turnover,city\nx,3,Oslo\n');
    const found = await search(app, 'revenue', { kind: 'column' });
    expect([found.ranking, found.degraded]).toEqual(['fused', null]);
    expect(nameOf(found.data[0]!)).toBe('shop.turnover');
    expect([found.data[0]?.foundBy, found.data[0]?.matches]).toEqual([['vector'], []]);
    const both = await search(app, 'turnover', { kind: 'column' });
    expect([nameOf(both.data[0]!), both.data[0]?.foundBy]).toEqual(['shop.turnover', ['text', 'vector']]);
    // A search for the same is asked once.
    await search(app, 'revenue', { kind: 'table' });
    expect(embeddings.asked.filter(({ as }) => as === 'query')).toHaveLength(2);
  });

  it('has a damaged index made anew before it is embedded', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'a.csv', 'turnover\n3\n');
    for (const key of vectorObjects(app)) await app.objects.delete(key);
    const pointer = { ...scope, family: 'search', group: 'workspace', name: 'vectors' };
    await app.store.removeDocument(pointer, (await app.store.getDocument(pointer))?.version ?? 0);
    const [index = ''] = [...app.objects.keys()].filter((key) => key.endsWith('/index.ndjson'));
    const text = Buffer.from((await app.objects.get(index)) ?? []).toString();
    await app.objects.delete(index);
    await app.objects.putOnce(index, text.replace('"name":"a"', '"name":"a'));
    await submitJob(app.engine, { scope, kind: 'system.embed', input: {}, correlationId: 'c' });
    await app.settle();
    const jobs = (await app.send('GET', '/v1/jobs?kind=system.embed')).body.data;
    expect(jobs.map(({ status }: { status: string }) => status)).not.toContain('dead');
    const found = await search(app, 'revenue', { kind: 'column' });
    expect([found.data.map(nameOf), found.ranking, found.degraded]).toEqual([['a.turnover'], 'fused', null]);
  });

  it('is told the names and the words of tables and columns, and no value, personal or not', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const rows = Array.from({ length: 20 }, (_, at) => `ann${at}@mail.example,Ann Smith${at},Bergenhaven${at},${at}`);
    await app.upload(await app.dataset(), 'people.csv', `mail,full_name,hamlet,n\n${rows.join('\n')}\n`);
    const told = documentsAsked(embeddings).join('\n');
    expect(documentsAsked(embeddings)).toHaveLength(5);
    expect(told).toContain('full name (column of people)');
    expect(told).not.toMatch(/ann\d|Smith|Bergenhaven/);
  });

  it('pays once for a text: what did not change is not embedded again, nor what another table has too', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'a.csv', 'one,two\n1,2\n');
    expect(documentsAsked(embeddings)).toHaveLength(3);
    await app.upload(dataset, 'a.csv', 'one,two\n3,4\n');
    expect(documentsAsked(embeddings)).toHaveLength(3);
    await app.upload(dataset, 'a.csv', 'one,three\n3,4\n');
    // The table's own text names its columns.
    expect(documentsAsked(embeddings).slice(3).sort()).toEqual(['a (table). one, three', 'three (column of a)']);
    const found = await search(app, 'two');
    expect([found.degraded, found.data.map(nameOf).includes('a.two')]).toEqual([null, false]);
  });

  it('pays for nothing where only values and what is measured of them changed', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset();
    const rows = (from: number) => [0, 1, 2].map((at) => `2025-01-0${from + at},${from * at}.5,c${from + at}`);
    const file = (from: number) => `day,price,city\n${rows(from).join('\n')}\n`;
    await app.upload(dataset, 'sales.csv', file(1));
    expect(documentsAsked(embeddings)).toHaveLength(4);
    await app.upload(dataset, 'sales.csv', file(4));
    expect(documentsAsked(embeddings)).toHaveLength(4);
  });

  it('embeds anew where the model is another one, and compares no vectors of two models', async () => {
    const first = standInEmbeddings();
    const second = standInEmbeddings({ model: 'another', dimensions: 32 });
    const settings = { ...embedderOf(first) };
    await using app = await startIngestApp(() => ({ embedder: settings }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'shop.csv', 'turnover,city\n3,Oslo\n');
    Object.assign(settings, { embeddings: second });
    const between = await search(app, 'revenue');
    expect([between.data, between.ranking, between.degraded]).toEqual([[], 'text', 'incomplete']);
    await app.send('POST', `/v1/datasets/${dataset}/describe`);
    await app.settle();
    expect(documentsAsked(second)).toHaveLength(3);
    expect(nameOf((await search(app, 'revenue', { kind: 'column' })).data[0]!)).toBe('shop.turnover');
  });

  it('answers by full text and says so while the model is silent, and does not ask it all the time', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    await app.upload(await app.dataset('d', undescribed), 'shop.csv', 'turnover\n3\n');
    embeddings.failures.push(named('ServiceUnavailableException'));
    const asked = embeddings.asked.length;
    const silent = await search(app, 'turnover', { kind: 'column' });
    expect([silent.ranking, silent.degraded, silent.data.map(nameOf)]).toEqual(['text', 'model', ['shop.turnover']]);
    expect((await search(app, 'revenue')).degraded).toBe('model');
    expect(embeddings.asked).toHaveLength(asked + 1);
    await app.clock.advance(seconds(21));
    expect((await search(app, 'turnover')).degraded).toBeNull();
  });

  it('waits no longer than its limit for the model', async () => {
    const embeddings = standInEmbeddings();
    let aborted = false;
    const settings = { ...embedderOf(embeddings) };
    await using app = await startIngestApp(() => ({ embedder: settings }));
    await app.upload(await app.dataset('d', undescribed), 'shop.csv', 'turnover\n3\n');
    let called = (): void => undefined;
    const asking = new Promise<void>((done) => (called = done));
    const hung = {
      ...embeddings,
      embed: ({ signal }: { readonly signal?: AbortSignal | undefined }) => {
        signal?.addEventListener('abort', () => (aborted = true));
        called();
        return new Promise<never>(() => undefined);
      },
    };
    Object.assign(settings, { embeddings: hung });
    const searched = search(app, 'turnover');
    await asking;
    await app.clock.advance(seconds(2));
    expect([(await searched).degraded, aborted]).toEqual(['model', true]);
  });

  it('fails no ingest for a model that is down, and goes on where it left off', async () => {
    const embeddings = standInEmbeddings({ batch: 1 });
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    embeddings.failures.push(named('AccessDeniedException'));
    const job = await app.upload(await app.dataset('d', undescribed), 'shop.csv', 'turnover,city\n3,Oslo\n');
    expect([job.status, job.result.warnings]).toEqual(['succeeded', []]);
    const partly = await search(app, 'city', { kind: 'column' });
    expect(partly.degraded).toBe('incomplete');
    expect(partly.data.map(nameOf)).toContain('shop.city');
    // A refusal is not asked about again by itself; the next publish asks for what is left, and for nothing twice.
    await app.upload(await app.dataset('e', undescribed), 'b.csv', 'x\n1\n');
    const told = documentsAsked(embeddings);
    expect(new Set(told).size).toBe(5);
    expect(told.length).toBe(6);
    expect((await search(app, 'city')).degraded).toBeNull();
  });

  it('comes back later, once, where the model was silent for several publishes', async () => {
    const embeddings = standInEmbeddings();
    // The pauses between tries are real ones to the clock, which stands: none is made.
    await using app = await startIngestApp(() => ({
      embedder: { ...embedderOf(embeddings), chance: { next: () => 0 } },
    }));
    embeddings.failures.push(...down(14));
    await app.upload(await app.dataset('d', undescribed), 'shop.csv', 'turnover\n3\n');
    await app.upload(await app.dataset('e', undescribed), 'b.csv', 'x\n1\n');
    expect(embeddings.asked).toHaveLength(14);
    const search1 = await search(app, 'revenue');
    expect([search1.ranking, search1.degraded]).toEqual(['text', 'incomplete']);
    await passed(app, hours(2));
    expect(embeddings.asked).toHaveLength(15);
    expect((await search(app, 'revenue', { kind: 'column' })).degraded).toBeNull();
  });

  it('is within the budget of the month, which it shares with describing, and in the ledger', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings, { run: 50, month: 0.05 }) }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'shop.csv', 'turnover,city\n3,Oslo\n');
    const month = new Date(app.clock.now()).toISOString().slice(0, 7);
    const events = (await app.send('GET', `/v1/costs/${month}`)).body.data;
    expect(events).toEqual([
      expect.objectContaining({ purpose: 'embed', model: 'stand-in', inputTokens: 30, outcome: 'answered' }),
    ]);
    // 0.01 cents at once for searches.
    expect((await search(app, 'revenue')).degraded).toBeNull();
    expect((await app.send('GET', '/v1/costs')).body.data).toEqual([{ month, cents: 0.0101, questions: 1 }]);
    const place = { ...scope, family: 'ledger', group: 'months', name: month };
    const total = await app.store.getDocument(place);
    await app.store.putDocument(place, { v: 1, microcents: 50_000, questions: 1 }, total?.version ?? 0);
    await app.upload(dataset, 'b.csv', 'x\n1\n');
    expect((await search(app, 'turnover')).degraded).toBe('incomplete');
    expect(documentsAsked(embeddings)).toHaveLength(3);
    // The next month has money again.
    await passed(app, days(32));
    expect(documentsAsked(embeddings)).toHaveLength(5);
    expect((await search(app, 'turnover')).degraded).toBeNull();
  });

  it('shows of a table that has moved on nothing that only its vector was near', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', undescribed);
    await app.upload(dataset, 'shop.csv', 'turnover\n3\n');
    const [table] = Object.values(await app.tables(dataset));
    const place = { ...scope, family: 'annotation', group: dataset, name: `${table.id}#turnover` };
    await app.store.putDocument(place, { description: 'Something else' }, 0);
    expect((await search(app, 'revenue', { kind: 'column' })).data).toEqual([]);
  });

  it('keeps one version of vectors beside the one before it', async () => {
    const embeddings = standInEmbeddings();
    await using app = await startIngestApp(() => ({ embedder: embedderOf(embeddings) }));
    const dataset = await app.dataset('d', undescribed);
    for (const name of ['a', 'b', 'c']) {
      await app.upload(dataset, `${name}.csv`, `${name}\n1\n`);
      await app.clock.advance(minutes(11));
    }
    expect(vectorObjects(app)).toHaveLength(2);
  });
});

describe('search without an embedding model', () => {
  it('makes no job, no object and no document for it', async () => {
    await using app = await startIngestApp();
    await app.upload(await app.dataset('d', undescribed), 'shop.csv', 'turnover\n3\n');
    const found = await search(app, 'turnover', { kind: 'column' });
    expect([found.ranking, found.degraded, found.data[0]?.foundBy]).toEqual(['text', null, ['text']]);
    expect(vectorObjects(app)).toEqual([]);
    expect(await app.store.getDocument({ ...scope, family: 'search', group: 'workspace', name: 'vectors' })).toBe(
      undefined,
    );
  });
});
