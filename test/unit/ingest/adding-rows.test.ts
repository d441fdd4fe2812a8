// Rows that are added to a table: appended, or in the place of rows with the same key.
import { describe, expect, it } from 'vitest';
import { commonTypes } from '../../../lib/ingest/combine/common-type.ts';
import { startIngestApp } from '../../support/ingest-app.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;

const append = { table: 't', mode: 'append' };
const upsert = (...keys: string[]) => ({ table: 't', mode: 'upsert', keys: JSON.stringify(keys) });

const rowsOf = async (app: App, dataset: string, sql = 'SELECT * FROM t') => (await app.query(dataset, sql)).body.rows;
const typesOf = async (app: App, dataset: string) =>
  Object.fromEntries(
    (await app.tables(dataset))['t'].columns.map(({ name, type }: { name: string; type: string }) => [name, type]),
  );

describe('an append', () => {
  it('adds its rows behind those that are published, and profiles them together', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'first.csv', 'id,name\n1,a\n2,b\n', append);
    const job = await app.upload(dataset, 'second.csv', 'id,name\n3,c\n', append);
    expect(job).toMatchObject({
      status: 'succeeded',
      result: { tables: [{ tableName: 't', sequence: 2, rowCount: 3 }] },
    });
    expect(await rowsOf(app, dataset)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    const { t } = await app.tables(dataset);
    expect(t).toMatchObject({ rowCount: 3, source: { name: 'second.csv' }, added: { rows: 1, replaced: 0 } });
    expect(t.columns[0].profile).toMatchObject({ distinct: 3, max: '3' });
    expect(t.changes).toMatchObject({ added: [], removed: [], typeChanged: [] });
  });

  it('keeps a text of a text column as it is written, whatever it looks like', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'code,n\nx1,1\n', append);
    await app.upload(dataset, 'b.csv', 'code,n\n007,2\n1.50,3\nTRUE,4\n', append);
    expect(await typesOf(app, dataset)).toEqual({ code: 'VARCHAR', n: 'BIGINT' });
    expect(await rowsOf(app, dataset, 'SELECT code FROM t')).toEqual([['x1'], ['007'], ['1.50'], ['TRUE']]);
  });

  it('keeps every digit of whole numbers beyond 63 bits beside negative ones', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const parquetOf = async (value: string) =>
      new Uint8Array((await app.query(dataset, `SELECT ${value} AS n`, { format: 'parquet' })).bytes);
    await app.upload(dataset, 'a.parquet', await parquetOf('9223372036854775809::UBIGINT'), append);
    const job = await app.upload(dataset, 'b.parquet', await parquetOf('-1::BIGINT'), append);
    expect(job.result.warnings).toMatchObject([{ code: 'COLUMN_WIDENED', column: 'n' }]);
    expect(await typesOf(app, dataset)).toEqual({ n: 'DECIMAL(38,0)' });
    expect(await rowsOf(app, dataset)).toEqual([['9223372036854775809'], ['-1']]);
    expect(await rowsOf(app, dataset, 'SELECT typeof(n) FROM t LIMIT 1')).toEqual([['DECIMAL(38,0)']]);
  });

  it('widens a column where that loses no value of either, and says so', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'n,d\n1,2024-01-01\n', append);
    const job = await app.upload(dataset, 'b.csv', 'n,d\n2.25,\n', append);
    expect(job.result.warnings).toMatchObject(
      [{ code: 'COLUMN_WIDENED', column: 'n' }, { code: 'COLUMN_EMPTY' }].toReversed(),
    );
    expect(await typesOf(app, dataset)).toEqual({ n: 'DECIMAL(18,2)', d: 'DATE' });
    expect(await rowsOf(app, dataset)).toEqual([
      ['1.00', '2024-01-01'],
      ['2.25', null],
    ]);
  });

  it('is refused, and changes nothing, where no type keeps the values of both', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'n\n1\n', append);
    const job = await app.upload(dataset, 'b.csv', 'n\nx\n', append);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'COLUMN_MISFIT' } });
    expect(job.error.detail).toContain('"n"');
    expect(await rowsOf(app, dataset)).toEqual([[1]]);
  });

  it('is refused with the place of the value that makes a column another than the table has', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'N,t\n1,x\n', append);
    const job = await app.upload(dataset, 'b.csv', 't,n\n"two\nlines",1\nz,2\nz,x3\nz,x4\nz,5\n', append);
    expect(job.error.detail).toMatch(/"N" of the table is BIGINT.* in row 3 \(line 5\)\.$/);
    expect(await rowsOf(app, dataset)).toEqual([[1, 'x']]);
  });

  it('takes columns by name: one that is missing is NULL, one that is new is NULL in the rows before', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'a,b\n1,x\n', append);
    const job = await app.upload(dataset, 'b.csv', 'c,A\n2024-05-06,2\n', append);
    expect(job.error).toBeUndefined();
    expect(job.result.warnings).toMatchObject([{ code: 'COLUMN_MISSING', column: 'b' }]);
    expect(await rowsOf(app, dataset, 'SELECT a, b, c FROM t')).toEqual([
      [1, 'x', null],
      [2, null, '2024-05-06'],
    ]);
  });

  it('waits for the one before it, so that neither is lost', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const send = (name: string) =>
      app.send('POST', `/v1/datasets/${dataset}/files?name=${name}&table=t&mode=append`, { body: `n\n${name[0]}\n` });
    for (const name of ['1.csv', '2.csv', '3.csv']) expect((await send(name)).status).toBe(202);
    const [first] = app.bells;
    await app.settle();
    expect(first).toBeDefined();
    expect(await rowsOf(app, dataset, 'SELECT n FROM t ORDER BY n')).toEqual([[1], [2], [3]]);
  });

  it('publishes nothing where the table was replaced in between, and says so', async () => {
    let between: (() => Promise<unknown>) | undefined;
    await using app = await startIngestApp(({ objects }) => ({
      objects: {
        ...objects,
        putOnce: async (key, body) => {
          const run = key.endsWith('manifest.json') ? between : undefined;
          if (run !== undefined) between = undefined;
          await run?.();
          return objects.putOnce(key, body);
        },
      },
    }));
    const dataset = await app.dataset();
    await app.upload(dataset, 't.csv', 'n\n1\n');
    between = () => app.upload(dataset, 't.csv', 'n\n100\n');
    const job = await app.upload(dataset, 'b.csv', 'n\n2\n', append);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'BASE_MOVED' } });
    expect(await rowsOf(app, dataset)).toEqual([[100]]);
    expect((await app.upload(dataset, 'b.csv', 'n\n2\n', append)).status).toBe('succeeded');
    expect(await rowsOf(app, dataset)).toEqual([[100], [2]]);
  });
});

