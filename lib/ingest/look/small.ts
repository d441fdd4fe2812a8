// A look at a table of few rows, which is looked at whole: all columns of a type are asked at once, since with few rows it is the statements
// that take time.
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import { distributionsOf, isDistributed } from '../profile/distribution.ts';
import { profileOf } from '../profile/profile.ts';
import type { Column, ColumnDistribution } from '../reading/types.ts';
import { askEach, type Batch, belowEachOther } from './batch.ts';
import { type Counted, countCells } from './counts.ts';
import type { TableFound } from './large.ts';
import { inLanes } from './lanes.ts';
import { lotOf } from './lots.ts';
import {
  type ColumnLooked,
  type DrawnRow,
  isWholeRow,
  type Looking,
  ROW_COLUMNS,
  ROWS_DRAWN,
  SAMPLE_ROWS,
  wantsValues,
} from './request.ts';
import type { Source } from './source.ts';
import { readTexts, textsAsked } from './texts.ts';
import { shortened } from './values.ts';

/** Bytes of all values that are copied whole at once. */
const LIGHT_BYTES = 64 * 2 ** 20;

/** Whether there are so few rows that a sample would be all, and so few bytes by column that they can be copied at once. */
export const isSmall = (rows: number, bytes: ReadonlyMap<string, number>): boolean =>
  rows <= SAMPLE_ROWS && [...bytes.values()].reduce((sum, some) => sum + some, 0) <= LIGHT_BYTES;

/** Cells that stand below each other at once. */
const CELLS_AT_ONCE = 160_000;
const COLUMNS_AT_ONCE = 64;

export async function lookAtSmall(looking: Looking, source: Source): Promise<TableFound> {
  const { engines, request } = looking;
  const atOnce = Math.min(COLUMNS_AT_ONCE, Math.ceil(CELLS_AT_ONCE / Math.max(1, request.rowCount)));
  const found = new Map<Column, ColumnLooked>();
  await inLanes(engines, alike(request.columns, atOnce), async (engine, some) => {
    const looked = await lookAtCells(engine, looking, await belowEachOther(engine, source, some));
    for (const [place, column] of some.entries()) found.set(column, looked[place] as ColumnLooked);
  });
  const rows = request.wanted.has('rows') ? await drawRows(looking, source) : [];
  return { columns: request.columns.map((column) => found.get(column) as ColumnLooked), rows };
}

/** Columns of one type, at most so many together. */
const alike = (columns: readonly Column[], most: number): Column[][] =>
  [...Map.groupBy(columns, ({ type }) => type).values()].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / most) }, (_, at) => some.slice(at * most, (at + 1) * most)),
  );

async function lookAtCells(engine: Engine, looking: Looking, batch: Batch): Promise<ColumnLooked[]> {
  const { wanted, rowCount: rows } = looking.request;
  const texts = wanted.has('texts') ? await askEach(engine, batch, textsAsked(batch.row, looking.values, rows)) : [];
  const counts = wantsValues(looking) ? await countCells(engine, looking, batch) : [];
  const profiles = wanted.has('profile') ? await profilesOf(engine, rows, batch, counts) : [];
  return batch.columns.map((_, place) => ({
    values: counts[place]?.values ?? [],
    profile: profiles[place],
    texts: readTexts(texts[place]?.[0]),
  }));
}

async function profilesOf(engine: Engine, rows: number, batch: Batch, counts: readonly Counted[]) {
  const seen = counts.map(({ overview }) => overview);
  const distributed = isDistributed(batch.columns[0]?.type ?? '');
  const distributions: ColumnDistribution[] = distributed ? await distributionsOf(engine, batch, seen, rows) : [];
  return batch.columns.map((column, place) => {
    const differ = must(counts[place], 'what was counted');
    return profileOf(column, { rows, overview: differ.overview, differ, distribution: distributions[place] });
  });
}

function drawRows(looking: Looking, { from, row }: Source): Promise<DrawnRow[]> {
  const { engines, request, seed } = looking;
  const lot = lotOf(row, seed);
  const values = request.columns
    .slice(0, ROW_COLUMNS)
    .map(({ name, type }, place) => `${shortened(identifier(name), type, false)} AS c${place}`);
  return engines[0].texts(
    `SELECT ${values.join(', ')} FROM ${from} WHERE ${isWholeRow(looking, row)} ORDER BY ${lot} LIMIT ${ROWS_DRAWN}`,
  );
}
