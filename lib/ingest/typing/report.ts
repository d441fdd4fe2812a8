// Says what typing did that a reader of the table must know: with the first row, the number of cases and an example.
import type { Warning } from '../../core/warning.ts';
import type { Engine, Row } from '../engine/engine.ts';
import { type WarningCode, warn } from '../warnings.ts';
import { type Facts, isDayMonthDate } from './facts.ts';
import { isNumeric, mostlyFits } from './plan.ts';
import { columnAt, type TextTable, typedText } from './relation.ts';
import { isLooseNumber, type Rung, textRung } from './rungs.ts';
import { isZonedStamp } from './stamps.ts';

/** Something to look for in all rows: SQL that is true for the cases. */
interface Question {
  readonly code: WarningCode;
  readonly index: number;
  readonly cases: string;
  readonly detail: string;
}

export interface TypedColumn {
  readonly index: number;
  readonly rung: Rung;
  readonly facts: Facts;
  /** The type that the sample promised and the whole file contradicted. */
  readonly promised: Rung | undefined;
}

/** A text column is suspect when half of its values would fit another type; a number when nearly all are integers. */
const TEXT_SHARE = 0.5;
const NUMBER_SHARE = 0.99;

const outside = (rung: Rung, v: string): string => `NOT coalesce(${rung.holds(v)}, false)`;

function widened(table: TextTable, column: TypedColumn): Question | undefined {
  const { index, rung, facts, promised } = column;
  const family = table.columns[index]?.family ?? 'any';
  const usual = mostlyFits(family, facts, rung);
  if (usual === undefined || usual.rung.type === rung.type) return undefined;
  const share = usual.count / facts.values;
  const expected = rung === textRung ? share >= TEXT_SHARE : share >= NUMBER_SHARE;
  if (usual.count === 0 || !(expected || (promised !== undefined && rung === textRung))) return undefined;
  const detail = `The column is ${rung.type}; without these values it would be ${usual.rung.type}.`;
  return { code: 'TYPE_WIDENED', index, cases: outside(usual.rung, typedText(table, index)), detail };
}

/** Texts that look like something else, all of them. */
function lookalike(table: TextTable, { index, facts }: TypedColumn): Question | undefined {
  const v = typedText(table, index);
  const all = facts.values;
  if (facts.dayMonthDates === all) return { code: 'DATE_ORDER_AMBIGUOUS', index, cases: isDayMonthDate(v), detail: '' };
  if (facts.zonedStamps === all) return { code: 'ZONE_KEPT_AS_TEXT', index, cases: isZonedStamp(v), detail: '' };
  if (facts.looseNumbers !== all) return undefined;
  const detail = 'Leading zeros, +, spaces, a point at the end, a negative zero, or more digits than a number holds.';
  const usual = mostlyFits('number', facts, textRung);
  const cases = usual === undefined ? isLooseNumber(v) : outside(usual.rung, v);
  return { code: 'KEPT_AS_TEXT', index, cases, detail };
}

function questionOf(table: TextTable, column: TypedColumn): Question | undefined {
  const family = table.columns[column.index]?.family ?? 'any';
  if (column.facts.values === 0 || family === 'json') return undefined;
  const asText = column.rung === textRung && family === 'any' ? lookalike(table, column) : undefined;
  if (asText !== undefined) return asText;
  if (column.rung === textRung || (isNumeric(column.rung) && column.rung.type !== 'BIGINT'))
    return widened(table, column);
  return undefined;
}

function emptyQuestion(table: TextTable, { index, rung }: TypedColumn): Question | undefined {
  if (!table.emptyIsNull || rung === textRung) return undefined;
  return { code: 'EMPTY_AS_NULL', index, cases: `${columnAt(index)} = ''`, detail: '' };
}

function answerOf(table: TextTable, question: Question, row: Row, place: number): Warning | undefined {
  const count = Number(row[`count_${place}`]);
  if (count === 0) return undefined;
  const example = row[`example_${place}`];
  return warn(question.code, {
    column: table.columns[question.index]?.name,
    row: Number(row[`row_${place}`]),
    count,
    example: typeof example === 'string' ? example : undefined,
    detail: question.detail === '' ? undefined : question.detail,
  });
}

/** One scan of all rows, in order, for all questions together. */
async function ask(engine: Engine, table: TextTable, questions: readonly Question[]): Promise<Warning[]> {
  if (questions.length === 0) return [];
  const asked = questions.map(({ index, cases }, place) => {
    const filter = `FILTER (${columnAt(index)} IS NOT NULL AND (${cases}))`;
    return `count(*) ${filter} AS count_${place}, min(row_number) ${filter} AS row_${place},
      arg_min(${columnAt(index)}, row_number) ${filter} AS example_${place}`;
  });
  const row = await engine.row(
    `SELECT ${asked.join(',\n')} FROM (SELECT *, row_number() OVER () AS row_number FROM ${table.all})`,
  );
  return questions.flatMap((question, place) => answerOf(table, question, row, place) ?? []);
}

function atOnce(table: TextTable, { index, rung, facts }: TypedColumn): Warning[] {
  const column = table.columns[index]?.name;
  if (facts.values === 0 && table.rows > 0) return [warn('COLUMN_EMPTY', { column, count: table.rows })];
  const style = rung.type === 'BOOLEAN' && facts.booleans.lower < facts.values;
  return style ? [warn('BOOLEAN_WORDS', { column, count: facts.values })] : [];
}

/** Every warning that typing owes. Reads the rows again only for columns that leave a question. */
export async function typingWarnings(
  engine: Engine,
  table: TextTable,
  columns: readonly TypedColumn[],
): Promise<Warning[]> {
  const questions = columns.flatMap((column) =>
    [questionOf(table, column) ?? [], emptyQuestion(table, column) ?? []].flat(),
  );
  return [...columns.flatMap((column) => atOnce(table, column)), ...(await ask(engine, table, questions))];
}
