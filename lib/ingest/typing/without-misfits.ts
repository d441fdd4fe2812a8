// Records that are left out since a value of theirs does not fit the type that the caller asks for. Whoever looks at the rows sees the others
// only; each keeps the number that it has in the file.
import type { Engine } from '../engine/engine.ts';
import { forcedRung } from './forced.ts';
import { countMisfits, firstMisfits, fittingRows, judge } from './misfits.ts';
import type { PlannedTable } from './plan-table.ts';
import type { TextTable } from './relation.ts';
import type { Answer } from './report.ts';
import type { TypedColumn } from './seen-values.ts';

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

const strictOnes = (table: PlannedTable): TypedColumn[] =>
  table.columns.flatMap(({ forced }, index) =>
    forced?.onMisfit === 'reject' ? [{ index, rung: forcedRung(forced.type, table.dateOrder) }] : [],
  );

/** The table without the records that are to be left out, for as long as the engine is open; itself where there are none. */
export async function withoutMisfits(engine: Engine, table: TextTable): Promise<Kept> {
  const strict = strictOnes(table);
  const none = { table, leftOut: { count: 0 }, first: () => Promise.resolve([]) };
  if (strict.length === 0) return none;
  const verdicts = await judge(engine, table, table.all, strict);
  const count = await countMisfits(engine, verdicts);
  if (count === 0) return none;
  const first = async (most: number): Promise<LeftOut[]> =>
    (await firstMisfits(engine, verdicts, most)).map(({ index, ...found }) => ({
      ...found,
      column: table.columns[index]?.name ?? '',
    }));
  const [one] = await first(1);
  const all = fittingRows(table.all, verdicts);
  const sample = table.sampleIsAll ? all : fittingRows(table.sample, await judge(engine, table, table.sample, strict));
  return {
    table: { ...table, all, sample, rows: table.rows - count },
    leftOut: { count, row: one?.row, example: one?.value },
    first,
  };
}
