// The rows that are drawn of some columns of many rows, in a table of their own: whole ones, those whose texts are looked at, and the sample that
// distributions, shapes and guesses are taken from.
import type { Engine } from '../engine/engine.ts';
import { isDistributed } from '../profile/distribution.ts';
import { hasPatterns, startOf } from '../profile/patterns.ts';
import type { Column } from '../reading/types.ts';
import { askEach, type Batch } from './batch.ts';
import { isDrawn, lotOf } from './lots.ts';
import { type DrawnRow, isLong, isWholeRow, type Looking, ROWS_DRAWN, SAMPLE_ROWS, wantsValues } from './request.ts';
import { readTexts, textsAsked } from './texts.ts';
import { shortened } from './values.ts';

/** Rows drawn for one that is wanted, so that there are enough whatever the lots. */
const SPARE = 1.06;

/** Of each column in its place: `c0` its value, of a text no more than is looked at, and none but where it is; `h0` its hash. */
export interface DrawnRows {
  /** The name of a table. */
  readonly table: string;
  /** The name of a table with the rows of the sample, whose texts are starts as `startOf` says. */
  readonly sample: string;
}

export interface Drawing {
  /** A name that tells the tables from those of other columns. */
  readonly name: string;
  /** Whether whole rows are wanted of these columns. */
  readonly whole: boolean;
}

export async function drawRows(
  engine: Engine,
  looking: Looking,
  batch: Batch,
  { name, whole }: Drawing,
): Promise<DrawnRows> {
  const { request } = looking;
  const [table, sample] = [`drawn_${name}`, `sample_${name}`];
  const whether = whichRows(looking, batch.row, whole);
  const kept = batch.columns.map((column, place) => keptOf(looking, column, batch.values[place] ?? '', place, whether));
  await engine.run(`CREATE OR REPLACE TABLE ${table} AS
    SELECT ${batch.row} AS row${kept.join('')} FROM ${batch.from} WHERE ${any([whether.sampled, whether.told, whether.whole])}`);
  if (!wantsValues(looking)) return { table, sample };
  const columns = batch.columns.map((column, place) => {
    const shaped = hasPatterns(column) ? `, s${place} AS c${place}` : '';
    return `, h${place}${isDistributed(column.type) ? `, c${place}` : shaped}`;
  });
  await engine.run(`CREATE OR REPLACE TABLE ${sample} AS SELECT row${columns.join('')} FROM ${table}
    WHERE ${isDrawn('row', Math.ceil(SPARE * SAMPLE_ROWS), request.rowCount)} ORDER BY row LIMIT ${SAMPLE_ROWS}`);
  return { table, sample };
}

/** SQL, each. */
interface Whether {
  readonly sampled: string;
  readonly told: string;
  readonly whole: string;
}

const NO = 'false';

function whichRows(looking: Looking, row: string, whole: boolean): Whether {
  const { wanted, rowCount: rows } = looking.request;
  return {
    sampled: wantsValues(looking) ? isDrawn(row, Math.ceil(SPARE * SAMPLE_ROWS), rows) : NO,
    told: wanted.has('texts') ? isDrawn(row, looking.values, rows) : NO,
    whole: whole ? isWholeRow(looking, row) : NO,
  };
}

const any = (conditions: readonly string[]): string => conditions.filter((each) => each !== NO).join(' OR ') || NO;

/** Of long texts no more is kept than is looked at, and where it is: there are many rows in a sample. */
function keptOf(looking: Looking, column: Column, value: string, place: number, whether: Whether): string {
  const { type } = column;
  const hash = wantsValues(looking) ? `, CASE WHEN ${value} IS NOT NULL THEN hash(${value}) END AS h${place}` : '';
  if (isDistributed(type)) return `, ${value} AS c${place}${hash}`;
  const start = hasPatterns(column) && wantsValues(looking) ? `, ${startOf(value)} AS s${place}` : '';
  const shown = any([whether.whole, ...(hasPatterns(column) ? [whether.told] : [])]);
  return `, CASE WHEN ${shown} THEN ${shortened(value, type, isLong(looking, column))} END AS c${place}${start}${hash}`;
}

/** The batch of the table that the rows are in. */
export const inTable = ({ columns }: Batch, table: string): Batch => ({
  form: 'columns',
  columns,
  from: table,
  row: 'row',
  values: columns.map((_, place) => `c${place}`),
});

/** The whole rows, in the order of their lots. */
export function wholeRows(engine: Engine, looking: Looking, { columns }: Batch, table: string): Promise<DrawnRow[]> {
  const lot = lotOf('row', looking.seed);
  const where = isWholeRow(looking, 'row');
  return engine.texts(
    `SELECT ${columns.map((_, place) => `c${place}`).join(', ')} FROM ${table} WHERE ${where} ORDER BY ${lot} LIMIT ${ROWS_DRAWN}`,
  );
}

/** Of each column. */
export async function drawnTexts(engine: Engine, looking: Looking, batch: Batch, table: string): Promise<string[][]> {
  if (!looking.request.wanted.has('texts')) return batch.columns.map(() => []);
  const asked = textsAsked('row', looking.values, looking.request.rowCount);
  return (await askEach(engine, inTable(batch, table), asked)).map(([texts]) => readTexts(texts));
}
