// What is known of a column's values: each value is put into the narrowest class it belongs to, and DuckDB counts the
// classes in one scan of the rows, for all columns asked.
import type { Engine, Row } from '../engine/engine.ts';
import { columnAt, type TextTable, typedText } from './relation.ts';
import {
  type BooleanStyle,
  bigintRung,
  booleanRung,
  booleanStyles,
  dateRung,
  doubleRung,
  fractionDigits,
  isLooseNumber,
  isNumber,
  isPlainDecimal,
  wholeDigits,
} from './rungs.ts';
import { isStampLike, isZonedStamp, stampRung, stampStyles } from './stamps.ts';

/** How many values are kept exactly by which type. `values` counts what is not NULL. */
export interface Facts {
  readonly values: number;
  readonly booleans: Readonly<Record<BooleanStyle, number>>;
  readonly integers: number;
  /** Plain decimals, integers among them, and the digits that all of them together need. */
  readonly decimals: number;
  readonly wholeDigits: number;
  readonly fractionDigits: number;
  /** Everything written as a number is, with or without an exponent. */
  readonly numbers: number;
  /** Counted only where DECIMAL does not hold all numbers; 0 otherwise. */
  readonly doubles: number;
  readonly dates: number;
  /** By index of `stampStyles`. */
  readonly stamps: readonly number[];
  /** Numbers, and what would be one but for characters that it would lose: spaces, `+`, leading zeros. */
  readonly looseNumbers: number;
  readonly dayMonthDates: number;
  readonly zonedStamps: number;
}

const DAY_MONTH = '[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})';
export const isDayMonthDate = (v: string): string => `regexp_full_match(${v}, '${DAY_MONTH}')`;

/** Most text starts with something else and is done with at one look. */
const startsOtherwise = (v: string): string => `NOT regexp_matches(${v}, '^[\\s+.0-9-]')`;

/** SQL for the narrowest class of a value; the tests are ordered so that the common ones come first. */
function classOf(v: string): string {
  const booleans = booleanStyles.map((style) => `WHEN ${booleanRung(style).holds(v)} THEN '${style}'`);
  const stamps = stampStyles.map((style, index) => `WHEN ${stampRung(style).holds(v)} THEN 'stamp${index}'`);
  return `CASE WHEN ${v} IS NULL THEN NULL
    ${booleans.join(' ')}
    WHEN ${startsOtherwise(v)} THEN 'text'
    WHEN ${bigintRung.holds(v)} THEN 'integer'
    WHEN ${isPlainDecimal(v)} THEN 'decimal'
    WHEN ${dateRung.holds(v)} THEN 'date'
    WHEN ${isStampLike(v)} THEN CASE ${stamps.join(' ')} WHEN ${isZonedStamp(v)} THEN 'zoned' ELSE 'text' END
    WHEN ${isNumber(v)} THEN 'number'
    WHEN ${isLooseNumber(v)} THEN 'loose'
    WHEN ${isDayMonthDate(v)} THEN 'day month'
    ELSE 'text' END`;
}

function readFacts(row: Row, index: number): Facts {
  const classes = row[`classes_${index}`] as { key: string; value: string }[] | null;
  const counts = new Map((classes ?? []).map(({ key, value }) => [key, Number(value)]));
  const count = (...names: string[]): number => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const stamps = stampStyles.map((_, style) => count(`stamp${style}`));
  const utc = stampStyles.map(({ zone }, style) => (zone === '' ? 0 : (stamps[style] ?? 0)));
  return {
    values: count(...counts.keys()),
    booleans: { lower: count('lower'), upper: count('upper'), title: count('title') },
    integers: count('integer'),
    decimals: count('integer', 'decimal'),
    wholeDigits: Number(row[`whole_${index}`] ?? 0),
    fractionDigits: Number(row[`fraction_${index}`] ?? 0),
    numbers: count('integer', 'decimal', 'number'),
    doubles: 0,
    dates: count('date'),
    stamps,
    looseNumbers: count('integer', 'decimal', 'number', 'loose'),
    dayMonthDates: count('day month'),
    zonedStamps: utc.reduce((sum, one) => sum + one, count('zoned')),
  };
}

/** The digits that a DECIMAL holds at most. */
export const DECIMAL_DIGITS = 38;
export const fitsDecimal = ({ wholeDigits, fractionDigits }: Facts): boolean =>
  wholeDigits + fractionDigits <= DECIMAL_DIGITS;

/** Whether DOUBLE is the only type left for a column of numbers. */
const asksForDouble = (facts: Facts): boolean =>
  facts.values > 0 && facts.numbers === facts.values && (facts.decimals < facts.values || !fitsDecimal(facts));

/** Columns a statement asks at once: planning grows faster than linearly with the expressions. */
const COLUMNS_AT_ONCE = 64;

async function countClasses(engine: Engine, table: TextTable, from: string, indexes: readonly number[]): Promise<Row> {
  const texts = indexes.map((index) => `${typedText(table, index)} AS v_${index}`);
  const classes = indexes.map((index) => `${classOf(`v_${index}`)} AS class_${index}, v_${index}`);
  const asked = indexes.map(
    (index) => `histogram(class_${index}) AS classes_${index},
      max(${wholeDigits(`v_${index}`)}) FILTER (class_${index} IN ('integer', 'decimal')) AS whole_${index},
      max(${fractionDigits(`v_${index}`)}) FILTER (class_${index} = 'decimal') AS fraction_${index}`,
  );
  return engine.row(
    `SELECT ${asked.join(',\n')} FROM (SELECT ${classes.join(',\n')} FROM (SELECT ${texts.join(', ')} FROM ${from}))`,
  );
}

async function countDoubles(engine: Engine, table: TextTable, from: string, facts: Map<number, Facts>): Promise<void> {
  const open = [...facts].filter(([, known]) => asksForDouble(known));
  if (open.length === 0) return;
  const asked = open.map(([index]) => `count_if(${doubleRung.holds(typedText(table, index))}) AS ${columnAt(index)}`);
  const row = await engine.row(`SELECT ${asked.join(',\n')} FROM ${from}`);
  for (const [index, known] of open) facts.set(index, { ...known, doubles: Number(row[columnAt(index)]) });
}

/** The facts of the columns named by index, over the sample or over all rows. */
export async function gatherFacts(
  engine: Engine,
  table: TextTable,
  which: 'sample' | 'all',
  indexes: readonly number[],
): Promise<Map<number, Facts>> {
  const facts = new Map<number, Facts>();
  for (let from = 0; from < indexes.length; from += COLUMNS_AT_ONCE) {
    const some = indexes.slice(from, from + COLUMNS_AT_ONCE);
    const row = await countClasses(engine, table, table[which], some);
    const known = new Map(some.map((index) => [index, readFacts(row, index)]));
    await countDoubles(engine, table, table[which], known);
    for (const [index, one] of known) facts.set(index, one);
  }
  return facts;
}
