// Looks up what a report names: the values that a question is about, and the records that are left out, in the order of the file.
import type { Engine } from '../engine/engine.ts';
import type { ReadOptions } from '../options.ts';
import type { Question } from '../typing/questions.ts';
import { type BadRecords, rowsWithNumbers, type TextTable } from '../typing/relation.ts';
import type { Answer, Asked } from '../typing/report.ts';
import type { Kept } from '../typing/without-misfits.ts';
import { findCases, isReported } from './find-cases.ts';
import { ACCEPTED, inOrder, MISFIT_REJECTED, MOST_REJECTS, type Reject, type Rejects } from './reject.ts';

interface Counting {
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
  readonly leftOut: Answer;
  readonly bad: Pick<BadRecords, 'counts'> | undefined;
  /** That are left. */
  readonly rows: number;
}

/** How much there is of each reason. */
export function countedOf(
  { questions, answers, leftOut, bad, rows }: Counting,
  report: ReadOptions['report'] = 'rejects',
): Omit<Rejects, 'found'> {
  if (report === 'none') return { counts: {} };
  const counts: Record<string, number> = { ...bad?.counts };
  if (leftOut.count > 0) counts[MISFIT_REJECTED] = leftOut.count;
  for (const [place, question] of questions.entries()) {
    const count = isReported(question) ? (answers[place]?.count ?? 0) : 0;
    if (count > 0) counts[question.code] = (counts[question.code] ?? 0) + count;
  }
  return { counts, ...(report === 'all' && { accepted: rows }) };
}

/** The records that were taken, as many as the report has room for. */
async function acceptedRows(engine: Engine, table: TextTable, room: number): Promise<Reject[]> {
  if (room <= 0) return [];
  const rows = await engine.rows(
    `SELECT row_number AS "row" FROM ${rowsWithNumbers(table)} ORDER BY row_number LIMIT ${room}`,
  );
  return rows.map(({ row }) => ({ reason: ACCEPTED, row: Number(row) }));
}

/** With the lines that the rows stand on, where the table knows them, and the file of several. */
async function placed({ linesOf, sheet, fileOf }: TextTable, found: readonly Reject[]): Promise<Reject[]> {
  if (found.length === 0 || linesOf === undefined) return [...found];
  const rows = [...new Set(found.flatMap(({ row, line }) => (line === undefined ? (row ?? []) : [])))];
  const lines = await linesOf(rows.sort((a, b) => a - b));
  const lineOf = new Map(rows.map((row, place) => [row, lines[place]] as const));
  return found.map(({ reason, row, line = lineOf.get(row ?? 0), ...value }) => ({
    ...{ reason, row, line },
    ...(sheet !== undefined && { sheet }),
    ...(fileOf !== undefined && row !== undefined && { file: fileOf(row) }),
    ...value,
  }));
}

/** The first of what is to be named, and how much there is of all. */
export async function findRejects(
  engine: Engine,
  { table, leftOut, first }: Kept,
  asked: Asked,
  { answers, report = 'rejects' }: { readonly answers: readonly Answer[] } & Pick<ReadOptions, 'report'>,
): Promise<Rejects> {
  const { rows, bad: records, badCells: cells } = table;
  const bad = { counts: { ...records?.counts, ...cells?.counts } };
  const counted = countedOf({ questions: asked.questions, answers, leftOut, bad, rows }, report);
  if (report === 'none') return { found: [], ...counted };
  const misfits = (await first(MOST_REJECTS)).map((each) => ({ reason: MISFIT_REJECTED, ...each }));
  const cases = await findCases(engine, table, asked, answers);
  const found = [...((await records?.find()) ?? []), ...((await cells?.find()) ?? []), ...misfits, ...cases];
  const named = inOrder(await placed(table, found), table.files).slice(0, MOST_REJECTS);
  if (report === 'rejects') return { found: named, ...counted };
  const accepted = await placed(table, await acceptedRows(engine, table, MOST_REJECTS - named.length));
  return { found: inOrder([...named, ...accepted], table.files), ...counted };
}
