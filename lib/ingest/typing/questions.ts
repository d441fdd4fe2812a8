// What typing did that a reader of the table must know, as questions to the rows: which cases there are.
import { must } from '../../core/check.ts';
import type { WarningCode } from '../warnings.ts';
import { isDayMonthDate } from './day-months.ts';
import type { Facts } from './facts.ts';
import { isNumeric, mostlyFits } from './plan.ts';
import type { Plan, PlannedTable } from './plan-table.ts';
import { columnAt } from './relation.ts';
import { isLooseNumber, type Rung, textRung } from './rungs.ts';
import { isMisfit, isOutside, seenText } from './seen-values.ts';
import { isZonedStamp } from './stamps.ts';

/** Something that a reader of the table must know, if there are cases of it. */
export interface Question {
  readonly code: WarningCode;
  readonly index: number;
  /** `rows`: the texts for which `cases` is true. `values`: every value. `all`: every row. */
  readonly counts: 'rows' | 'values' | 'all';
  /** SQL over rows of `withSeen`. */
  readonly cases: string;
  /** The type whose value `cases` looks at. */
  readonly rung?: Rung | undefined;
  readonly detail: string;
}

interface TypedColumn {
  readonly index: number;
  readonly rung: Rung;
  readonly facts: Facts;
  /** The type that the sample promised and the whole file contradicted. */
  readonly promised: Rung | undefined;
}

/** A text column is suspect when half of its values would fit another type; a number when nearly all are integers. */
const TEXT_SHARE = 0.5;
const NUMBER_SHARE = 0.99;

const outside = (index: number, rung: Rung) => ({ cases: isOutside({ index, rung }), rung });

const LOST = 'A number would lose leading zeros, +, spaces, a point at the end, the sign of zero, or digits.';

function widened(table: PlannedTable, column: TypedColumn): Question | undefined {
  const { index, rung, facts, promised } = column;
  const family = table.columns[index]?.family ?? 'any';
  const usual = mostlyFits(family, facts, rung);
  if (usual === undefined || usual.rung.type === rung.type) return undefined;
  const share = usual.count / facts.values;
  const expected = rung === textRung ? share >= TEXT_SHARE : share >= NUMBER_SHARE;
  if (usual.count === 0 || !(expected || (promised !== undefined && rung === textRung))) return undefined;
  const detail = `The column is ${rung.type}; without these values it would be ${usual.rung.type}.`;
  return { code: 'TYPE_WIDENED', index, counts: 'rows', ...outside(index, usual.rung), detail };
}

/** Numbers of which a few would be changed are a widened column; otherwise they are a column of codes. What JSON says is text was none. */
function keptNumbers(table: PlannedTable, { index, facts }: TypedColumn): Question | undefined {
  if (table.columns[index]?.family === 'text') return undefined;
  const usual = mostlyFits('number', facts, textRung);
  if (facts.looseNumbers !== facts.values || (usual?.count ?? 0) >= NUMBER_SHARE * facts.values) return undefined;
  const cases =
    usual === undefined || usual.count === 0 ? { cases: isLooseNumber(seenText(index)) } : outside(index, usual.rung);
  return { code: 'KEPT_AS_TEXT', index, counts: 'rows', ...cases, detail: LOST };
}

/** A few values against the order of the others widen the column; otherwise it has none. */
function dayMonths(table: PlannedTable, column: TypedColumn): Question {
  const { index, facts } = column;
  const hasOrder = facts.dayFirst !== facts.monthFirst;
  const none: Question = {
    code: 'DATE_ORDER_AMBIGUOUS',
    index,
    counts: 'rows',
    cases: isDayMonthDate(seenText(index)),
    detail: '',
  };
  return (hasOrder ? widened(table, column) : undefined) ?? none;
}

