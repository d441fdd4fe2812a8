// The table that the parts of a plan make, with the warnings that the file read at once would have.
import { must } from '../../core/check.ts';
import { countRejects } from '../rejects/find-rejects.ts';
import type { Rejects } from '../rejects/reject.ts';
import type { ParsedTable } from '../stages/outputs.ts';
import { questionsOf } from '../typing/questions.ts';
import { addAnswers, type Answer, warningsOf } from '../typing/report.ts';
import { type TablePlan, typingOf } from './plan.ts';
import type { WrittenPart } from './written-part.ts';

/** The table, and how many values there are of each reason that is reported. */
export interface Joined {
  readonly table: ParsedTable;
  readonly rejected: Rejects['counts'];
}

/** `parts`: of every chunk, in order. */
export function joinParts(plan: TablePlan, parts: readonly WrittenPart[]): Joined {
  const questions = questionsOf({ ...plan, sampleIsAll: false }, typingOf(plan));
  const answers = plan.chunks.reduce<Answer[]>(
    (sum, { rowsBefore }, place) => {
      const own = must(parts[place], 'the part of a chunk').answers;
      return sum.map((answer, index) => addAnswers(answer, must(own[index], 'an answer'), rowsBefore));
    },
    questions.map(() => ({ count: 0 })),
  );
  const table = {
    columns: plan.columns.map(({ name }, index) => ({ name, type: must(plan.types[index], 'a type') })),
    rowCount: plan.rows,
    parts: parts.map(({ part }) => part),
    warnings: [...plan.warnings, ...warningsOf(plan.columns, questions, answers)],
  };
  return { table, rejected: countRejects(questions, answers) };
}
