// Types that the caller says. A value fits where it is the same value; what is only a manner of writing (zeros and a plus before a number,
// spaces around it, words for true and false) may go, since the caller asks for it. No digit may.
import { literal } from '../engine/sql.ts';
import { type DateOrder, dateOrders, dayMonthRung, isDayMonthDate, separators } from './day-months.ts';
import { dateRung, holdsText, isLooseNumber, type Rung, textRung } from './rungs.ts';
import { stampRung, stampStyles } from './stamps.ts';

export const plainTypes = ['VARCHAR', 'BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'BOOLEAN'] as const;
const DECIMAL = /^DECIMAL\(([1-9]|[12][0-9]|3[0-8]),\s?(0|[1-9]|[12][0-9]|3[0-8])\)$/;

/** Whether a text is one of the plain types, or DECIMAL(p,s) with 1 ≤ p ≤ 38 and s ≤ p. */
export function isForcedType(type: string): boolean {
  const [, precision, scale] = DECIMAL.exec(type) ?? [];
  return (plainTypes as readonly string[]).includes(type) || Number(scale) <= Number(precision);
}

export interface Forced {
  readonly type: string;
  /** What becomes of a value that does not fit. */
  readonly onMisfit: 'refuse' | 'null' | 'reject';
}

export const isNumberType = (type: string): boolean => /^(BIGINT|DOUBLE|DECIMAL)/.test(type);

const bare = (v: string): string => `ltrim(trim(${v}), '+')`;

/** DuckDB reads `12.3e2` as a DECIMAL(5,2), which holds no 1230. */
function isWithin(value: string, type: string): string {
  const [, precision, scale] = DECIMAL.exec(type) ?? [];
  if (precision === undefined) return 'true';
  const most = `'${'9'.repeat(Number(precision) - Number(scale))}.${'9'.repeat(Number(scale))}'::${type}`;
  return `${value} BETWEEN -${most} AND ${most}`;
}

/** Most numbers are written as they are printed, but for zeros at the end of the print; the others cost a hundred times as much to compare. */
function numberRung(type: string): Rung {
  return {
    type,
    holds: (v, value) => {
      const print = `${value}::VARCHAR`;
      return `CASE WHEN starts_with(${print}, ${v}) THEN true
        ELSE ${isLooseNumber(v)} AND ${isWithin(value, type)} AND number_key(${bare(v)}) = number_key(${print}) END`;
    },
    value: (v) => `TRY_CAST(${bare(v)} AS ${type})`,
  };
}

/** SQL of whether a text is one of some words, by a pattern: DuckDB makes a join of an IN of some, and sixty of them take all memory. */
const isWord = (text: string, words: readonly string[]): string =>
  `regexp_full_match(lower(${text}), ${literal(words.join('|'))})`;

const NOT_FINITE = ['nan', '-?inf', '-?infinity'];

/** With the words for what is no number. */
function doubleRung(): Rung {
  const number = numberRung('DOUBLE');
  return {
    ...number,
    holds: (v, value) => `(${isWord(bare(v), NOT_FINITE)} OR (isfinite(${value}) AND ${number.holds(v, value)}))`,
  };
}

/** The first of some rungs that holds the text. */
function anyOf(type: string, rungs: readonly Rung[]): Rung {
  const cases = (v: string): string =>
    rungs.map((rung) => `WHEN ${holdsText(rung, v)} THEN ${rung.value(v)}`).join(' ');
  return { type, value: (v) => `CASE ${cases(v)} END`, holds: (_, value) => `${value} IS NOT NULL` };
}

const dayMonth = (order: DateOrder): Rung[] =>
  separators.map((separator) => {
    const rung = dayMonthRung(separator, order);
    return { ...rung, holds: (v, value) => `(${isDayMonthDate(v)} AND ${rung.holds(v, value)})` };
  });

const STAMP = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?';
const ZONE = '(Z|[+-][0-9]{2}(:?[0-9]{2})?)';

/** The text as DuckDB reads it: with seconds, and the zone with a colon. */
function zoned(v: string): string {
  const time = `regexp_extract(${v}, '^.{11}([0-9:.]+)', 1)`;
  const zone = `regexp_replace(regexp_extract(${v}, ${literal(`${ZONE}$`)}, 1), '^(...)([0-9]{2})$', '\\1:\\2')`;
  return `left(${v}, 10) || ' ' || ${time} || CASE WHEN strlen(${time}) = 5 THEN ':00' ELSE '' END || ${zone}`;
}

/** A point in time, whatever the zone that it is written in. */
const zonedRung: Rung = {
  type: 'TIMESTAMP WITH TIME ZONE',
  holds: (v, value) => `(regexp_full_match(${v}, ${literal(`${STAMP} ?${ZONE}`)}) AND ${value} IS NOT NULL)`,
  value: (v) => `TRY_CAST(${zoned(v)} AS TIMESTAMPTZ)`,
};

const YES = ['true', 't', 'yes', 'y', '1'];
const NO = ['false', 'f', 'no', 'n', '0'];
const booleanRung: Rung = {
  type: 'BOOLEAN',
  holds: (_, value) => `${value} IS NOT NULL`,
  value: (v) => `CASE WHEN ${isWord(`trim(${v})`, YES)} THEN true WHEN ${isWord(`trim(${v})`, NO)} THEN false END`,
};

/** The rung of a type that is asked for; `order`: of dates whose day and month stand before the year, which are none without it. */
export function forcedRung(type: string, order?: DateOrder): Rung {
  switch (type) {
    case 'VARCHAR':
      return textRung;
    case 'DOUBLE':
      return doubleRung();
    case 'BOOLEAN':
      return booleanRung;
    case 'DATE':
      return anyOf('DATE', [dateRung, ...dateOrders.filter((one) => one === order).flatMap(dayMonth)]);
    case 'TIMESTAMP':
      return anyOf('TIMESTAMP', stampStyles.filter(({ zone }) => zone === '').map(stampRung));
    case 'TIMESTAMPTZ':
      return zonedRung;
    default:
      return numberRung(type.replace(' ', ''));
  }
}
