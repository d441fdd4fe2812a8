// Readers of Parquet pass over pages by the statistics that stand beside them. Where those do not hold, queries would be answered wrongly in
// silence, so they are proven when a file is taken.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import { numberedRows, unusedName } from './numbered-rows.ts';
import type { SchemaColumns } from './tops.ts';

/** Columns that a statement asks at once. */
const COLUMNS_AT_ONCE = 64;

/** Types whose statistics DuckDB prints as text that reads back as the value. */
const compared =
  /^(U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN|DATE|TIME|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?|VARCHAR)$/;

interface Checked extends Column {
  /** Its place among the leaves of the schema. */
  readonly leaf: number;
}

/** Columns of one value each that have statistics. */
async function checkedColumns(engine: Engine, path: string, { columns, tops }: SchemaColumns): Promise<Checked[]> {
  const rows = await engine.rows(
    `SELECT DISTINCT column_id FROM parquet_metadata(${literal(path)})
      WHERE coalesce(stats_min_value, stats_max_value) IS NOT NULL`,
  );
  const leaves = new Set(rows.map((row) => Number(row['column_id'])));
  return columns.flatMap((column, place): Checked[] => {
    const leaf = tops[place]?.leaf;
    return leaf === undefined || !leaves.has(leaf) || !compared.test(column.type) ? [] : [{ ...column, leaf }];
  });
}

/**
 * SQL of the rows with the number of their row group: by division where all but the last are of one size, else by a join in which the file's
 * rows pass by, since DuckDB would keep all of them for one by order.
 */
async function groupsOf(engine: Engine, path: string, { columns }: SchemaColumns, group: string): Promise<string> {
  const groups = `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${literal(path)})`;
  const row = await engine.row(
    `SELECT max(row_group_num_rows) AS size, count(DISTINCT row_group_num_rows) FILTER (row_group_id < last) AS sizes,
       max(row_group_num_rows) FILTER (row_group_id = 0) AS first, ceil(avg(row_group_num_rows))::BIGINT AS usual
     FROM (SELECT *, max(row_group_id) OVER () AS last FROM (${groups}))`,
  );
  const { from, number } = numberedRows(path, columns);
  if (Number(row['sizes']) <= 1 && Number(row['first']) === Number(row['size']))
    return `(SELECT *, ${number} // ${Math.max(1, Number(row['size']))} AS ${group} FROM ${from})`;
  const stretch = Math.max(1, Number(row['usual']));
  await engine.run(
    `CREATE OR REPLACE TEMP TABLE millrace_stretches AS
     SELECT row_group_id, first, first + row_group_num_rows AS behind,
       unnest(range(first // ${stretch}, (first + row_group_num_rows - 1) // ${stretch} + 1)) AS stretch
     FROM (SELECT *, (sum(row_group_num_rows) OVER (ORDER BY row_group_id))::BIGINT - row_group_num_rows AS first FROM (${groups}))`,
  );
  return `(SELECT f.*, s.row_group_id AS ${group} FROM ${from} f JOIN millrace_stretches s
    ON f.${number} // ${stretch} = s.stretch AND f.${number} >= s.first AND f.${number} < s.behind)`;
}

/** NaN is in no statistics. */
const counted = ({ name, type }: Column): string =>
  /^(FLOAT|DOUBLE)$/.test(type) ? `nullif(${identifier(name)}, 'NaN'::${type})` : identifier(name);

async function liar(
  engine: Engine,
  path: string,
  { groups, group }: { readonly groups: string; readonly group: string },
  columns: readonly Checked[],
): Promise<string | undefined> {
  const found = columns.flatMap((column, at) => [
    `min(${counted(column)}) AS min_${at}`,
    `max(${counted(column)}) AS max_${at}`,
    `count(*) - count(${identifier(column.name)}) AS nulls_${at}`,
  ]);
  const said = columns.flatMap(({ leaf, type }, at) => {
    const of = (value: string, as: string): string => `TRY_CAST(max(${value}) FILTER (column_id = ${leaf}) AS ${as})`;
    return [
      `${of('stats_min_value', type)} AS low_${at}, ${of('stats_max_value', type)} AS high_${at}`,
      `${of('stats_null_count', 'BIGINT')} AS blank_${at}`,
    ];
  });
  const lies = columns.map(
    (_, at) => `bool_or(coalesce(min_${at} < low_${at}, false) OR coalesce(max_${at} > high_${at}, false)
      OR coalesce(nulls_${at} <> blank_${at}, false)) AS lies_${at}`,
  );
  const row = await engine.row(
    `SELECT ${lies.join(', ')}
     FROM (SELECT ${group}, ${found.join(', ')} FROM ${groups} GROUP BY ${group})
     JOIN (SELECT row_group_id AS ${group}, ${said.join(', ')} FROM parquet_metadata(${literal(path)}) GROUP BY row_group_id)
     USING (${group})`,
  );
  return columns.find((_, at) => row[`lies_${at}`] === true)?.name;
}

/** Throws the Fault PARSE_ERROR where the values of a row group are not as its statistics say. */
export async function requireTrueStatistics(engine: Engine, path: string, columns: SchemaColumns): Promise<void> {
  const checked = await checkedColumns(engine, path, columns);
  if (checked.length === 0) return;
  // By them DuckDB would answer from the statistics what is asked to prove them.
  await engine.run("SET disabled_optimizers = 'statistics_propagation'");
  const group = unusedName('row_group', columns.columns);
  const groups = await groupsOf(engine, path, columns, group);
  for (let from = 0; from < checked.length; from += COLUMNS_AT_ONCE) {
    const name = await liar(engine, path, { groups, group }, checked.slice(from, from + COLUMNS_AT_ONCE));
    if (name === undefined) continue;
    const what = `The values of column ${JSON.stringify(name)} are not as the statistics of the Parquet file say; it is damaged, or written wrongly.`;
    throw new Fault('PARSE_ERROR', what, { extra: { column: name } });
  }
}