describe('an upsert', () => {
  it('lets rows with the same key give way, adds the others, and does it again to the same end', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'id,part,v\n1,a,x\n1,b,y\n2,a,z\n', upsert('id', 'part'));
    for (const again of ['b.csv', 'c.csv']) {
      const job = await app.upload(dataset, again, 'id,part,v\n1,b,new\n3,a,more\n', upsert('id', 'part'));
      expect(job.status).toBe('succeeded');
      expect(await rowsOf(app, dataset, 'SELECT * FROM t ORDER BY id, part')).toEqual([
        [1, 'a', 'x'],
        [1, 'b', 'new'],
        [2, 'a', 'z'],
        [3, 'a', 'more'],
      ]);
    }
    expect((await app.tables(dataset))['t'].added).toMatchObject({ rows: 2, replaced: 2 });
  });

  it.each([
    ['a key twice', 'id,v\n1,a\n1,b\n'],
    ['a row without a key', 'id,v\n,a\n'],
    ['no key column', 'other,v\n1,a\n'],
  ])('is refused where the file has %s', async (_what, file) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const job = await app.upload(dataset, 'a.csv', file, upsert('id'));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'KEY_INVALID' } });
    expect(await app.tables(dataset)).toEqual({});
  });

  it('writes only the parts anew that lose rows', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 'a.csv', 'id,v\n1,a\n2,b\n', append);
    await app.upload(dataset, 'b.csv', 'id,v\n3,c\n', append);
    const before = new Set(app.objects.keys());
    await app.upload(dataset, 'c.csv', 'id,v\n3,new\n', upsert('id'));
    const fresh = app.objects.keys().filter((key) => !before.has(key) && key.endsWith('.parquet'));
    expect(fresh).toHaveLength(1);
    expect(await rowsOf(app, dataset)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'new'],
    ]);
  });
});

describe('what is asked of an upload', () => {
  it.each([
    ['mode=append', '#/query/table'],
    ['mode=upsert&table=t', '#/query/keys'],
    ['mode=append&table=t&keys=%5B%22id%22%5D', '#/query/keys'],
    ['mode=merge&table=t', '#/query/mode'],
    ['mode=upsert&table=t&keys=id', '#/query/keys'],
    ['mode=upsert&table=t&keys=%5B%5D', '#/query/keys'],
  ])('is refused where its parts do not go together: %s', async (query, pointer) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const sent = await app.send('POST', `/v1/datasets/${dataset}/files?name=a.csv&${query}`, { body: 'a\n1\n' });
    expect(sent).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED', errors: [{ pointer }] } });
  });
});

describe('the type that two columns have in common', () => {
  it.each([
    ['BIGINT', 'BIGINT', ['BIGINT']],
    ['INTEGER', 'UBIGINT', ['BIGINT', 'DECIMAL(38,0)']],
    ['BIGINT', 'DECIMAL(18,2)', ['DECIMAL(18,2)', 'DECIMAL(38,2)']],
    ['DECIMAL(18,4)', 'DECIMAL(38,2)', ['DECIMAL(18,4)', 'DECIMAL(38,4)']],
    ['DOUBLE', 'DECIMAL(18,2)', ['DOUBLE']],
    ['TIMESTAMP', 'DATE', ['TIMESTAMP']],
    ['VARCHAR', 'BIGINT', []],
    ['DATE', 'TIMESTAMP WITH TIME ZONE', []],
    ['BOOLEAN', 'BIGINT', []],
  ])('of %s and %s is one of %j', (before, added, expected) => {
    expect(commonTypes(before, added)).toEqual(expected);
  });
});
