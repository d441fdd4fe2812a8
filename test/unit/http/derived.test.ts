import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiScope } from '../../../lib/http/keys.ts';
import { makeKey } from '../../../lib/http/make-key.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { scope } from '../../support/pipeline-world.ts';

type App = Awaited<ReturnType<typeof withOrders>>;

const orders = 'id,city,price\n1,Oslo,2.50\n2,Bergen,3.75\n3,Oslo,10.00\n';
const totals = { name: 'totals', sql: 'select city, sum(price) as total from orders group by city order by city' };

async function withOrders(more: object = {}) {
  const app = await startIngestApp();
  const dataset = await app.dataset('d', more);
  await app.upload(dataset, 'orders.csv', orders);
  const at = `/v1/datasets/${dataset}/tables`;
  const ended = async (job: string) => (await app.send('GET', `/v1/jobs/${job}`)).body;
  const run = async (path: string, json: object) => {
    const { status, body } = await app.send('POST', `${at}/${path}`, { json });
    if (status !== 202) return body;
    await app.settle();
    return ended(body.id);
  };
  const table = async (name: string) => (await app.tables(dataset))[name];
  return {
    ...app,
    dataset,
    at,
    ended,
    table,
    /** The job at its end, or the problem. */
    derive: (definition: object) => run('derive', definition),
    refresh: async (name: string, json: object = {}) => run(`${(await table(name)).id}/refresh`, json),
    lineage: async (name: string) => (await app.send('GET', `${at}/${(await table(name)).id}/lineage`)).body,
    rows: async (sql: string) => (await app.query(dataset, sql)).body.rows,
  };
}

const codeOf = ({ status, error, code }: { status: unknown; error?: { code: string }; code?: string }) =>
  code ?? error?.code ?? status;

