// What is known of a column's values: each value is put into the narrowest class it belongs to, and DuckDB counts the
// classes in one scan of the rows, for all columns asked.
import type { Engine, Row } from '../engine/engine.ts';
import { dayMonthRung, isDayMonthDate, type Separator, separatorOf } from './day-months.ts';
import { type TextTable, typedText } from './relation.ts';
import {
  type BooleanStyle,
  bigintRung,
  booleanRung,
  booleanStyles,
  dateRung,
  doubleRung,
  fractionDigits,
  holdsText,
  isLooseNumber,
  isNumber,
  isPlainDecimal,
  wholeDigits,
} from './rungs.ts';
import { isStampLike, isZonedStamp, type StampStyle, stampRung, styleOf } from './stamps.ts';

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
  /** What has the shape of a timestamp, of whatever style, zone or sense. */
  readonly stampLike: number;
  /** The style of one of them, and how many values are kept in it; counted only where half have the shape. */
  readonly stampStyle: StampStyle | undefined;
  readonly stamps: number;
  /** Numbers, and what would be one but for characters that it would lose: spaces, `+`, leading zeros. */
  readonly looseNumbers: number;
  /** What has the shape of a date with day and month before the year. */
  readonly dayMonthDates: number;
  /** Of one of them; and how many values are kept when the day, or the month, stands first. Counted only where half have the shape. */
  readonly separator: Separator | undefined;
  readonly dayFirst: number;
  readonly monthFirst: number;
  readonly zonedStamps: number;
}

/** Most text starts with something else and is done with at one look. */
const startsOtherwise = (v: string): string => `NOT regexp_matches(${v}, '^[\\s+.0-9-]')`;

/** SQL for the narrowest class of a value; the tests are ordered so that the common ones come first. */
function classOf(v: string): string {
  const booleans = booleanStyles.map((style) => `WHEN ${holdsText(booleanRung(style), v)} THEN '${style}'`);
  return `CASE WHEN ${v} IS NULL THEN NULL
    ${booleans.join(' ')}
    WHEN ${startsOtherwise(v)} THEN 'text'
    WHEN ${holdsText(bigintRung, v)} THEN 'integer'
    WHEN ${isPlainDecimal(v)} THEN 'decimal'
    WHEN ${holdsText(dateRung, v)} THEN 'date'
    WHEN ${isStampLike(v)} THEN 'stamp'
    WHEN ${isNumber(v)} THEN 'number'
    WHEN ${isLooseNumber(v)} THEN 'loose'
    WHEN ${isDayMonthDate(v)} THEN 'day month'
    ELSE 'text' END`;
}

/** The classes, each with the name of its count in the answer. */
const classes = {
  ...Object.fromEntries(booleanStyles.map((style) => [style, style])),
  integer: 'integers',
  decimal: 'decimals',
  date: 'dates',
  stamp: 'stamps',
  number: 'numbers',
  loose: 'loose',
  'day month': 'day_months',
} as Readonly<Record<string, string>>;

function textIn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}

function readFacts(row: Row, index: number): Facts {
  const count = (...names: string[]): number =>
    names.reduce((sum, name) => sum + Number(row[`${classes[name] ?? ''}_${index}`]), 0);
  return {
    values: Number(row[`values_${index}`]),
    booleans: { lower: count('lower'), upper: count('upper'), title: count('title') },
    integers: count('integer'),
    decimals: count('integer', 'decimal'),
    wholeDigits: Number(row[`whole_${index}`] ?? 0),
    fractionDigits: Number(row[`fraction_${index}`] ?? 0),
    numbers: count('integer', 'decimal', 'number'),
    doubles: 0,
    dates: count('date'),
    stampLike: count('stamp'),
    stampStyle: styleOf(textIn(row, `stamp_example_${index}`)),
    stamps: 0,
    looseNumbers: count('integer', 'decimal', 'number', 'loose'),
    dayMonthDates: count('day month'),
    separator: separatorOf(textIn(row, `day_month_example_${index}`)),
    dayFirst: 0,
    monthFirst: 0,
    zonedStamps: 0,
  };
}

