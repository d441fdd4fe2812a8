import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runQuery } from '../../../lib/query/run-query.ts';
import { aDataset, codeOf, type Dataset, faultOf } from './world.ts';

vi.setConfig({ testTimeout: 30_000 });

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const run = (sql: string) => runQuery({ sql }, data.world);

describe('one SELECT over the tables of the dataset is answered', () => {
  it.each([
    'select count(*) from sales',
    'SELECT count(*) FROM "SALES"',
    'from sales select max(id) limit 1',
    'table empty',
    'values (1), (2)',
    'select 1;',
    '-- a comment\nselect /* set threads=1; drop table x */ 1 /* ; */ ;;',
    'with a as (select id from sales), b as (select * from a) select count(*) from b, (with c as (select 1) select * from a, c limit 1)',
    'with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select sum(n) from r',
    'with recursive r(a, b) using key (a) as (select 1, 2 union select r.a + 1, r.b from r, recurring.r k where r.a < 3 and k.a = r.a) select * from r',
    'select * from main.sales limit 1',
    'select s.city, sum(price) over (partition by city order by id) from sales s qualify row_number() over () < 3',
    "select * from (pivot sales on city in ('city 1', 'city 2') using count(*)) limit 2",
    'select (select max(id) from sales), exists(from empty), [x + 1 for x in range(3)], list_transform([1], lambda x: x * 2)',
    'select * from range(3) r(n), generate_series(1, 2), unnest([1, 2])',
    `select key, value from json_each('{"a": 1}')`,
    'select id from sales union all select id from sales intersect select 1 order by all limit 3 offset 1',
    "select current_date is not null, now() is not null, columns('^i.*') from sales using sample 3 rows",
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql))).toBe('answered');
  });
});

describe('whatever is not one SELECT is refused', () => {
  it.each([
    'select 1; select 2',
    'select 1; drop view sales',
    ';',
    '-- nothing',
    'create table t (i int)',
    'create or replace view sales as select 1',
    'create macro f() as 1',
    'create temp table t as select 1',
    'insert into sales values (1)',
    'update sales set id = 1',
    'delete from sales',
    'drop view sales',
    "copy sales to '/tmp/x.csv'",
    "copy (select 1) to '/tmp/x.csv'",
    "export database '/tmp/x'",
    "import database '/tmp/x'",
    "attach '/tmp/x.db' as x",
    'detach memory',
    'use memory',
    'install httpfs',
    'load httpfs',
    'force install httpfs from community',
    'set threads = 1',
    'set global threads = 1',
    'reset threads',
    'set variable x = 1',
    'pragma database_list',
    'pragma threads=1',
    "pragma import_database('/tmp/x')",
    'call pragma_version()',
    'explain select 1',
    'explain analyze select 1',
    'describe sales',
    'describe select 1',
    'show tables',
    'show all tables',
    'show databases',
    'summarize sales',
    'select * from (describe sales)',
    'select * from (show tables)',
    'with a as (select 1) select * from (summarize sales)',
    'prepare p as select 1',
    'execute p',
    'deallocate p',
    'begin',
    'commit',
    'checkpoint',
    'vacuum',
    'analyze',
    "comment on view sales is 'x'",
    'create secret s (type s3)',
    'alter view sales rename to x',
    'pivot sales on city using count(*)',
    'SeLeCt 1 /* a */ ; /* b */ sEt threads = 1',
    'select 1\u00a0;\u2003drop view sales',
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql))).toBe('SQL_NOT_SELECT');
  });
});

describe('nothing but the tables of the dataset can be read', () => {
  it.each([
    "select * from '/etc/passwd'",
    "select * from 'x.parquet'",
    'select * from "x.csv"',
    "select * from 's3://bucket/x.parquet'",
    "select * from 'https://example.com/x.csv'",
    "select * from '*.json'",
    "select * from read_csv('/etc/passwd')",
    "select * from READ_CSV_AUTO('/etc/passwd')",
    'select * from "read_text"(\'/etc/passwd\')',
    "select * from/**/read_blob('/etc/passwd')",
    "select * from read_parquet('x.parquet')",
    "select * from parquet_scan('x.parquet')",
    "select * from parquet_metadata('x.parquet')",
    "select * from read_json('x.json')",
    "select * from system.main.read_text('/etc/passwd')",
    "select * from sniff_csv('x.csv')",
    "select * from glob('/etc/*')",
    "select * from read_duckdb('x.db')",
    'select (select content from read_text($$/etc/passwd$$))',
    "select * from sales where city in (select content from read_text('/etc/passwd'))",
    "select * from sales, lateral (select * from read_text('/etc/passwd'))",
    "with a as (select * from read_text('/etc/passwd')) select 1",
    "select 1 order by (select content from read_text('/etc/passwd'))",
    "select 1 limit (select count(*) from glob('*'))",
    "select count(*) filter (where exists (from glob('*'))) from sales",
    "select sum(id) over (order by (select count(*) from glob('*'))) from sales",
    "select list_transform([1], lambda x: (select count(*) from glob('*')))",
    "select * from (pivot (from glob('*')) on file in ('a') using count(*))",
    "select case when true then (from glob('*')) end",
    "select 1 union all (select 1 from glob('*'))",
    'select * from information_schema.tables',
    'select * from INFORMATION_SCHEMA.columns',
    'select * from duckdb_settings',
    'select * from duckdb_settings()',
    'select * from duckdb_secrets()',
    'select * from duckdb_views()',
    'select * from duckdb_temporary_files()',
    'select * from sqlite_master',
    'select * from pg_catalog.pg_class',
    'select * from system.main.duckdb_tables',
    'select * from pragma_database_list',
    "select * from pragma_table_info('sales')",
    'select * from temp.main.sales',
    'select * from main.duckdb_views',
    'with main as (select 1) select * from main.duckdb_views',
    "select current_setting('memory_limit')",
    "select CURRENT_SETTING('temp_directory')",
    "select system.main.current_setting('threads')",
    "select ('threads').current_setting()",
    'select list_transform([1], lambda x: getvariable(x))',
    "select getenv('AWS_SECRET_ACCESS_KEY')",
    "select * from which_secret('s3://x', 's3')",
    "select * from query('select 1')",
    "select * from query_table('duckdb_settings')",
    "select * from histogram('duckdb_settings', 'name')",
    "select * from json_execute_serialized_sql('{}')",
    "select json_serialize_plan('select * from read_text(''x'')')",
    'select pg_get_viewdef(oid) from range(3) t(oid)',
    "select write_log('x')",
    "select * from sql_auto_complete('se')",
    'select sleep_ms(1)',
    'select pg_sleep(1)',
    "select nextval('s')",
    'select __internal_decompress_string(1)',
    'select sum(id) export_state from sales',
    'select finalize(1)',
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql))).toBe('SQL_FORBIDDEN');
  });
});