describe('a derived table', () => {
  it('has the rows of its SQL, says how they were made of what, and is described, profiled and queried like any other', async () => {
    await using app = await withOrders();
    const sql = 'select city, sum(price) as total from orders where price > $floor group by city order by city';
    const params = { floor: { type: 'DECIMAL(5,2)', value: '2.50' } };
    const job = await app.derive({ name: 'totals', sql, params, description: 'What each city spent.' });
    expect(job).toMatchObject({
      kind: 'derive',
      status: 'succeeded',
      result: { tables: [{ rowCount: 2, sequence: 1 }] },
    });
    const source = await app.table('orders');
    const read = { table: source.id, name: 'orders', snapshot: source.snapshot.id, sequence: 1 };
    expect(source.kind).toBe('uploaded');
    expect(await app.table('totals')).toMatchObject({
      ...{ kind: 'derived', stale: false, rowCount: 2, source: { format: 'sql' } },
      description: { text: 'What each city spent.', source: 'definition' },
      derivation: { sql, params, repeatable: true, sources: [read] },
      columns: [
        { name: 'city', profile: { distinct: 2 } },
        { name: 'total', type: 'DECIMAL(38,2)' },
      ],
    });
    expect(await app.rows('select * from totals')).toEqual([
      ['Bergen', '3.75'],
      ['Oslo', '10.00'],
    ]);
  });

  it('keeps the types of its columns, those too that Parquet has no form for', async () => {
    await using app = await withOrders();
    const columns = `sum(id) as h, 1.10::decimal(30,2) as d, timestamptz '2024-01-31 10:00:00+02' as z, interval '1 month -3 days' as i,
      timetz '12:34:56+02' as t, '101'::bit as b, 123456789012345678901234567890123456789012345::bignum as n, 'a'::enum('a','it''s') as e,
      [1, 2]::integer[2] as l, {'x': 1::hugeint, 'a b': [interval 1 day]} as s, '{"a":1}'::json as j, timestamp_ns '2024-01-31 10:00:00.123456789' as ns`;
    const sql = `select ${columns} from orders`;
    expect(await app.derive({ name: 'kinds', sql })).toMatchObject({ status: 'succeeded' });
    const [was, is] = [(await app.query(app.dataset, sql)).body, (await app.query(app.dataset, 'from kinds')).body];
    expect([is.columns, is.rows]).toEqual([was.columns, was.rows]);
    const again = (
      await app.query(app.dataset, 'select * from kinds where h = 6 and i = interval 1 month - interval 3 days')
    ).body;
    expect(again.rows).toEqual(was.rows);
  });

  it('may be derived from derived ones, and may have no rows', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    expect(await app.derive({ name: 'none', sql: 'select * from totals where total < 0' })).toMatchObject({
      result: { tables: [{ rowCount: 0, columnCount: 2 }] },
    });
    expect(await app.rows('select count(*) from none')).toEqual([[0]]);
  });

  it('is made once under a key, and waits for the end where that is asked', async () => {
    await using app = await withOrders();
    const send = (json: object) => app.send('POST', `${app.at}/derive`, { json, headers: { 'idempotency-key': 'k' } });
    const first = await send(totals);
    await app.settle();
    const again = await send(totals);
    expect([again.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      first.body.id,
      'true',
    ]);
    expect((await send({ ...totals, sql: 'select 1 as one' })).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('a definition is refused before a job', () => {
  let app: App;
  beforeAll(async () => {
    app = await withOrders();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  it.each([
    [{ name: 'x', sql: 'selec 1' }, 'SQL_INVALID'],
    [{ name: 'x', sql: 'select nope from orders' }, 'SQL_INVALID'],
    [{ name: 'x', sql: 'select * from nowhere' }, 'SQL_INVALID'],
    [{ name: 'x', sql: 'delete from orders' }, 'SQL_NOT_SELECT'],
    [{ name: 'x', sql: "select * from read_text('/etc/passwd')" }, 'SQL_FORBIDDEN'],
    [{ name: 'x', sql: 'select $a as b' }, 'SQL_PARAMETER'],
    [{ name: 'x', sql: 'select 1 as a', params: { b: 1 } }, 'SQL_PARAMETER'],
    [{ name: 'x', sql: 'select 1 as a, 2 as A' }, 'SQL_INVALID'],
    [{ name: 'x', sql: 'select 1 as " "' }, 'SQL_INVALID'],
    [{ name: 'x', sql: 'select union_value(a := 1) as u' }, 'SQL_INVALID'],
    [{ name: 'no name', sql: 'select 1 as a' }, 'VALIDATION_FAILED'],
    [{ name: 'x' }, 'VALIDATION_FAILED'],
    [{ name: 'orders', sql: 'select 1 as a' }, 'TABLE_UPLOADED'],
    [{ name: 'ORDERS', mode: 'replace', sql: 'select 1 as a' }, 'TABLE_UPLOADED'],
  ])('%j: %s', async (definition, code) => {
    expect(codeOf(await app.derive(definition))).toBe(code);
    expect(app.bells).toEqual([]);
  });

  it('where the table is there, unless it is to be replaced, which gives it another SQL and other columns', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    const other = { ...totals, name: 'Totals', sql: 'select count(*) as n from orders' };
    expect(codeOf(await app.derive(other))).toBe('CONFLICT');
    expect(await app.derive({ ...other, mode: 'replace' })).toMatchObject({ result: { tables: [{ sequence: 2 }] } });
    expect(await app.table('totals')).toMatchObject({
      derivation: { sql: other.sql },
      changes: { added: ['n'], removed: ['city', 'total'] },
    });
  });

  it('where it would be derived from itself, by itself or through others', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    await app.derive({ name: 'more', sql: 'select * from totals' });
    const again = { ...totals, mode: 'replace' };
    for (const sql of ['select * from totals', 'select * from orders, (from more) as m'])
      expect(codeOf(await app.derive({ ...again, sql }))).toBe('DERIVATION_CYCLE');
    const job = { kind: 'derive', input: { dataset: app.dataset, table: 'totals', mode: 'replace', sql: 'from more' } };
    const { body } = await app.send('POST', '/v1/jobs', { json: job });
    await app.settle();
    expect(codeOf(await app.ended(body.id))).toBe('DERIVATION_CYCLE');
    expect(await app.table('totals')).toMatchObject({ derivation: { sql: totals.sql }, snapshot: { sequence: 1 } });
  });

  it('where it is longer than what a snapshot keeps', async () => {
    const sql = `select '${'x'.repeat(60_000)}' as a`;
    expect(codeOf(await app.derive({ name: 'x', sql }))).toBe('LIMIT_EXCEEDED');
  });

  it('without the scope to query', async () => {
    const key = await makeKey(app.deps, { ...scope, name: 'writer', scopes: ['datasets:write'] });
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.send('POST', `${app.at}/derive`, { json: totals, headers })).body.code).toBe('FORBIDDEN');
  });
});

describe('a derivation that fails', () => {
  it('leaves nothing behind that can be seen, and what was published before', async () => {
    await using app = await withOrders();
    const sql = "select city::integer as n from orders where city <> ''";
    expect(codeOf(await app.derive({ name: 'n', sql }))).toBe('SQL_INVALID');
    expect(await app.table('n')).toBeUndefined();
    await app.derive(totals);
    await app.upload(app.dataset, 'orders.csv', 'id,town\n1,Oslo\n');
    expect(codeOf(await app.refresh('totals'))).toBe('SQL_INVALID');
    expect(await app.table('totals')).toMatchObject({ stale: true, snapshot: { sequence: 1 }, rowCount: 2 });
    expect(await app.upload(app.dataset, 'n.csv', 'a\n1\n')).toMatchObject({ status: 'succeeded' });
  });
});

describe('a refresh', () => {
  it('changes nothing where its sources have not moved, unless it is forced', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    expect((await app.refresh('totals')).result).toMatchObject({ tables: [], unchanged: true });
    expect((await app.refresh('totals', { force: true })).result).toMatchObject({ tables: [{ sequence: 2 }] });
  });

  it('runs the definition over what its sources hold now', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    await app.upload(app.dataset, 'orders.csv', 'id,city,price\n4,Voss,1.25\n');
    expect(await app.table('totals')).toMatchObject({ stale: true });
    expect((await app.refresh('totals')).result).toMatchObject({ tables: [{ rowCount: 1 }] });
    expect(await app.table('totals')).toMatchObject({ stale: false, derivation: { sources: [{ sequence: 2 }] } });
    expect(await app.rows('from totals')).toEqual([['Voss', '1.25']]);
  });

  it('always runs SQL that asks for the time, for chance or for a sample', async () => {
    await using app = await withOrders();
    for (const [at, sql] of [
      'select current_date as d',
      'select random() as r',
      'from orders tablesample 50%',
    ].entries()) {
      await app.derive({ name: `t${at}`, sql });
      expect((await app.refresh(`t${at}`)).result).toMatchObject({ tables: [{ sequence: 2 }] });
    }
  });

  it('is of derived tables only', async () => {
    await using app = await withOrders();
    expect(codeOf(await app.refresh('orders'))).toBe('TABLE_UPLOADED');
    const { body } = await app.send('POST', `${app.at}/tbl_00000000000000000000000001/refresh`);
    expect(body.code).toBe('NOT_FOUND');
  });

  it('runs after a rollback what the old rows were made by', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    const [{ snapshot }, count] = [await app.table('totals'), 'select count(*) as n from orders'];
    await app.derive({ ...totals, mode: 'replace', sql: count });
    const { id } = await app.table('totals');
    await app.send('POST', `${app.at}/${id}/rollback`, { json: { snapshot: snapshot.id } });
    await app.settle();
    expect(await app.table('totals')).toMatchObject({ kind: 'derived', stale: false, derivation: { sql: totals.sql } });
    expect((await app.refresh('totals')).result).toMatchObject({ unchanged: true });
  });
});

