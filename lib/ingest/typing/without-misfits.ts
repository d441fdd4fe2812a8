// Records that are left out since a value of theirs does not fit the type that the caller asks for. Whoever looks at the rows sees the others
// only; each keeps the number that it has in the file.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { forcedRung } from './forced.ts';
import type { PlannedTable } from './plan-table.ts';
import { columnAt, rowsWithNumbers, type Slice, SLICE_COLUMNS, type TextTable } from './relation.ts';
import type { Answer } from './report.ts';
import { asBefore, isMisfit, type TypedColumn, withSeen } from './seen-values.ts';

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

const strictOnes = (table: PlannedTable): TypedColumn[] =>
  table.columns.flatMap(({ forced }, index) =>
    forced?.onMisfit === 'reject' ? [{ index, rung: forcedRung(forced.type, table.dateOrder) }] : [],
  );

const anyMisfit = (strict: readonly TypedColumn[]): string => strict.map((each) => `(${isMisfit(each)})`).join(' OR ');

async function findFirst(engine: Engine, table: TextTable, strict: readonly TypedColumn[], most: number) {
  const places = strict.map((column) => `WHEN ${isMisfit(column)} THEN ${column.index}`);
  const values = strict.map(({ index }) => `WHEN ${index} THEN ${columnAt(index)}`);
  const rows = await engine.rows(
    `SELECT row_number AS "row", place, left(CASE place ${values.join(' ')} END, ${VALUE_CHARACTERS}) AS "value"
     FROM (SELECT *, CASE ${places.join(' ')} END AS place FROM ${withSeen(table, rowsWithNumbers(table), strict)})
     WHERE place IS NOT NULL ORDER BY row_number LIMIT ${most}`,
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
  const strict = strictOnes(table);
  const none = { table, leftOut: { count: 0 }, first: () => Promise.resolve([]) };
  if (strict.length === 0) return none;
  const all = onlySlice(table);
  const found = await engine.row(
    `SELECT count(*) AS count FROM ${withSeen(table, all.from, strict)} WHERE ${anyMisfit(strict)}`,
  );
  const count = Number(found['count']);
  if (count === 0) return none;
  const [first] = await findFirst(engine, table, strict, 1);
  const kept = (from: string): string =>
    `(SELECT ${asBefore(strict)} FROM ${withSeen(table, from, strict)} WHERE NOT (${anyMisfit(strict)}))`;
  return {
    table: {
      ...table,
      all: [{ ...all, from: kept(all.from) }],
      sample: table.sample.map((slice) => ({ ...slice, from: kept(slice.from) })),
      numbered: kept(rowsWithNumbers(table)),
      rows: table.rows - count,
    },
    leftOut: { count, row: first?.row, example: first?.value },
    first: (most) => findFirst(engine, table, strict, most),
  };
}
