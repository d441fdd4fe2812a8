// What is counted of a column's values, so that it adds up: the counts of two stretches of rows, put together, are the counts of all of
// them. Each value is put into the narrowest class it belongs to.
import type { Separator } from './day-months.ts';

/** JSON, so that it can be kept. */
export interface Counts {
  /** What is not NULL. */
  readonly values: number;
  /** Of those, empty texts. */
  readonly empties: number;
  /** Of each class that was met. */
  readonly classes: Readonly<Record<string, number>>;
  /** The most digits before and behind the point, of plain decimals. */
  readonly wholeDigits: number;
  readonly fractionDigits: number;
  /** Numbers that a DOUBLE keeps; 0 where a value of these rows is no number, so that the column cannot become one. */
  readonly doubles: number;
  /** The first in the order of bytes of those that have the shape of a timestamp. */
  readonly stampExample?: string | undefined;
  readonly zonedStamps: number;
  /** How many values are kept in each style that keeps one. */
  readonly stamps: Readonly<Record<string, number>>;
  readonly dayMonthExample?: string | undefined;
  /** By separator, how many are kept when the day, or the month, stands first. */
  readonly dayFirst: Readonly<Record<string, number>>;
  readonly monthFirst: Readonly<Record<string, number>>;
}

export type Sums = Readonly<Record<string, number>>;

export const noCounts: Counts = {
  ...{ values: 0, empties: 0, classes: {}, wholeDigits: 0, fractionDigits: 0, doubles: 0, zonedStamps: 0 },
  ...{ stamps: {}, dayFirst: {}, monthFirst: {} },
};

function sum(a: Sums, b: Sums): Sums {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

/** As DuckDB orders texts. */
export function firstOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) <= 0 ? a : b;
}

/** The counts of the rows of both. */
export const addCounts = (a: Counts, b: Counts): Counts => ({
  values: a.values + b.values,
  empties: a.empties + b.empties,
  classes: sum(a.classes, b.classes),
  wholeDigits: Math.max(a.wholeDigits, b.wholeDigits),
  fractionDigits: Math.max(a.fractionDigits, b.fractionDigits),
  doubles: a.doubles + b.doubles,
  stampExample: firstOf(a.stampExample, b.stampExample),
  zonedStamps: a.zonedStamps + b.zonedStamps,
  stamps: sum(a.stamps, b.stamps),
  dayMonthExample: firstOf(a.dayMonthExample, b.dayMonthExample),
  dayFirst: sum(a.dayFirst, b.dayFirst),
  monthFirst: sum(a.monthFirst, b.monthFirst),
});

/** The class of dates with day and month before the year, by their first separator. */
export const dayMonthClass = (separator: Separator): string => `day${separator}month`;

/** The sum of some classes. */
export const inClasses = ({ classes }: Counts, ...names: readonly string[]): number =>
  names.reduce((total, name) => total + (classes[name] ?? 0), 0);
