// Every value of a Parquet file is read once when it is taken: a file that breaks in the middle is refused here and not met by a query later.
// Readers pass over pages by the statistics that stand beside them. Where those do not hold, queries would be answered wrongly in silence, so
// they are proven in the same scan.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import { numberedRows, unusedName } from './numbered-rows.ts';
import type { SchemaColumns } from './tops.ts';

/** Columns that a statement asks at once, and bytes of a page of each together, of which a thread holds some as they are stored and as they are read. */
const [COLUMNS_AT_ONCE, PAGES_AT_ONCE] = [64, 24 * 2 ** 20];
/** Of a page, for one that is not known: larger ones are few, or were cut before. */
const PAGE_BYTES = 2 ** 20;

/** Types whose statistics DuckDB prints as text that reads back as the value. */
const compared =
  /^(U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN|DATE|TIME|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?|VARCHAR)$/;

interface Checked extends Column {
  /** Its place among the leaves of the schema. */
  readonly leaf: number;
  /** Bytes of a page of it, at most. */
  readonly page: number;
}

/** Columns of one value each that have statistics. */
async function checkedColumns(engine: Engine, path: string, { columns, tops }: SchemaColumns): Promise<Checked[]> {
  const rows = await engine.rows(
    `SELECT column_id, max(total_uncompressed_size) AS bytes FROM parquet_metadata(${literal(path)})
      WHERE coalesce(stats_min_value, stats_max_value) IS NOT NULL GROUP BY column_id`,
  );
  const pages = new Map(rows.map((row) => [Number(row['column_id']), Math.min(PAGE_BYTES, Number(row['bytes']))]));
  return columns.flatMap((column, place): Checked[] => {
    const leaf = tops[place]?.leaf;
    const page = leaf === undefined ? undefined : pages.get(leaf);
    return leaf === undefined || page === undefined || !compared.test(column.type) ? [] : [{ ...column, leaf, page }];
  });
}

/** In their order, as many together as are asked at once. None is empty. */
function atOnce(checked: readonly Checked[]): Checked[][] {
  const groups: Checked[][] = [];
  let bytes = Infinity;
  for (const column of checked) {
    const last = groups.at(-1);
    bytes += column.page;
    if (last !== undefined && last.length < COLUMNS_AT_ONCE && bytes <= PAGES_AT_ONCE) last.push(column);
    else {
      groups.push([column]);
      bytes = column.page;
    }
  }
  return groups;
}

/** Rows in a scan, and their number in the file's groups. */
interface Grouped {
  /** SQL of the rows. */
  readonly from: string;
  /** Its column with the place of the row's group; NULL of a row in none. */
  readonly group: string;
}

/**
 * By division where all row groups but the last are of one size, else by a join in which the file's rows pass by, since DuckDB would keep all of
 * them for one by order.
 */
async function groupedRows(engine: Engine, path: string, columns: readonly Column[]): Promise<Grouped> {
  const group = unusedName('row_group', columns);
  const groups = `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${literal(path)})`;
  const row = await engine.row(
    `SELECT max(row_group_num_rows) AS size, count(DISTINCT row_group_num_rows) FILTER (row_group_id < last) AS sizes,
       max(row_group_num_rows) FILTER (row_group_id = 0) AS first, ceil(avg(row_group_num_rows))::BIGINT AS usual
     FROM (SELECT *, max(row_group_id) OVER () AS last FROM (${groups}))`,
  );
  const { from, number } = numberedRows(path, columns);
  if (Number(row['sizes']) <= 1 && Number(row['first']) === Number(row['size']))
    return { from: `(SELECT *, ${number} // ${Math.max(1, Number(row['size']))} AS ${group} FROM ${from})`, group };
  const stretch = Math.max(1, Number(row['usual']));
  await engine.run(
    `CREATE OR REPLACE TEMP TABLE millrace_stretches AS
     SELECT row_group_id, first, first + row_group_num_rows AS behind,
       unnest(range(first // ${stretch}, (first + row_group_num_rows - 1) // ${stretch} + 1)) AS stretch
     FROM (SELECT *, (sum(row_group_num_rows) OVER (ORDER BY row_group_id))::BIGINT - row_group_num_rows AS first FROM (${groups}))`,
  );
  const joined = `(SELECT f.*, s.row_group_id AS ${group} FROM ${from} f LEFT JOIN millrace_stretches s
    ON f.${number} // ${stretch} = s.stretch AND f.${number} >= s.first AND f.${number} < s.behind)`;
  return { from: joined, group };
}