describe('files and derived tables', () => {
  it('do not take each other’s place', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    for (const query of [{}, { mode: 'append', table: 'Totals' }])
      expect(codeOf(await app.upload(app.dataset, 'totals.csv', 'city,total\nVoss,1.00\n', query))).toBe(
        'TABLE_DERIVED',
      );
    expect(await app.table('totals')).toMatchObject({ kind: 'derived', snapshot: { sequence: 1 } });
  });
});

describe('a schedule of the kind', () => {
  it('refreshes a table by its name', async () => {
    await using app = await withOrders();
    await app.derive(totals);
    await app.upload(app.dataset, 'orders.csv', 'id,city,price\n4,Voss,1.25\n');
    const schedule = { kind: 'derive', input: { dataset: app.dataset, table: 'totals' }, cron: '0 4 * * *' };
    expect((await app.send('PUT', '/v1/schedules/nightly', { json: schedule })).status).toBe(201);
    const { body } = await app.send('POST', '/v1/schedules/nightly/run');
    await app.settle();
    expect(await app.ended(body.id)).toMatchObject({
      kind: 'derive',
      status: 'succeeded',
      result: { tables: [{ sequence: 2 }] },
    });
    const odd = { ...schedule, input: { ...schedule.input, mode: 'replace' } };
    expect((await app.send('PUT', '/v1/schedules/odd', { json: odd })).body.code).toBe('VALIDATION_FAILED');
  });
});

