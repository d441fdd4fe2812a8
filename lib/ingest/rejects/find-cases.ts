// The values that a report names one by one, of all questions that have some: in the order of the rows, as many as it has room for.
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import type { Question } from '../typing/questions.ts';
import { bySlice, columnAt, type TextTable } from '../typing/relation.ts';
import { type Answer, type Asked, AT_ONCE, judgedRows } from '../typing/report.ts';
import { MOST_REJECTS, type Reject, reported } from './reject.ts';

const VALUE_CHARACTERS = 200;

export const isReported = ({ counts, code }: Question): boolean => counts === 'rows' && reported.has(code);

interface Case {
  readonly row: number;
  readonly question: Question;
  readonly value: string;
}

/** The first cases of some questions about columns of one slice, by one scan of the rows up to one. */
async function casesIn(
  engine: Engine,
  table: TextTable,
  { questions, lastRow }: { readonly questions: readonly Question[]; readonly lastRow: number | undefined },
  asked: Asked,
): Promise<Case[]> {
  const each = questions.map(
    ({ index }, at) =>
      `CASE WHEN is_${at} THEN {'at': ${at}, 'text': left(${columnAt(index)}, ${VALUE_CHARACTERS})} END`,
  );
  const upTo = lastRow === undefined ? '' : ` AND row_number <= ${lastRow}`;
  const any = questions.map((_, at) => `is_${at}`).join(' OR ');
  const found = await engine.rows(
    `SELECT row_number AS "row", one.at AS "at", one.text AS "value"
     FROM (SELECT row_number, unnest([${each.join(', ')}]) AS one
       FROM ${judgedRows(table, questions, asked)} WHERE (${any})${upTo})
     WHERE one IS NOT NULL ORDER BY row_number, "at" LIMIT ${MOST_REJECTS}`,
  );
  return found.map(({ row, at, value }) => ({
    ...{ row: Number(row), question: must(questions[Number(at)], 'a question') },
    value: typeof value === 'string' ? value : '',
  }));
}

/** The first of all cases. */
export async function findCases(
  engine: Engine,
  table: TextTable,
  asked: Asked,
  answers: readonly Answer[],
): Promise<Reject[]> {
  const open = asked.questions.filter((question, place) => isReported(question) && (answers[place]?.count ?? 0) > 0);
  const placeOf = new Map(open.map((question, place) => [question, place] as const));
  let first: Case[] = [];
  for (const { items: questions } of bySlice(table.all, open, { indexOf: ({ index }) => index, atOnce: AT_ONCE })) {
    // Behind the last of as many as there is room for, none is of use.
    const lastRow = first[MOST_REJECTS - 1]?.row;
    first = [...first, ...(await casesIn(engine, table, { questions, lastRow }, asked))]
      .sort(
        (a, b) => a.row - b.row || must(placeOf.get(a.question), 'a place') - must(placeOf.get(b.question), 'a place'),
      )
      .slice(0, MOST_REJECTS);
  }
  return first.map(({ row, question: { code, index }, value }) => ({
    ...{ reason: code, row, column: table.columns[index]?.name ?? '', value },
  }));
}
