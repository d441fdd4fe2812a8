// Rows of text become a typed Parquet file: plan from a sample, write and prove, and where the whole file contradicts
// the sample, take the facts of the whole file and write again.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { gatherFacts, type Facts, isAmbiguousDate } from './facts.ts';
import { planType } from './plan.ts';
import type { TextTable } from './relation.ts';
import { type TypedColumn, typingWarnings } from './report.ts';
import { macros, type Rung, textRung } from './rungs.ts';
import { type Written, writeTyped } from './write.ts';

export interface TypedTable {
  readonly types: readonly string[];
  readonly rows: number;
  readonly warnings: readonly Warning[];
}

interface Plan {
  readonly facts: Map<number, Facts>;
  readonly rungs: Rung[];
  readonly promised: Map<number, Rung>;
}

const every = (table: TextTable): number[] => table.columns.map((_, index) => index);

function planOf(table: TextTable, facts: Map<number, Facts>): Rung[] {
  return table.columns.map(({ family }, index) =>
    planType(family, must(facts.get(index), `facts of column ${index}`), table.dateOrder),
  );
}

/** Columns of which the sample has no value, or dates that may be read either way, prove nothing; they are looked at over all rows. */
async function firstPlan(engine: Engine, table: TextTable): Promise<Plan> {
  const facts = await gatherFacts(engine, table, 'sample', every(table));
  const isOpen = (known: Facts): boolean =>
    known.values === 0 || (table.dateOrder === undefined && isAmbiguousDate(known));
  const unknown = table.sampleIsAll ? [] : [...facts].filter(([, known]) => isOpen(known)).map(([index]) => index);
  for (const [index, known] of await gatherFacts(engine, table, 'all', unknown)) facts.set(index, known);
  return { facts, rungs: planOf(table, facts), promised: new Map() };
}

/** Text keeps everything, so that only the other columns can have been promised too much. */
async function replan(engine: Engine, table: TextTable, plan: Plan): Promise<Plan> {
  const open = every(table).filter((index) => plan.rungs[index] !== textRung);
  const facts = new Map([...plan.facts, ...(await gatherFacts(engine, table, 'all', open))]);
  const rungs = planOf(table, facts);
  const promised = new Map<number, Rung>();
  for (const index of open) {
    const before = must(plan.rungs[index], 'a rung');
    if (before.type !== rungs[index]?.type) promised.set(index, before);
  }
  return { facts, rungs, promised };
}

function finish(table: TextTable, written: Written): number {
  if (written.kind === 'contradicted') {
    throw new Fault('INTERNAL', `Column ${written.column + 1} contradicts the facts of the whole file.`);
  }
  if (written.rows !== table.rows) {
    throw new Fault('INTERNAL', `${table.rows} rows were counted, ${written.rows} were written.`);
  }
  return written.rows;
}

/** Writes `table` to `target` as Parquet, its columns named and typed, rows in order. */
export async function typeTable(engine: Engine, table: TextTable, target: string): Promise<TypedTable> {
  for (const macro of macros) await engine.run(macro);
  let plan = await firstPlan(engine, table);
  let written = await writeTyped(engine, table, plan.rungs, target);
  if (written.kind === 'contradicted') {
    plan = await replan(engine, table, plan);
    written = await writeTyped(engine, table, plan.rungs, target);
  }
  const rows = finish(table, written);
  const { facts, rungs, promised } = plan;
  const columns = rungs.map(
    (rung, index): TypedColumn => ({
      index,
      rung,
      facts: must(facts.get(index), 'facts'),
      promised: promised.get(index),
    }),
  );
  return { types: rungs.map(({ type }) => type), rows, warnings: await typingWarnings(engine, table, columns, target) };
}
