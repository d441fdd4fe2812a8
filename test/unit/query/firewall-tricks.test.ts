// What people try against a service that runs their SQL: each class of it, in the ways that have got through elsewhere.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askHere } from '../../../lib/query/ask.ts';
import type { FileFormat } from '../../../lib/query/types.ts';
import { aDataset, codeOf, type Dataset, faultOf, left } from './world.ts';

let data: Dataset;
beforeAll(async () => {
  data = await aDataset();
});
afterAll(() => data[Symbol.asyncDispose]());

const run = (sql: string) => askHere('rows', { sql }, data.world);
const codes = (sqls: readonly string[]) => Promise.all(sqls.map(async (sql) => [sql, await codeOf(run(sql))]));
const each = (sqls: readonly string[], code: string) => sqls.map((sql) => [sql, code]);

describe('what reads outside the dataset is refused', () => {
  it.each<[string, readonly string[]]>([
    [
      'readers of files, in every spelling of a call',
      [
        "select * from read_ndjson('/etc/passwd')",
        "select * from read_ndjson_objects('/etc/passwd')",
        "select * from read_json_objects('/etc/passwd')",
        "select * from read_json_auto('x')",
        "select * from main.read_csv('/etc/passwd')",
        `select * from "main"."read_csv"('/etc/passwd')`,
        "select * from parquet_schema('x.parquet')",
        "select * from parquet_file_metadata('x.parquet')",
        "select * from parquet_kv_metadata('x.parquet')",
        "select * from parquet_bloom_probe('x.parquet', 'a', 1)",
        "select * from parquet_full_metadata('x.parquet')",
        "select * from read_blob(['/etc/passwd', '/etc/hosts'])",
        'select * from read_text($$/etc/passwd$$) as t(a, b, c, d)',
        "select * from sales positional join read_text('/etc/passwd')",
        "select * from sales asof join read_text('/etc/passwd') r on sales.id >= r.size",
        "select * from sales semi join glob('/*') g on true",
        "select 1 from sales where exists (select 1 from sales s, lateral (from read_text('/etc/' || s.city)) r)",
        "from (values ((select content from read_text('/etc/passwd')))) t(a)",
        "select {'a': (select content from read_text('/etc/passwd'))}",
        "select [x for x in (select [content] from read_text('/etc/passwd'))]",
        "select id from sales group by (select content from read_text('/etc/passwd')), id",
        "select id from sales qualify row_number() over (order by (select count(*) from glob('/*'))) = 1",
        "with recursive r as (select 1 a union all select a + 1 from r, read_text('/etc/passwd')) from r",
        "with a as materialized (from read_text('/etc/passwd')), b as (select 1) from b",
        "select columns(c -> (select count(*) from glob('/*')) > 0) from sales",
        "from (unpivot (from read_text('/etc/passwd')) on content into name n value v)",
      ],
    ],
    [
      'files and addresses in the place of a table',
      [
        "select * from 'file:///etc/passwd'",
        "select * from 'http://169.254.169.254/latest/meta-data'",
        "select * from 'hf://datasets/a/b/x.parquet'",
        "select * from 'gcs://b/x.parquet'",
        "select * from 'az://b/x.parquet'",
        "select * from '/proc/self/environ'",
        `select * from "/proc/self/environ"`,
        "select * from '../sales-0.parquet'",
        "select * from 'x.csv.gz'",
        "select * from 'x.json' as sales",
        'select * from "sales-0.parquet"',
        "table 'x.parquet'",
        "from '~/.aws/credentials'",
        "pivot 'x.csv' on a in (1) using count(*)",
      ],
    ],
    [
      'other databases, other engines and pointers into memory',
      [
        "select * from sqlite_scan('x.db', 't')",
        "select * from postgres_query('x', 'select 1')",
        "select * from mysql_scan('x', 'y', 'z')",
        "select * from iceberg_scan('s3://x')",
        "select * from delta_scan('s3://x')",
        "select * from st_read('x.shp')",
        "select * from read_xlsx('x.xlsx')",
        'select * from arrow_scan(1::pointer, 1::pointer, 1::pointer)',
        'select * from arrow_scan_dumb(1, 1, 1)',
        'select * from pandas_scan(1)',
        'select * from seq_scan(1)',
        'select * from memory.main.duckdb_tables',
        'select * from other.main.sales',
        'select * from system.information_schema.tables',
      ],
    ],
    [
      'what the engine says of itself, and what changes it',
      [
        'select * from duckdb_functions()',
        'select * from duckdb_extensions()',
        'select * from duckdb_variables()',
        'select * from duckdb_logs()',
        'select * from duckdb_external_file_cache()',
        'select * from duckdb_memory()',
        'select * from pragma_version()',
        'select * from pragma_platform()',
        'select * from pragma_storage_info(1)',
        "select * from pragma_show('sales')",
        'select * from pragma_user_agent()',
        'select * from pg_timezone_names()',
        'select * from icu_calendar_names()',
        'select * from checkpoint()',
        'select * from force_checkpoint()',
        'select * from enable_logging()',
        'select * from enable_profiling()',
        "select * from add_parquet_key('a', 'b')",
        'select * from truncate_duckdb_logs()',
        'select * from test_all_types()',
        'select * from test_vector_types(1)',
        'select * from summary(1)',
        'select * from sqlite_schema',
        'select * from duckdb_columns',
      ],
    ],
  ])('%s', async (_what, sqls) => {
    expect(await codes(sqls)).toEqual(each(sqls, 'SQL_FORBIDDEN'));
  });
});