describe('a common table expression opens no way to a catalogue view of its name', () => {
  it.each([
    'with duckdb_settings as (select * from duckdb_settings) select * from duckdb_settings',
    'with recursive duckdb_settings as (select * from duckdb_settings) select * from duckdb_settings',
    'with recursive pg_class as (select oid from pg_class union all select oid from pg_class) select * from pg_class',
    'with pg_class as (from duckdb_views), duckdb_views as (select 1) select * from pg_class',
    'select * from (with duckdb_settings as (select 1) select 1), duckdb_settings',
    'select * from duckdb_settings where 1 in (with duckdb_settings as (select 1) select 1)',
    '(with pg_class as (select 1) select 1) union all (select oid from pg_class)',
  ])('%s', async (sql) => {
    expect(await codeOf(run(sql))).toBe('SQL_FORBIDDEN');
  });

  it('and one that is visible hides the catalogue', async () => {
    const answer = await run('with duckdb_settings as (select 42 as x) select * from duckdb_settings');
    expect(answer.rows).toEqual([[42]]);
  });
});

describe('SQL that cannot be understood says so in the words of DuckDB', () => {
  it.each([
    ['selec 1', 'syntax error at or near "selec" (line 1, column 1)'],
    ['select é,\n  nope from sales', 'Referenced column "é" not found in FROM clause!'],
    ['select\n  nope from sales', 'nope'],
    ['select * from nope', 'There is no table nope here.'],
    ['select absolute(1)', 'absolute'],
    ['select ?', 'Parameters need names'],
    ['select $1', 'Parameters need names'],
    ['select $name, ?', 'Parameters need names'],
    ["select '\ud800'", 'surrogate'],
    ['', 'empty'],
    [' \n ', 'empty'],
    ['select 1\0; drop view sales', 'NUL'],
    ["select 'never closed", 'unterminated'],
    ['with a as (delete from sales returning *) select * from a', 'CTE'],
    ['select * from sales at (version => 1)', ''],
    ["select 'x'::int", 'Could not convert'],
    ["select error('mine')", 'mine'],
  ])('%s', async (sql, words) => {
    const fault = await faultOf(run(sql));
    expect(fault?.code).toBe('SQL_INVALID');
    expect(fault?.detail).toContain(words);
  });

  it('with the line and column in characters', async () => {
    const fault = await faultOf(run("select 'é',\n 'ö' || nope from sales"));
    expect(fault?.extra).toEqual({ line: 2, column: 9 });
  });

  it('and never a local path', async () => {
    const faults = await Promise.all(
      ['select * from sales where city::int = 1', 'select id.x.y from sales', 'select filename from sales'].map((sql) =>
        faultOf(run(sql)),
      ),
    );
    expect(faults.map((fault) => fault?.code)).toEqual(['SQL_INVALID', 'SQL_INVALID', 'SQL_INVALID']);
    for (const fault of faults) expect(JSON.stringify([fault?.detail, fault?.extra])).not.toContain(data.directory);
  });
});

describe('the parse is bounded', () => {
  it.each([
    ['10,000 parentheses', `select ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['5,000 nested subqueries', `select * from ${'(from '.repeat(5000)}(select 1)${')'.repeat(5000)}`],
    ['5,000 scalar subqueries', `select ${'(select '.repeat(5000)}1${')'.repeat(5000)}`],
    ['20,000 signs', `select ${'- '.repeat(20_000)}1`],
    ['5,000 nested lists', `select ${'['.repeat(5000)}1${']'.repeat(5000)}`],
    ['10,000 terms', `select 1${'+1'.repeat(10_000)}`],
    ['more than 64 KiB', `select '${'x'.repeat(65_536)}'`],
  ])('%s', async (_what, sql) => {
    expect(await codeOf(run(sql))).toBe('SQL_INVALID');
    expect((await run('select 1')).rows).toEqual([[1]]);
  });

  it('800 selects side by side are one SELECT', async () => {
    expect(await codeOf(run(`select 1${' union all select 1'.repeat(800)}`))).toBe('answered');
  });
});
