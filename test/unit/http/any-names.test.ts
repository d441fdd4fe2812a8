// Names that objects of the language have already, wherever a user may give one: each is a name as any other.
import { describe, expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then'];
const json = (name: string, value: string): string => `{"${name}":${value}}`;
const typed = { headers: { 'content-type': 'application/json' } };

describe('a name that objects have', () => {
  it('is that of a column, and of types, keys and annotations of one', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    const types = `{"types":{${names.map((name) => `"${name}":"VARCHAR"`).join(',')}}}`;
    await app.upload(dataset, 't.csv', `${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`, {
      options: types,
    });
    const { t } = await app.tables(dataset);
    expect(t.columns.map((each: { name: string; type: string }) => [each.name, each.type])).toEqual(
      names.map((name) => [name, 'VARCHAR']),
    );
    const asked = { table: 't', mode: 'upsert', keys: '["__proto__"]', options: types };
    await app.upload(
      dataset,
      'u.csv',
      `${names.join(',')}\n${names.map((_, at) => (at === 0 ? 0 : 'x')).join(',')}\n`,
      asked,
    );
    expect((await app.query(dataset, 'SELECT * FROM t')).body.rows).toEqual([['0', ...names.slice(1).map(() => 'x')]]);
    for (const column of names) {
      const place = `/v1/datasets/${dataset}/tables/${t.id}/annotation?${new URLSearchParams({ column }).toString()}`;
      expect((await app.send('PUT', place, { json: { description: column } })).status).toBe(201);
    }
    const annotated = (await app.tables(dataset))['t'].columns;
    expect(annotated.map((each: { annotation: object }) => each.annotation)).toMatchObject(
      names.map((description) => ({ description })),
    );
  });

  it.each(names)('is that of a field, a member, a parameter and a job: %s', async (name) => {
    await using app = await startIngestApp();
    const dataset = await app.dataset(name);
    const send = (path: string, body: string) => app.send('POST', path, { body, ...typed });
    const query = `/v1/datasets/${dataset}/query`;
    const struct = `SELECT {'${name}': 1.5::FLOAT, b: [{'${name}': '1'::JSON}]} AS s, union_value("${name}" := '{}'::JSON) AS u, map {'${name}': 1} AS m, 2 AS "${name}"`;
    const { body } = await app.query(dataset, struct);
    const [row] = body.rows;
    expect(JSON.stringify(row)).toBe(
      `[${json(name, '1.5').slice(0, -1)},"b":[${json(name, '1')}]},{"tag":"${name}","value":{}},${json(name, '1')},2]`,
    );
    expect(body.columns[0].type).toBe(`STRUCT("${name}" FLOAT, "b" STRUCT("${name}" JSON)[])`);
    const param = await send(query, `{"sql":"SELECT $${name} AS x","params":${json(name, '1')}}`);
    expect(param.body.rows).toEqual([[1]]);
    const saved = await app.send('PUT', `/v1/datasets/${dataset}/saved-queries/q`, {
      body: `{"sql":"SELECT $${name} AS x","parameters":${json(name, '{"type":"BIGINT"}')}}`,
      ...typed,
    });
    expect([saved.status, JSON.stringify(saved.body.parameters)]).toEqual([201, json(name, '{"type":"BIGINT"}')]);
    const run = await send(`/v1/datasets/${dataset}/saved-queries/q/run`, `{"params":${json(name, '7')}}`);
    expect(run.body.rows).toEqual([[7]]);
    const wrong = await send(query, `{"sql":"SELECT 1","params":${json(name, '[]')}}`);
    expect([wrong.body.code, wrong.body.errors[0].pointer]).toEqual(['VALIDATION_FAILED', `#/params/${name}`]);
    const ingest = await app.upload(dataset, 'x.json', `[${json(name, '1')},${json(name, json(name, '"x"'))}]`);
    expect(ingest.status).toBe('succeeded');
    const rows = await app.query(dataset, 'SELECT * FROM x');
    expect(JSON.stringify(rows.body.rows)).toBe(`[[1],[${json(name, '"x"')}]]`);
  });
});