describe('comments, spaces and letters that look like others change nothing', () => {
  const hidden = [
    "select/**/*/**/from/**/read_text/**/('/etc/passwd')",
    "select * from read_text -- '\n ('/etc/passwd')",
    "select * from ReAd_TeXt('/etc/passwd')",
    'select * from U&"read_text"(\'/etc/passwd\')',
    "/* select 1 */ select * from read_text('/etc/passwd') /* ; */",
    "--\nselect * from read_text('/etc/passwd')--",
    "\ufeffselect * from read_text('/etc/passwd')",
    "select\u00a0*\u2003from\u3000read_text('/etc/passwd')",
    "select * from read_text\u200b('/etc/passwd')",
    "select * from read_te\u0445t('/etc/passwd')",
    "\uff33\uff25\uff2c\uff25\uff23\uff34 * from read_text('/etc/passwd')",
    "select * from \u202etxet_daer('/etc/passwd')",
    "select * from read_\u0074ext(e'\\x2fetc\\x2fpasswd')",
    "select * from read_text('/etc/passwd') \u0000",
    "select * from READ_CS\u0056('/etc/passwd')",
    'select * from "read_text\u0000"(\'/etc/passwd\')',
    "select * from read_text('/etc/pass' || 'wd')",
    "select * from query(chr(115) || 'elect 1')",
    'select * from "\u0131nformation_schema".tables',
    'select * from \u212aing',
    "sel\\u0065ct * from read_text('/etc/passwd')",
    'select * from duckdb_settings\u00ad()',
  ];

  it.each(hidden)('%j is refused', async (sql) => {
    expect(await codeOf(run(sql))).toMatch(/^SQL_(FORBIDDEN|INVALID|NOT_SELECT)$/);
  });

  it('and a name that folds to a table of the dataset only outside ASCII is none of its tables', async () => {
    // The Kelvin sign and the long s become k and s where all of Unicode is folded.
    for (const sql of ['from \u017fales', 'from "\u017fales"', 'from sale\u017f'])
      expect(await codeOf(run(sql)), sql).toBe('SQL_INVALID');
    expect((await run('from SALES limit 1')).rowCount).toBe(1);
  });
});

describe('several statements are refused however they are parted', () => {
  const several = [
    'select 1;select 2',
    'select 1;\n\n;select 2;',
    'select 1/**/;/**/select 2',
    "select ';'; drop view sales",
    'select $$;$$; set threads = 4',
    'select 1;--\nset threads = 4',
    "select 1; copy (select 1) to 'x.csv'",
    'begin; select 1; commit',
    "select 1; attach 'x.db'",
    'with a as (select 1) select * from a; install httpfs',
    'explain select 1; select 2',
    "set variable x = 1; select getvariable('x')",
    'create macro f() as table select 1; from f()',
    "create temp macro f(a) as (select content from read_text(a)); select f('/etc/passwd')",
    'prepare p as select $1; execute p(1)',
    "pragma enable_external_access = 'true'; select 1",
    "set enable_external_access = true; from '/etc/passwd'",
    "reset allowed_paths; from '/etc/passwd'",
    "load 'httpfs'; select 1",
    'use memory; select 1',
    'call enable_logging(); select 1',
  ];

  it.each(several)('%j', async (sql) => {
    expect(await codeOf(run(sql))).toBe('SQL_NOT_SELECT');
  });
});