describe('lineage', () => {
  it('tells what a table is made of and what is made of it, and where snapshots have moved on', async () => {
    await using app = await withOrders();
    await app.upload(app.dataset, 'cities.csv', 'city,country\nOslo,NO\n');
    await app.derive(totals);
    await app.derive({ name: 'wide', sql: 'select * from totals join cities using (city)' });
    await app.upload(app.dataset, 'orders.csv', orders);
    const [source, middle, last] = [
      await app.lineage('orders'),
      await app.lineage('totals'),
      await app.lineage('wide'),
    ];
    expect(source).toMatchObject({ kind: 'uploaded', upstream: [] });
    expect(source.downstream).toMatchObject([
      { name: 'totals', kind: 'derived', distance: 1, stale: true },
      { name: 'wide', kind: 'derived', distance: 2, stale: false },
    ]);
    expect(middle).toMatchObject({
      stale: true,
      upstream: [{ name: 'orders', distance: 1 }],
      downstream: [{ name: 'wide' }],
    });
    expect(middle.reads).toHaveLength(3);
    expect(middle.reads[0]).toMatchObject({
      ...{ tableId: middle.tableId, sourceId: source.tableId },
      ...{ read: { sequence: 1 }, published: { sequence: 2 } },
    });
    expect(last.upstream.map(({ name, distance }: never) => [name, distance])).toEqual([
      ['cities', 1],
      ['totals', 1],
      ['orders', 2],
    ]);
  });
});

