// Rows with a value that does not fit a type which the caller asks for. All columns of a slice are judged in one scan, and what was found is
// kept beside the rows: a judgement that each statement about the other rows makes anew takes longer to plan than the rows take to read.
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import { bySlice, columnAt, type Rows, type Slice, type TextTable } from './relation.ts';
import { isMisfit, type TypedColumn, withSeen } from './seen-values.ts';

export interface Misfit {
  /** From 1. */
  readonly row: number;
  /** Of the column. */
  readonly index: number;
  readonly value: string;
}

/** A Parquet file with a row for each row of what was judged: the first column whose value does not fit, and that value; NULL where all do. */
export interface Verdicts {
  readonly path: string;
}

const VALUE_CHARACTERS = 200;

/** SQL for the verdicts on some columns of a slice. */
function verdictsOn(table: Pick<TextTable, 'emptyIsNull' | 'columns'>, from: string, columns: readonly TypedColumn[]) {
  const places = columns.map((column) => `WHEN ${isMisfit(column)} THEN ${column.index}`);
  const values = columns.map(({ index }) => `WHEN ${index} THEN ${columnAt(index)}`);
  return `SELECT place, left(CASE place ${values.join(' ')} END, ${VALUE_CHARACTERS}) AS "value"
    FROM (SELECT *, CASE ${places.join(' ')} END AS place FROM ${withSeen(table, from, columns)})`;
}

const readVerdicts = ({ path }: Verdicts): string =>
  `(SELECT place, "value", file_row_number + 1 AS row_number FROM read_parquet(${literal(path)}, file_row_number = true))`;

/** The first of each row, of verdicts on columns that follow one another. */
function firstOfEach(verdicts: readonly Verdicts[]): string {
  const firstOf = (name: string): string => `coalesce(${verdicts.map((_, at) => `of_${at}.${name}`).join(', ')})`;
  const from = verdicts.map((each, at) => `${readVerdicts(each)} AS of_${at}`).join(' POSITIONAL JOIN ');
  return `SELECT ${firstOf('place')} AS place, ${firstOf('"value"')} AS "value" FROM ${from}`;
}

/** Judges all of the rows by the columns, which rise and are at least one. */
export async function judge(
  engine: Engine,
  table: Pick<TextTable, 'emptyIsNull' | 'columns'>,
  rows: Rows,
  columns: readonly TypedColumn[],
): Promise<Verdicts> {
  const folder = await engine.makeFolder();
  const write = async (sql: string, name: string): Promise<Verdicts> => {
    const path = join(folder, `${name}.parquet`);
    await engine.run(`COPY (${sql}) TO ${literal(path)} (FORMAT parquet)`);
    return { path };
  };
  const verdicts: Verdicts[] = [];
  for (const { slice, items } of bySlice(rows, columns, { indexOf: ({ index }) => index }))
    verdicts.push(await write(verdictsOn(table, slice.from, items), String(slice.first)));
  return verdicts.length === 1 ? must(verdicts[0], 'verdicts') : write(firstOfEach(verdicts), 'all');
}

export async function countMisfits(engine: Engine, verdicts: Verdicts): Promise<number> {
  const { count } = await engine.row(`SELECT count(place) AS count FROM ${readVerdicts(verdicts)}`);
  return Number(count);
}

/** In the order of the rows. */
export async function firstMisfits(engine: Engine, verdicts: Verdicts, most: number): Promise<Misfit[]> {
  const found = await engine.rows(
    `SELECT * FROM ${readVerdicts(verdicts)} WHERE place IS NOT NULL ORDER BY row_number LIMIT ${most}`,
  );
  return found.map(({ row_number: row, place, value }) => ({
    ...{ row: Number(row), index: Number(place) },
    value: typeof value === 'string' ? value : '',
  }));
}

/** The rows in which all values fit, each with the number that it has among all. */
export const fittingRows = (rows: Rows, verdicts: Verdicts): Slice[] =>
  rows.map((slice) => {
    const from = `FROM ${slice.from} AS given POSITIONAL JOIN ${readVerdicts(verdicts)} AS verdicts WHERE place IS NULL`;
    return { ...slice, from: `(SELECT given.* ${from})`, numbered: `(SELECT given.*, row_number ${from})` };
  });