describe('no way of asking has a wall less than another', () => {
  const into = (format: FileFormat, name: string) => ({
    ...{ format, rows: 5, bytes: 100_000 },
    path: join(data.spill, name),
  });

  it.each([
    ["select * from read_text('/etc/passwd')", 'SQL_FORBIDDEN'],
    ['select * from duckdb_settings()', 'SQL_FORBIDDEN'],
    ["select current_setting('allowed_paths')", 'SQL_FORBIDDEN'],
    ["copy sales to 'x.csv'", 'SQL_NOT_SELECT'],
    ['select 1; select 2', 'SQL_NOT_SELECT'],
    ['select 1 limit ?', 'SQL_INVALID'],
    ["select 1 as a) to '/tmp/elsewhere.csv' (format csv); --", 'SQL_INVALID'],
    ["select 1 as a\n) as result(c0)) to '/tmp/elsewhere.csv' --", 'SQL_INVALID'],
    ["select 1 as a /* ) to '/tmp/elsewhere.csv'", 'SQL_INVALID'],
    ['analyze select 1', 'SQL_INVALID'],
    ['(format json) select 1', 'SQL_INVALID'],
  ])('%s', async (sql, code) => {
    const asked = [askHere('check', { sql }, data.world), askHere('plan', { sql }, data.world)];
    const files = (['csv', 'ndjson', 'json', 'rows', 'parquet'] as const).map((format) =>
      askHere('file', { sql, into: into(format, format) }, data.world),
    );
    expect(new Set(await Promise.all([...asked, ...files].map(codeOf)))).toEqual(new Set([code]));
    expect(await left(data.spill)).toEqual([]);
  });

  it('and the file that is being written cannot be read', async () => {
    const path = join(data.spill, 'own');
    const sqls = [`select * from '${path}'`, `select * from read_parquet('${path}')`, `select * from "${path}"`];
    for (const sql of sqls) {
      const fault = await faultOf(
        askHere('file', { sql, into: { format: 'parquet', path, rows: 5, bytes: 1000 } }, data.world),
      );
      expect(fault?.code).toBe('SQL_FORBIDDEN');
    }
    expect(await readdir(data.spill)).toEqual([]);
  });
});

describe('an answer has room, whatever the SQL says', () => {
  const stars = (depth: number) =>
    `select * from ${'(select *, * from '.repeat(depth)}(select 1 as a_rather_long_name)${')'.repeat(depth)}`;

  it.each([
    ['a message of a megabyte', "select error(repeat('x', 1000000))"],
    ['a value of a megabyte in a message', "select repeat('x', 1000000)::int"],
    ['a table of 60,000 letters', `select * from "${'x'.repeat(60_000)}"`],
    ['a function of 60,000 letters', `select ${'f'.repeat(60_000)}(1)`],
    ['a table function of 60,000 letters', `from ${'f'.repeat(60_000)}(1)`],
    ['a column of 60,000 letters', `select "${'x'.repeat(60_000)}" from sales`],
  ])('%s is cut', async (_what, sql) => {
    const fault = await faultOf(run(sql));
    expect(fault?.code).toMatch(/^SQL_/);
    expect(fault?.detail.length).toBeLessThan(2100);
  });

  it('columns without end are refused, in every way of asking', async () => {
    const world = { ...data.world, limits: { ...data.world.limits, resultBytes: 20_000 } };
    const request = { sql: stars(10), into: into20('csv') };
    for (const want of ['rows', 'check', 'file'] as const)
      expect(await codeOf(askHere(want, request, world)), want).toBe('RESULT_TOO_LARGE');
    expect(await codeOf(askHere('plan', { sql: `${stars(10)} where random() < 1` }, world))).toBe('RESULT_TOO_LARGE');
    expect(await codeOf(askHere('rows', { sql: stars(3) }, world))).toBe('answered');
  });
  const into20 = (format: FileFormat) => ({ format, rows: 5, bytes: 100_000, path: join(data.directory, 'columns') });
});