/** Texts that look like something else, all of them. */
function lookalike(table: PlannedTable, column: TypedColumn): Question | undefined {
  const { index, facts } = column;
  if (facts.dayMonthDates === facts.values) return dayMonths(table, column);
  if (facts.zonedStamps === facts.values)
    return { code: 'ZONE_KEPT_AS_TEXT', index, counts: 'rows', cases: isZonedStamp(seenText(index)), detail: '' };
  return keptNumbers(table, column);
}

/** Every value is a plain number, but all of them together need more digits than a DECIMAL has. */
function tooManyDigits(table: PlannedTable, { index, facts }: TypedColumn): Question | undefined {
  if (facts.decimals !== facts.values || table.columns[index]?.family === 'text') return undefined;
  return { code: 'KEPT_AS_TEXT', index, counts: 'rows', cases: isLooseNumber(seenText(index)), detail: LOST };
}

function questionOf(table: PlannedTable, column: TypedColumn): Question | undefined {
  const { facts, rung, index } = column;
  const family = table.columns[index]?.family;
  if (facts.values === 0 || family === 'json' || family === 'verbatim' || rung.type === 'BIGINT') return undefined;
  if (rung === textRung) return tooManyDigits(table, column) ?? lookalike(table, column) ?? widened(table, column);
  return isNumeric(rung) ? widened(table, column) : undefined;
}

function emptyQuestion(table: PlannedTable, { index, rung }: TypedColumn): Question | undefined {
  if (!table.emptyIsNull || rung === textRung) return undefined;
  return { code: 'EMPTY_AS_NULL', index, counts: 'rows', cases: `${columnAt(index)} = ''`, detail: '' };
}

/** What the caller's own word does to values. */
function asAsked(table: PlannedTable, { index, rung, facts }: TypedColumn): Question[] {
  const { numbers, forced } = table.columns[index] ?? {};
  const asked: Question[] = [];
  if (forced?.onMisfit === 'null')
    asked.push({ code: 'MISFIT_AS_NULL', index, counts: 'rows', cases: isMisfit({ index, rung }), rung, detail: '' });
  const sign = isNumeric(rung) && facts.values > 0 ? numbers?.sign : undefined;
  const counted = { index, counts: 'values', cases: '' } as const;
  if (sign === '%') asked.push({ ...counted, code: 'PERCENT_AS_FRACTION', detail: '' });
  else if (sign !== undefined)
    asked.push({ ...counted, code: 'CURRENCY_LEFT_OUT', detail: `It is ${JSON.stringify(sign)}.` });
  return asked;
}

function atOnce(table: PlannedTable, { index, rung, facts }: TypedColumn): Question[] {
  const plain = { index, cases: '', detail: '' } as const;
  // A column of JSON has a value, or it would not be one.
  if (table.columns[index]?.family === 'json') return [];
  if (facts.values === 0) return [{ ...plain, code: 'COLUMN_EMPTY', counts: 'all' }];
  if (
    rung.type === 'DATE' &&
    table.columns[index]?.forced === undefined &&
    facts.dates < facts.values &&
    table.dateOrder === undefined
  ) {
    const detail = `The ${facts.dayFirst === facts.values ? 'day' : 'month'} stands first.`;
    return [{ ...plain, code: 'DATE_ORDER_DECIDED', counts: 'values', detail }];
  }
  const style =
    rung.type === 'BOOLEAN' && table.columns[index]?.forced === undefined && facts.booleans.lower < facts.values;
  return style ? [{ ...plain, code: 'BOOLEAN_WORDS', counts: 'values' }] : [];
}

/** What has to be asked of the rows for every warning that typing owes. */
export function questionsOf(table: PlannedTable, { rungs, facts, promised }: Plan): Question[] {
  const columns = rungs.map(
    (rung, index): TypedColumn => ({
      index,
      rung,
      facts: must(facts.get(index), 'facts'),
      promised: promised.get(index),
    }),
  );
  return [
    ...columns.flatMap((column) => atOnce(table, column)),
    ...columns.flatMap((column) => asAsked(table, column)),
    ...columns.flatMap((column) => [questionOf(table, column) ?? [], emptyQuestion(table, column) ?? []].flat()),
  ];
}