/** NaN is in no statistics. */
const counted = ({ name, type }: Column): string =>
  /^(FLOAT|DOUBLE)$/.test(type) ? `nullif(${identifier(name)}, 'NaN'::${type})` : identifier(name);

/** Columns of which nothing is said to prove: every value of them is read. Answers how many rows there are; undefined of no columns. */
async function readColumns(engine: Engine, path: string, columns: readonly Column[]): Promise<number | undefined> {
  const most = PAGES_AT_ONCE / PAGE_BYTES;
  let rows: number | undefined;
  for (let from = 0; from < columns.length; from += most) {
    const names = columns.slice(from, from + most).map(({ name }) => identifier(name));
    const row = await engine.row(
      `SELECT count(*) AS row_count, bit_xor(hash(${names.join(', ')})) AS read FROM read_parquet(${literal(path)})`,
    );
    rows = Number(row['row_count']);
  }
  return rows;
}

/** How many rows there are, and the first column whose values are not as is said. */
async function scan(engine: Engine, path: string, { from, group }: Grouped, checked: readonly Checked[]) {
  const found = checked.flatMap((column, at) => [
    `min(${counted(column)}) AS min_${at}`,
    `max(${counted(column)}) AS max_${at}`,
    `count(*) - count(${identifier(column.name)}) AS nulls_${at}`,
  ]);
  const said = checked.flatMap(({ leaf, type }, at) => {
    const of = (value: string, as: string): string => `TRY_CAST(max(${value}) FILTER (column_id = ${leaf}) AS ${as})`;
    return [
      `${of('stats_min_value', type)} AS low_${at}, ${of('stats_max_value', type)} AS high_${at}`,
      `${of('stats_null_count', 'BIGINT')} AS blank_${at}`,
    ];
  });
  const lies = checked.map(
    (_, at) => `bool_or(coalesce(min_${at} < low_${at}, false) OR coalesce(max_${at} > high_${at}, false)
      OR coalesce(nulls_${at} <> blank_${at}, false)) AS lies_${at}`,
  );
  const row = await engine.row(
    `SELECT sum(row_count)::BIGINT AS row_count, ${lies.join(', ')}
     FROM (SELECT ${group}, count(*) AS row_count, ${found.join(', ')} FROM ${from} GROUP BY ${group})
     LEFT JOIN (SELECT row_group_id AS ${group}, ${said.join(', ')} FROM parquet_metadata(${literal(path)}) GROUP BY row_group_id)
     USING (${group})`,
  );
  return { rows: Number(row['row_count'] ?? 0), liar: checked.find((_, at) => row[`lies_${at}`] === true)?.name };
}

async function countedRows(engine: Engine, path: string, columns: SchemaColumns): Promise<number> {
  const checked = await checkedColumns(engine, path, columns);
  const names = new Set(checked.map(({ name }) => name));
  const others = columns.columns.filter(({ name }) => !names.has(name));
  let rows = (await readColumns(engine, path, others)) ?? 0;
  if (checked.length === 0) return rows;
  // By them DuckDB would answer from the statistics what is asked to prove them.
  await engine.run("SET disabled_optimizers = 'statistics_propagation'");
  const grouped = await groupedRows(engine, path, columns.columns);
  for (const some of atOnce(checked)) {
    const found = await scan(engine, path, grouped, some);
    ({ rows } = found);
    if (found.liar === undefined) continue;
    const what = `The values of column ${JSON.stringify(found.liar)} are not as the statistics of the Parquet file say; it is damaged, or written wrongly.`;
    throw new Fault('PARSE_ERROR', what, { extra: { column: found.liar } });
  }
  return rows;
}

/**
 * Answers how many rows there are. Throws the Fault PARSE_ERROR where they are not as many as the file promises, and where the values of a row
 * group are not as its statistics say; what DuckDB says of a file that it cannot read.
 */
export async function readThrough(engine: Engine, path: string, columns: SchemaColumns): Promise<number> {
  const { num_rows: promised } = await engine.row(
    `SELECT sum(num_rows)::BIGINT AS num_rows FROM parquet_file_metadata(${literal(path)})`,
  );
  const rows = await countedRows(engine, path, columns);
  if (rows === Number(promised)) return rows;
  throw new Fault('PARSE_ERROR', `The metadata promises ${Number(promised)} rows, ${rows} are there.`);
}
