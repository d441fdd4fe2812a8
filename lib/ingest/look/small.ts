// A look at a table of few rows, which is looked at whole: all columns of a type are asked at once, since with few rows it is the statements
// that take time.
import { distributionsOf, isDistributed } from '../profile/distribution.ts';
import { overviewAsked, readOverview } from '../profile/overview.ts';
import { profileOf } from '../profile/profile.ts';
import type { Column, ColumnDistribution } from '../reading/types.ts';
import { identifier } from '../engine/sql.ts';
import { askEach, type Batch, belowEachOther } from './batch.ts';
import { type Counted, countEach } from './counts.ts';
import type { TableFound } from './large.ts';
import { lotOf } from './lots.ts';
import {
  type ColumnLooked,
  type DrawnRow,
  isWholeRow,
  type Looking,
  ROW_COLUMNS,
  ROWS_DRAWN,
  SAMPLE_ROWS,
} from './request.ts';
import type { Source } from './source.ts';
import { readTexts, textsAsked } from './texts.ts';
import { shortened } from './values.ts';

/** Up to so many rows, of which a sample would be all. */
export const isSmall = (rows: number): boolean => rows <= SAMPLE_ROWS;

/** Cells that stand below each other at once. */
const CELLS_AT_ONCE = 160_000;
const COLUMNS_AT_ONCE = 64;

export async function lookAtSmall(looking: Looking, source: Source): Promise<TableFound> {
  const { engine, request } = looking;
  const atOnce = Math.min(COLUMNS_AT_ONCE, Math.ceil(CELLS_AT_ONCE / Math.max(1, request.rowCount)));
  const found = new Map<Column, ColumnLooked>();
  for (const some of alike(request.columns, atOnce)) {
    const looked = await lookAtCells(looking, await belowEachOther(engine, source, some));
    for (const [place, column] of some.entries()) found.set(column, looked[place] as ColumnLooked);
  }
  const rows = request.wanted.has('rows') ? await drawRows(looking, source) : [];
  return { columns: request.columns.map((column) => found.get(column) as ColumnLooked), rows };
}

/** Columns of one type, at most so many together. */
const alike = (columns: readonly Column[], most: number): Column[][] =>
  [...Map.groupBy(columns, ({ type }) => type).values()].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / most) }, (_, at) => some.slice(at * most, (at + 1) * most)),
  );

async function lookAtCells(looking: Looking, batch: Batch): Promise<ColumnLooked[]> {
  const { engine, request } = looking;
  const { wanted, rowCount: rows } = request;
  const texts = wanted.has('texts') ? await askEach(engine, batch, textsAsked(batch.row, rows)) : [];
  const counting = wanted.has('profile') || wanted.has('values');
  const counts = counting ? await countEach(looking, batch) : [];
  const profiles = wanted.has('profile') ? await profilesOf(looking, batch, counts) : [];
  return batch.columns.map((_, place) => ({
    values: counts[place]?.values ?? [],
    profile: profiles[place],
    texts: readTexts(texts[place]?.[0]),
  }));
}

async function profilesOf({ engine, request }: Looking, batch: Batch, counts: readonly Counted[]) {
  const { rowCount: rows } = request;
  const seen = (await askEach(engine, batch, overviewAsked)).map(readOverview);
  const distributed = isDistributed(batch.columns[0]?.type ?? '');
  const distributions: ColumnDistribution[] = distributed ? await distributionsOf(engine, batch, seen, rows) : [];
  return batch.columns.map((column, place) => {
    const [overview, differ] = [seen[place], counts[place]];
    if (overview === undefined || differ === undefined) throw new TypeError('a column was not looked at');
    return profileOf(column, { rows, overview, differ, distribution: distributions[place] });
  });
}

function drawRows(looking: Looking, { from, row }: Source): Promise<DrawnRow[]> {
  const { engine, request, seed } = looking;
  const lot = lotOf(row, seed);
  const values = request.columns
    .slice(0, ROW_COLUMNS)
    .map(({ name, type }, place) => `${shortened(identifier(name), type)} AS c${place}`);
  return engine.texts(
    `SELECT ${values.join(', ')} FROM ${from} WHERE ${isWholeRow(looking, row)} ORDER BY ${lot} LIMIT ${ROWS_DRAWN}`,
  );
}