describe('masked columns', () => {
  const people = `id,mail\n${[1, 2, 3].map((at) => `${at},someone${at}@hidden.example`).join('\n')}\n`;
  const withPeople = async (action: string): Promise<App> => {
    const app = await withOrders({ policy: { pii: { action } } });
    await app.upload(app.dataset, 'people.csv', people);
    return app;
  };

  it('are NULL in what is derived, whatever the SQL makes of them, and a warning names them', async () => {
    await using app = await withPeople('mask');
    const job = await app.derive({
      name: 'copy',
      sql: 'select id, mail, upper(mail) as loud, mail is null as gone from people',
    });
    expect(job.result.warnings).toMatchObject([
      { code: 'SOURCE_MASKED', message: expect.stringContaining('people.mail') },
    ]);
    expect(await app.rows('from copy order by id')).toContainEqual([1, null, null, true]);
    expect(await app.table('copy')).toMatchObject({ derivation: { sources: [{ masked: ['mail'] }] } });
    const written = app.objects.keys().filter((key) => key.includes((job.result.tables[0] as { table: string }).table));
    for (const key of written)
      expect(Buffer.from((await app.objects.get(key)) ?? []).toString('latin1')).not.toContain('hidden.example');
  });

  it('that are masked since then hide whatever may come of them, until a refresh', async () => {
    await using app = await withPeople('warn');
    await app.derive({ name: 'copy', sql: 'select id, upper(mail) as loud from people' });
    await app.derive({ name: 'further', sql: 'select loud as l from copy' });
    expect((await app.rows('select loud from copy'))[0]).toEqual(['SOMEONE1@HIDDEN.EXAMPLE']);
    await app.send('PATCH', `/v1/datasets/${app.dataset}`, { json: { policy: { pii: { action: 'mask' } } } });
    const nulls = [[null], [null], [null]];
    const [loud, id, further] = ['select loud from copy', 'select id from copy', 'select l from further'];
    for (const sql of [loud, id, further]) expect(await app.rows(sql)).toEqual(nulls);
    for (const name of ['copy', 'further']) {
      expect(JSON.stringify(await app.table(name))).not.toMatch(/hidden.example/i);
      expect((await app.refresh(name)).result).toMatchObject({ tables: [{ sequence: 2 }] });
      expect((await app.refresh(name)).result).toMatchObject({ unchanged: true });
    }
    expect([await app.rows(loud), await app.rows(id), await app.rows(further)]).toEqual([
      nulls,
      [[1], [2], [3]],
      nulls,
    ]);
  });

  it('hold for copies of a column that a person tags, before it was copied or after', async () => {
    await using app = await withOrders({ policy: { pii: { action: 'redact' } } });
    const { id } = await app.table('orders');
    const tag = (piiTag: string) => app.send('PUT', `${app.at}/${id}/annotation?column=city`, { json: { piiTag } });
    const copy = { name: 'copy', sql: 'select City, price from orders' };
    await app.derive(copy);
    const samples = async () =>
      (await app.table('copy')).columns.map(({ samples: some = [] }: { samples?: string[] }) => some.length);
    expect(await samples()).toEqual([2, 3]);
    await tag('PLACE');
    await app.settle();
    expect(await samples()).toEqual([0, 0]);
    await app.refresh('copy');
    expect(await samples()).toEqual([0, 3]);
    expect((await app.table('copy')).columns[0]).toMatchObject({ pii: { tag: 'PLACE', source: 'lineage' } });
    await app.send('POST', `${app.at}/${(await app.table('copy')).id}/samples/refresh`);
    await app.settle();
    expect(await samples()).toEqual([0, 3]);
    await tag('NONE');
    await app.settle();
    expect((await app.refresh('copy')).result.tables).toHaveLength(1);
    expect(await samples()).toEqual([2, 3]);
  });

  it('hold for what is said of copies of a column that a person tags late: no description and no hit quotes them', async () => {
    await using app = await withOrders({ policy: { pii: { action: 'redact' } } });
    await app.derive({ name: 'copy', sql: 'select upper(city) as place, price from orders' });
    const told = async () => {
      const copy = await app.table('copy');
      const found = await app.send('GET', `/v1/search?q=oslo+place+2+10&table=${copy.id}`);
      return JSON.stringify([copy, found.body.data]);
    };
    expect(await told()).toContain('Its values are OSLO, BERGEN.');
    const { id } = await app.table('orders');
    await app.send('PUT', `${app.at}/${id}/annotation?column=city`, { json: { piiTag: 'PLACE' } });
    expect(await told()).not.toMatch(/oslo|bergen|2\.50|10\.00/i);
    await app.settle();
    expect(await told()).not.toMatch(/oslo|bergen|2\.50|10\.00/i);

    // What describes next is told no value either, so that none is written.
    await app.send('POST', `/v1/datasets/${app.dataset}/describe`, { json: { again: true } });
    await app.settle();
    const written = [...app.objects.keys()].filter((key) => /manifest[^/]*\.json$/.test(key));
    const texts = await Promise.all(
      written.map(async (key) => Buffer.from((await app.objects.get(key)) ?? []).toString()),
    );
    expect(texts.join('')).not.toContain('Its values are OSLO');
    expect(await told()).not.toMatch(/oslo|bergen|2\.50|10\.00/i);
  });
});

describe('a kind of the service', () => {
  it.each([
    ['derive', 'datasets:write', (dataset: string) => ({ dataset, table: 'totals' })],
    ['retention', 'datasets:write', (dataset: string) => ({ dataset })],
    ['purge', 'datasets:write', (dataset: string) => ({ dataset })],
    ['query', 'query', (dataset: string) => ({ dataset, sql: 'select 1 as a', format: 'csv' })],
  ] as const)(
    '%s is run for a key with %s alone, at once, in a batch or by a schedule',
    async (kind, needed, inputOf) => {
      await using app = await withOrders();
      const job = { kind, input: inputOf(app.dataset) };
      const answers = async (scopes: readonly ApiScope[]) => {
        const key = await makeKey(app.deps, { ...scope, name: 'jobs', scopes });
        const headers = { authorization: `Bearer ${key}` };
        const one = await app.send('POST', '/v1/jobs', { json: job, headers });
        const batch = await app.send('POST', '/v1/jobs/batch', { json: { jobs: [job] }, headers });
        const timed = await app.send('PUT', `/v1/schedules/${kind}`, { json: { ...job, every: 'P1D' }, headers });
        return [one.status, batch.body.accepted, timed.status];
      };
      const others = ['jobs:read', 'jobs:write', 'datasets:read'] as const;
      expect(await answers(others)).toEqual([403, 0, 403]);
      expect(await answers([...others, needed])).toEqual([202, 1, 201]);
    },
  );
});
