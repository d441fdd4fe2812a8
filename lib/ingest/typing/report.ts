// Says what typing did that a reader of the table must know: with the first row, the number of cases and an example.
import type { Warning } from '../../core/warning.ts';
import type { Engine, Row } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { type WarningCode, warn } from '../warnings.ts';
import { isDayMonthDate } from './day-months.ts';
import type { Facts } from './facts.ts';
import { isNumeric, mostlyFits } from './plan.ts';
import { columnAt, type TextTable, typedText } from './relation.ts';
import { holdsText, isLooseNumber, type Rung, textRung } from './rungs.ts';
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

const LOST = 'A number would lose leading zeros, +, spaces, a point at the end, the sign of zero, or digits.';

const outside = (rung: Rung, v: string): string => `NOT coalesce(${holdsText(rung, v)}, false)`;

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

/** Numbers of which a few would be changed are a widened column; otherwise they are a column of codes. */
function keptNumbers(table: TextTable, { index, facts }: TypedColumn): Question | undefined {
  const usual = mostlyFits('number', facts, textRung);
  if (facts.looseNumbers !== facts.values || (usual?.count ?? 0) >= NUMBER_SHARE * facts.values) return undefined;
  const v = typedText(table, index);
  const cases = usual === undefined || usual.count === 0 ? isLooseNumber(v) : outside(usual.rung, v);
  return { code: 'KEPT_AS_TEXT', index, cases, detail: LOST };
}

/** A few values against the order of the others widen the column; otherwise it has none. */
function dayMonths(table: TextTable, column: TypedColumn, v: string): Question {
  const { index, facts } = column;
  const hasOrder = facts.dayFirst !== facts.monthFirst;
  const none: Question = { code: 'DATE_ORDER_AMBIGUOUS', index, cases: isDayMonthDate(v), detail: '' };
  return (hasOrder ? widened(table, column) : undefined) ?? none;
}

/** Texts that look like something else, all of them. */
function lookalike(table: TextTable, column: TypedColumn): Question | undefined {
  const { index, facts } = column;
  const v = typedText(table, index);
  if (facts.dayMonthDates === facts.values) return dayMonths(table, column, v);
  if (facts.zonedStamps === facts.values)
    return { code: 'ZONE_KEPT_AS_TEXT', index, cases: isZonedStamp(v), detail: '' };
  return keptNumbers(table, column);
}

/** Every value is a plain number, but all of them together need more digits than a DECIMAL has. */
function tooManyDigits(table: TextTable, { index, facts }: TypedColumn): Question | undefined {
  if (facts.decimals !== facts.values) return undefined;
  return { code: 'KEPT_AS_TEXT', index, cases: isLooseNumber(typedText(table, index)), detail: LOST };
}

function questionOf(table: TextTable, column: TypedColumn): Question | undefined {
  const { facts, rung, index } = column;
  const family = table.columns[index]?.family;
  if (facts.values === 0 || family === 'json' || family === 'verbatim' || rung.type === 'BIGINT') return undefined;
  if (rung === textRung) return tooManyDigits(table, column) ?? lookalike(table, column) ?? widened(table, column);
  return isNumeric(rung) ? widened(table, column) : undefined;
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

/** The rows with their numbers; text columns as they were written, which is quicker to read than the source. */
function numberedRows(
  table: TextTable,
  questions: readonly Question[],
  columns: readonly TypedColumn[],
  written: string,
): string {
  const isText = ({ index }: Question): boolean => columns[index]?.rung === textRung;
  if (!questions.every(isText)) return `(SELECT *, row_number() OVER () AS row_number FROM ${table.all})`;
  const texts = [...new Set(questions.map(({ index }) => index))].map(
    (index) => `${identifier(table.columns[index]?.name ?? '')} AS ${columnAt(index)}`,
  );
  return `(SELECT ${texts.join(', ')}, file_row_number + 1 AS row_number
    FROM read_parquet(${literal(written)}, file_row_number = true))`;
}

/** One scan of all rows for all questions together. */
async function ask(engine: Engine, table: TextTable, questions: readonly Question[], rows: string): Promise<Warning[]> {
  const asked = questions.map(({ index, cases }, place) => {
    const filter = `FILTER (${columnAt(index)} IS NOT NULL AND (${cases}))`;
    return `count(*) ${filter} AS count_${place}, min(row_number) ${filter} AS row_${place},
      arg_min(${columnAt(index)}, row_number) ${filter} AS example_${place}`;
  });
  const row = await engine.row(`SELECT ${asked.join(',\n')} FROM ${rows}`);
  return questions.flatMap((question, place) => answerOf(table, question, row, place) ?? []);
}

function atOnce(table: TextTable, { index, rung, facts }: TypedColumn): Warning[] {
  const column = table.columns[index]?.name;
  if (facts.values === 0 && table.rows > 0) return [warn('COLUMN_EMPTY', { column, count: table.rows })];
  if (rung.type === 'DATE' && facts.dates < facts.values && table.dateOrder === undefined) {
    const detail = `The ${facts.dayFirst === facts.values ? 'day' : 'month'} stands first.`;
    return [warn('DATE_ORDER_DECIDED', { column, count: facts.values, detail })];
  }
  const style = rung.type === 'BOOLEAN' && facts.booleans.lower < facts.values;
  return style ? [warn('BOOLEAN_WORDS', { column, count: facts.values })] : [];
}

/** Every warning that typing owes. Reads the rows again only for columns that leave a question. */
export async function typingWarnings(
  engine: Engine,
  table: TextTable,
  columns: readonly TypedColumn[],
  written: string,
): Promise<Warning[]> {
  const questions = columns.flatMap((column) =>
    [questionOf(table, column) ?? [], emptyQuestion(table, column) ?? []].flat(),
  );
  const warnings = columns.flatMap((column) => atOnce(table, column));
  if (questions.length === 0) return warnings;
  const rows = numberedRows(table, questions, columns, written);
  return [...warnings, ...(await ask(engine, table, questions, rows))];
}
