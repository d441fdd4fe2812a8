// What is known of a column's values: how many of them each type would keep, by the counts of all of its rows.
import { type Counts, dayMonthClass, inClasses } from './counts.ts';
import { type Separator, separatorOf, separators } from './day-months.ts';
import type { BooleanStyle } from './rungs.ts';
import { type StampStyle, styleKey, styleOf } from './stamps.ts';

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
  /** Only where DECIMAL does not hold all numbers; 0 otherwise. */
  readonly doubles: number;
  readonly dates: number;
  /** What has the shape of a timestamp, of whatever style, zone or sense. */
  readonly stampLike: number;
  /** The style of one of them, and how many values are kept in it; 0 where fewer than half have the shape. */
  readonly stampStyle: StampStyle | undefined;
  readonly stamps: number;
  /** Numbers, and what would be one but for characters that it would lose: spaces, `+`, leading zeros. */
  readonly looseNumbers: number;
  /** What has the shape of a date with day and month before the year. */
  readonly dayMonthDates: number;
  /** Of one of them; and how many values are kept when the day, or the month, stands first. 0 where fewer than half have the shape. */
  readonly separator: Separator | undefined;
  readonly dayFirst: number;
  readonly monthFirst: number;
  readonly zonedStamps: number;
}

/** Every value is a date either way. */
export const isAmbiguousDate = ({ values, dayFirst, monthFirst }: Facts): boolean =>
  values > 0 && dayFirst === values && monthFirst === values;

/** The digits that a DECIMAL holds at most. */
export const DECIMAL_DIGITS = 38;
export const fitsDecimal = ({ wholeDigits, fractionDigits }: Pick<Facts, 'wholeDigits' | 'fractionDigits'>): boolean =>
  wholeDigits + fractionDigits <= DECIMAL_DIGITS;

type Numbers = Pick<Facts, 'values' | 'numbers' | 'decimals' | 'wholeDigits' | 'fractionDigits'>;

/** Whether DOUBLE is the only type left for a column of numbers. */
const asksForDouble = (facts: Numbers): boolean =>
  facts.values > 0 && facts.numbers === facts.values && (facts.decimals < facts.values || !fitsDecimal(facts));

function numbersOf(counts: Counts, values: number) {
  const decimals = inClasses(counts, 'integer', 'decimal');
  const numbers = decimals + inClasses(counts, 'number');
  const { wholeDigits, fractionDigits } = counts;
  return { values, integers: inClasses(counts, 'integer'), decimals, wholeDigits, fractionDigits, numbers };
}

/** Whether `doubles` may be asked for by the facts that follow from these counts; those of some rows only may be added to others. */
export const needsDoubles = (counts: Counts): boolean =>
  asksForDouble(numbersOf(counts, counts.values - counts.empties));

function timesOf(counts: Counts, values: number) {
  const stampLike = inClasses(counts, 'stamp');
  const dayMonthDates = inClasses(counts, ...separators.map(dayMonthClass));
  const stampStyle = styleOf(counts.stampExample ?? '');
  const separator = separatorOf(counts.dayMonthExample ?? '');
  const areStamps = stampLike > 0 && 2 * stampLike >= values;
  const areDates = separator !== undefined && 2 * dayMonthDates >= values;
  return {
    dates: inClasses(counts, 'date'),
    ...{ stampLike, stampStyle, dayMonthDates, separator },
    stamps: areStamps && stampStyle !== undefined ? (counts.stamps[styleKey(stampStyle)] ?? 0) : 0,
    zonedStamps: areStamps ? counts.zonedStamps : 0,
    dayFirst: areDates ? (counts.dayFirst[separator] ?? 0) : 0,
    monthFirst: areDates ? (counts.monthFirst[separator] ?? 0) : 0,
  };
}

/** The facts of a column by the counts of its rows. `empty`: what an empty text of it is. */
export function factsOf(counts: Counts, empty: 'text' | 'NULL'): Facts {
  const values = counts.values - (empty === 'NULL' ? counts.empties : 0);
  const { lower = 0, upper = 0, title = 0 } = counts.classes;
  const numbers = numbersOf(counts, values);
  return {
    booleans: { lower, upper, title },
    ...numbers,
    looseNumbers: numbers.numbers + inClasses(counts, 'loose'),
    doubles: asksForDouble(numbers) ? counts.doubles : 0,
    ...timesOf(counts, values),
  };
}
