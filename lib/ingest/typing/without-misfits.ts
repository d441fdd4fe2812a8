// Records that are left out since a value of theirs does not fit the type that the caller asks for. Whoever looks at the rows sees the others
// only; each keeps the number that it has in the file.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { forcedRung } from './forced.ts';
import type { PlannedTable } from './plan-table.ts';
import { columnAt, rowsWithNumbers, type Slice, SLICE_COLUMNS, type TextTable } from './relation.ts';
import type { Answer } from './report.ts';
import { isMisfit } from './write.ts';

export interface Kept {
  /** Of the records that are left. */
  readonly table: TextTable;
  readonly leftOut: Answer;
  /** The first of them, each with its first value that does not fit. */
  readonly first: (most: number) => Promise<LeftOut[]>;
}

export interface LeftOut {
  readonly row: number;
  readonly column: string;
  readonly value: string;
}

const VALUE_CHARACTERS = 200;

interface Misfit {
  readonly index: number;
  /** SQL. */
  readonly isOne: string;
}

const misfitsOf = (table: PlannedTable): Misfit[] =>
  table.columns.flatMap(({ forced }, index) =>
    forced?.onMisfit === 'reject'
      ? [{ index, isOne: isMisfit(table, index, forcedRung(forced.type, table.dateOrder)) }]
      : [],
  );

const anyOf = (misfits: readonly Misfit[]): string => misfits.map(({ isOne }) => `(${isOne})`).join(' OR ');

async function findFirst(engine: Engine, table: TextTable, misfits: readonly Misfit[], most: number) {
  const cases = (then: (misfit: Misfit) => string): string =>
    `CASE ${misfits.map((each) => `WHEN ${each.isOne} THEN ${then(each)}`).join(' ')} END`;
  const rows = await engine.rows(
    `SELECT row_number AS "row", ${cases(({ index }) => String(index))} AS place,
       left(${cases(({ index }) => columnAt(index))}, ${VALUE_CHARACTERS}) AS "value"
     FROM ${rowsWithNumbers(table)} WHERE ${anyOf(misfits)} ORDER BY row_number LIMIT ${most}`,
  );
  return rows.map(({ row, place, value }): LeftOut => {
    const column = table.columns[Number(place)]?.name ?? '';
    return { row: Number(row), column, value: typeof value === 'string' ? value : '' };
  });
}

/** A record is left out by what all of its columns say, so that they have to be read together. */
function onlySlice({ all }: TextTable): Slice {
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  const detail = `Records are left out of tables of up to ${SLICE_COLUMNS} columns: say that what does not fit becomes NULL.`;
  throw new Fault('OPTION_MISFIT', detail, { extra: { option: 'onMisfit' } });
}

/** The table without the records that are to be left out; itself where there are none. */
export async function withoutMisfits(engine: Engine, table: TextTable): Promise<Kept> {
  const misfits = misfitsOf(table);
  const none = { table, leftOut: { count: 0 }, first: () => Promise.resolve([]) };
  if (misfits.length === 0) return none;
  const all = onlySlice(table);
  const found = await engine.row(`SELECT count(*) AS count FROM ${all.from} WHERE ${anyOf(misfits)}`);
  const count = Number(found['count']);
  if (count === 0) return none;
  const [first] = await findFirst(engine, table, misfits, 1);
  const kept = (from: string): string => `(SELECT * FROM ${from} WHERE NOT (${anyOf(misfits)}))`;
  return {
    table: {
      ...table,
      all: [{ ...all, from: kept(all.from) }],
      sample: table.sample.map((slice) => ({ ...slice, from: kept(slice.from) })),
      numbered: kept(rowsWithNumbers(table)),
      rows: table.rows - count,
    },
    leftOut: { count, row: first?.row, example: first?.value },
    first: (most) => findFirst(engine, table, misfits, most),
  };
}
