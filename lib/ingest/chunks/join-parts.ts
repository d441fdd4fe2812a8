// The table that the parts of a plan make, with the warnings that the file read at once would have.
import { must } from '../../core/check.ts';
import { countedOf } from '../rejects/find-rejects.ts';
import { leftOutWarnings, requireFew, withBad } from '../rejects/left-out.ts';
import type { Rejects } from '../rejects/reject.ts';
import type { ParsedTable } from '../stages/outputs.ts';
import { questionsOf } from '../typing/questions.ts';
import { addAnswers, type Answer, warningsOf } from '../typing/report.ts';
import { type TablePlan, typingOf } from './plan.ts';
import type { WrittenPart } from './written-part.ts';

/** The table, and what its report counts. */
export interface Joined {
  readonly table: ParsedTable;
  readonly counted: Omit<Rejects, 'found'>;
}

type OfChunk = (part: WrittenPart) => Answer;

/** One answer of all rows by those of the parts. */
const joined = ({ chunks }: TablePlan, parts: readonly WrittenPart[], answerOf: OfChunk): Answer =>
  chunks.reduce<Answer>(
    (sum, { rowsBefore }, place) => addAnswers(sum, answerOf(must(parts[place], 'the part of a chunk')), rowsBefore),
    { count: 0 },
  );

/** `parts`: of every chunk, in order. Throws the Fault TOO_MANY_REJECTS. */
export function joinParts(plan: TablePlan, parts: readonly WrittenPart[]): Joined {
  const questions = questionsOf({ ...plan, sampleIsAll: false }, typingOf(plan));
  const answers = questions.map((_, index) => joined(plan, parts, (part) => must(part.answers[index], 'an answer')));
  const leftOut = joined(plan, parts, (part) => part.leftOut);
  requireFew(withBad(leftOut, { rows: plan.rows, bad: plan.bad }), plan.most ?? {});
  const table = {
    columns: plan.columns.map(({ name }, index) => ({ name, type: must(plan.types[index], 'a type') })),
    rowCount: plan.rows - leftOut.count,
    parts: parts.map(({ part }) => part),
    warnings: [
      ...plan.warnings,
      ...warningsOf(plan.columns, questions, answers),
      ...leftOutWarnings(leftOut),
      ...(plan.lastWarnings ?? []),
    ],
  };
  const bad = plan.bad && { counts: plan.bad };
  const of = { questions, answers, leftOut, bad, rows: table.rowCount };
  return { table, counted: countedOf(of, plan.report) };
}