/** Every value is a date either way. */
export const isAmbiguousDate = ({ values, dayFirst, monthFirst }: Facts): boolean =>
  values > 0 && dayFirst === values && monthFirst === values;

/** The digits that a DECIMAL holds at most. */
export const DECIMAL_DIGITS = 38;
export const fitsDecimal = ({ wholeDigits, fractionDigits }: Facts): boolean =>
  wholeDigits + fractionDigits <= DECIMAL_DIGITS;

/** Whether DOUBLE is the only type left for a column of numbers. */
const asksForDouble = (facts: Facts): boolean =>
  facts.values > 0 && facts.numbers === facts.values && (facts.decimals < facts.values || !fitsDecimal(facts));

/** Columns a statement asks at once: planning grows faster than linearly with the expressions. */
const COLUMNS_AT_ONCE = 64;

const countsOf = (index: number): string[] =>
  Object.entries(classes).map(([name, counted]) => `count_if(class_${index} = '${name}') AS ${counted}_${index}`);

async function countClasses(engine: Engine, table: TextTable, from: string, indexes: readonly number[]): Promise<Row> {
  const texts = indexes.map((index) => `${typedText(table, index)} AS v_${index}`);
  const classed = indexes.map((index) => `${classOf(`v_${index}`)} AS class_${index}, v_${index}`);
  const asked = indexes.map(
    (index) => `count(v_${index}) AS values_${index},
      ${countsOf(index).join(', ')},
      min(v_${index}) FILTER (class_${index} = 'stamp') AS stamp_example_${index},
      min(v_${index}) FILTER (class_${index} = 'day month') AS day_month_example_${index},
      max(${wholeDigits(`v_${index}`)}) FILTER (class_${index} IN ('integer', 'decimal')) AS whole_${index},
      max(${fractionDigits(`v_${index}`)}) FILTER (class_${index} = 'decimal') AS fraction_${index}`,
  );
  return engine.row(
    `SELECT ${asked.join(',\n')} FROM (SELECT ${classed.join(',\n')} FROM (SELECT ${texts.join(', ')} FROM ${from}))`,
  );
}

/** What only some columns need to know, since it costs the most to ask. */
function furtherMeasures(facts: Facts, v: string): Record<string, string> {
  const asked: Record<string, string> = {};
  if (asksForDouble(facts)) asked['doubles'] = `count_if(${holdsText(doubleRung, v)})`;
  if (facts.separator !== undefined && 2 * facts.dayMonthDates >= facts.values) {
    asked['day_first'] = `count_if(${holdsText(dayMonthRung(facts.separator, 'day first'), v)})`;
    asked['month_first'] = `count_if(${holdsText(dayMonthRung(facts.separator, 'month first'), v)})`;
  }
  if (facts.stampLike === 0 || 2 * facts.stampLike < facts.values) return asked;
  asked['zoned'] = `count_if(${isZonedStamp(v)})`;
  if (facts.stampStyle !== undefined) asked['stamps'] = `count_if(${holdsText(stampRung(facts.stampStyle), v)})`;
  return asked;
}

async function askFurther(engine: Engine, table: TextTable, from: string, facts: Map<number, Facts>): Promise<void> {
  const asked = [...facts].flatMap(([index, known]) =>
    Object.entries(furtherMeasures(known, typedText(table, index))).map(([name, sql]) => `${sql} AS ${name}_${index}`),
  );
  if (asked.length === 0) return;
  const row = await engine.row(`SELECT ${asked.join(',\n')} FROM ${from}`);
  const answer = (name: string, index: number): number => Number(row[`${name}_${index}`] ?? 0);
  for (const [index, known] of facts) {
    const [doubles, zonedStamps, stamps] = [answer('doubles', index), answer('zoned', index), answer('stamps', index)];
    const [dayFirst, monthFirst] = [answer('day_first', index), answer('month_first', index)];
    facts.set(index, { ...known, doubles, zonedStamps, stamps, dayFirst, monthFirst });
  }
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
    await askFurther(engine, table, table[which], known);
    for (const [index, one] of known) facts.set(index, one);
  }
  return facts;
}
