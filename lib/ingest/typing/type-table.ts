// Rows of text become a typed Parquet file: plan from a sample, write and prove, and where the whole file contradicts
// the sample, take the facts of the whole file and write again.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { Engine } from '../engine/engine.ts';
import { findRejects } from '../rejects/find-rejects.ts';
import { leftOutWarnings, requireFew, withBad } from '../rejects/left-out.ts';
import type { Rejects } from '../rejects/reject.ts';
import { withoutMisfits } from './without-misfits.ts';
import type { ReadOptions } from '../options.ts';
import { firstPlan, looksAt, type Plan, replan } from './plan-table.ts';
import { signsOf } from './signs.ts';
import type { TextTable } from './relation.ts';
import { questionsOf } from './questions.ts';
import { answerQuestions, warningsOf } from './report.ts';
import { macros } from './rungs.ts';
import { type Written, writeTyped } from './write.ts';

export interface TypedTable {
  readonly types: readonly string[];
  readonly rows: number;
  readonly warnings: readonly Warning[];
  /** Of what is reported value by value. */
  readonly rejects: Rejects;
}

export function rowsWritten(table: TextTable, written: Written): number {
  if (written.kind === 'contradicted') {
    throw new Fault('INTERNAL', `Column ${written.column + 1} contradicts the facts of the whole file.`);
  }
  if (written.rows !== table.rows) {
    throw new Fault('INTERNAL', `${table.rows} rows were counted, ${written.rows} were written.`);
  }
  return written.rows;
}

/** Which sign the numbers of each column carry, where the caller says that they may. */
async function withSigns(engine: Engine, table: TextTable): Promise<TextTable> {
  const { sample, all, columns } = table;
  const formats = await signsOf(
    engine,
    columns.map(({ numbers }) => numbers),
    [sample, all],
  );
  return { ...table, columns: columns.map((column, index) => ({ ...column, numbers: formats[index] })) };
}

/**
 * Writes `given` to `target` as Parquet, its columns named and typed, rows in order. Faults: VALUE_MISFIT, TOO_MANY_REJECTS.
 */
export async function typeTable(
  engine: Engine,
  given: TextTable,
  target: string,
  asked: ReadOptions = {},
): Promise<TypedTable> {
  await engine.run(macros);
  const signed = await withSigns(engine, given);
  const kept = await withoutMisfits(engine, signed);
  requireFew(withBad(kept.leftOut, { rows: signed.rows, bad: signed.bad?.counts }), asked);
  const { table } = kept;
  const looks = looksAt(engine, table);
  let plan: Plan = await firstPlan(table, looks);
  let written = await writeTyped(engine, table, plan.rungs, target);
  if (written.kind === 'contradicted') {
    plan = await replan(table, looks, plan);
    written = await writeTyped(engine, table, plan.rungs, target);
  }
  const rows = rowsWritten(table, written);
  const questions = questionsOf(table, plan);
  const of = { questions, rungs: plan.rungs, written: target };
  const answers = await answerQuestions(engine, table, of);
  const rejects = await findRejects(engine, kept, of, { answers, report: asked.report });
  const types = plan.rungs.map(({ type }) => type);
  const warnings = [...warningsOf(table.columns, questions, answers), ...leftOutWarnings(kept.leftOut)];
  return { types, rows, warnings, rejects };
}
