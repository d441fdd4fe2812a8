// Says what typing did that a reader of the table must know: with the first row, the number of cases and an example.
import { must } from '../../core/check.ts';
import type { Warning } from '../../core/warning.ts';
import type { Engine, Row } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { numberedRows as rowsOfParquet } from '../parquet/numbered-rows.ts';
import { warn } from '../warnings.ts';
import type { Question } from './questions.ts';
import { bySlice, columnAt, rowsWithNumbers, sliceOf, type TextTable } from './relation.ts';
import { type Rung, textRung } from './rungs.ts';
import { withSeen } from './seen-values.ts';

/** Of some of the rows, or of all of them. */
export interface Answer {
  readonly count: number;
  /** Of the first case, from 1. */
  readonly row?: number | undefined;
  readonly example?: string | undefined;
}

/** The rows with their numbers, for questions about columns of one slice; text columns as they were written, which is quicker to read than the source. */
function numberedRows(table: TextTable, questions: readonly Question[], { rungs, written }: Asked): string {
  const isText = ({ index }: Question): boolean => rungs[index] === textRung;
  const { index } = must(questions[0], 'a question');
  if (sliceOf(table.all, index).numbered !== undefined || !questions.every(isText))
    return rowsWithNumbers(table, index);
  const texts = [...new Set(questions.map(({ index }) => index))].map(
    (one) => `${identifier(table.columns[one]?.name ?? '')} AS ${columnAt(one)}`,
  );
  const { from, number } = rowsOfParquet(written, table.columns);
  return `(SELECT ${texts.join(', ')}, ${number} + 1 AS row_number FROM ${from})`;
}

function readAnswer(row: Row, place: number): Answer {
  const count = Number(row[`count_${place}`]);
  if (count === 0) return { count };
  const example = row[`example_${place}`];
  return { count, row: Number(row[`row_${place}`]), ...(typeof example === 'string' && { example }) };
}

/** Questions that a statement asks at once: planning 250 of them takes 700 MB, and longer than to plan and scan four times. */
export const AT_ONCE = 64;

async function askRows(engine: Engine, table: TextTable, questions: readonly Question[], asked: Asked) {
  const answers = new Map<Question, Answer>();
  const groups = bySlice(table.all, questions, { indexOf: ({ index }) => index, atOnce: AT_ONCE });
  for (const { items } of groups)
    for (const [place, answer] of (await askRowsAtOnce(engine, table, items, asked)).entries())
      answers.set(must(items[place], 'a question'), answer);
  return questions.map((question) => must(answers.get(question), 'an answer'));
}

/** The rows with their numbers, and of each question whether a row is one of its cases: `is_<place>`. */
export function judgedRows(table: TextTable, questions: readonly Question[], asked: Asked): string {
  const cases = questions.map(
    ({ index, cases: are }, place) => `(${columnAt(index)} IS NOT NULL AND (${are})) AS is_${place}`,
  );
  return `(SELECT *, ${cases.join(', ')} FROM ${withSeen(table, numberedRows(table, questions, asked), questions)})`;
}

/** One scan of all rows for questions about columns of one slice. */
async function askRowsAtOnce(engine: Engine, table: TextTable, questions: readonly Question[], asked: Asked) {
  const counts = questions.map(({ index }, place) => {
    const filter = `FILTER (is_${place})`;
    return `count(*) ${filter} AS count_${place}, min(row_number) ${filter} AS row_${place},
      arg_min(${columnAt(index)}, row_number) ${filter} AS example_${place}`;
  });
  const row = await engine.row(`SELECT ${counts.join(',\n')} FROM ${judgedRows(table, questions, asked)}`);
  return questions.map((_, place) => readAnswer(row, place));
}

async function askValues(engine: Engine, table: TextTable, questions: readonly Question[], { written }: Asked) {
  const answers: Answer[] = [];
  for (let from = 0; from < questions.length; from += AT_ONCE) {
    const some = questions.slice(from, from + AT_ONCE);
    const counts = some.map(
      ({ index }, place) => `count(${identifier(table.columns[index]?.name ?? '')}) AS count_${place}`,
    );
    const row = await engine.row(`SELECT ${counts.join(', ')} FROM read_parquet(${literal(written)})`);
    answers.push(...some.map((_, place) => ({ count: Number(row[`count_${place}`]) })));
  }
  return answers;
}

export interface Asked {
  readonly questions: readonly Question[];
  readonly rungs: readonly Rung[];
  /** The rows as Parquet. */
  readonly written: string;
}

/** An answer a question. Reads the rows again only where a question is about them. */
export async function answerQuestions(engine: Engine, table: TextTable, asked: Asked): Promise<Answer[]> {
  const of = (counts: Question['counts']) => asked.questions.filter((question) => question.counts === counts);
  const inRows = await askRows(engine, table, of('rows'), asked);
  const inValues = await askValues(engine, table, of('values'), asked);
  const answers = { rows: inRows[Symbol.iterator](), values: inValues[Symbol.iterator]() };
  return asked.questions.map(({ counts }) =>
    counts === 'all' ? { count: table.rows } : must(answers[counts].next().value ?? undefined, 'an answer'),
  );
}

/** Of two stretches of rows, the second of which begins behind `before` rows. */
export function addAnswers(first: Answer, second: Answer, before: number): Answer {
  const { row, example } = first.row === undefined ? { ...second, row: second.row && second.row + before } : first;
  const count = first.count + second.count;
  return { count, ...(row !== undefined && { row }), ...(example !== undefined && { example }) };
}

/** The warnings that the answers are. */
export const warningsOf = (
  columns: TextTable['columns'],
  questions: readonly Question[],
  answers: readonly Answer[],
): Warning[] =>
  questions.flatMap(({ code, index, detail }, place) => {
    const answer = must(answers[place], 'an answer');
    if (answer.count === 0) return [];
    return [warn(code, { column: columns[index]?.name, ...answer, detail: detail === '' ? undefined : detail })];
  });
