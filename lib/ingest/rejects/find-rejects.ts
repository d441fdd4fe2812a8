// Looks up the values that a report names: the cases of the questions that are reported, in the order of the rows.
import type { Engine } from '../engine/engine.ts';
import type { Question } from '../typing/questions.ts';
import { columnAt, type TextTable } from '../typing/relation.ts';
import { type Answer, type Asked, numberedRows } from '../typing/report.ts';
import { MOST_REJECTS, type Reject, type Rejects, reported } from './reject.ts';

const VALUE_CHARACTERS = 200;

const isReported = ({ counts, code }: Question): boolean => counts === 'rows' && reported.has(code);

/** How many values there are of each reason. */
export function countRejects(questions: readonly Question[], answers: readonly Answer[]): Rejects['counts'] {
  const counts: Record<string, number> = {};
  for (const [place, question] of questions.entries()) {
    const count = isReported(question) ? (answers[place]?.count ?? 0) : 0;
    if (count > 0) counts[question.code] = (counts[question.code] ?? 0) + count;
  }
  return counts;
}

async function casesOf(engine: Engine, table: TextTable, question: Question, rows: string): Promise<Reject[]> {
  const text = columnAt(question.index);
  const cases = await engine.rows(
    `SELECT row_number AS "row", left(${text}, ${VALUE_CHARACTERS}) AS "value" FROM ${rows}
     WHERE ${text} IS NOT NULL AND (${question.cases}) ORDER BY row_number LIMIT ${MOST_REJECTS}`,
  );
  const column = table.columns[question.index]?.name ?? '';
  return cases.map(({ row, value }) => ({
    ...{ reason: question.code, row: Number(row), column },
    value: typeof value === 'string' ? value : '',
  }));
}

/** The first of the values, with their rows, and their lines where the table knows them. */
export async function findRejects(
  engine: Engine,
  table: TextTable,
  asked: Asked,
  answers: readonly Answer[],
): Promise<Rejects> {
  const counts = countRejects(asked.questions, answers);
  const questions = asked.questions.filter(
    (question, place) => isReported(question) && (answers[place]?.count ?? 0) > 0,
  );
  const found: Reject[] = [];
  for (const question of questions)
    found.push(...(await casesOf(engine, table, question, numberedRows(table, [question], asked))));
  found.sort((a, b) => a.row - b.row);
  const named = found.slice(0, MOST_REJECTS);
  if (named.length === 0 || table.linesOf === undefined) return { found: named, counts };
  const rows = [...new Set(named.map(({ row }) => row))];
  const lines = await table.linesOf(rows);
  const lineOf = new Map(rows.map((row, place) => [row, lines[place]] as const));
  return { found: named.map((reject) => ({ ...reject, line: lineOf.get(reject.row) })), counts };
}
