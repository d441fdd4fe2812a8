// From facts to a type: the narrowest one that every value fits, text otherwise.
import { type DateOrder, dayMonthRung } from './day-months.ts';
import { type Facts, fitsDecimal, isAmbiguousDate } from './facts.ts';
import type { Family } from './relation.ts';
import {
  bigintRung,
  booleanRung,
  booleanStyles,
  dateRung,
  decimalRung,
  doubleRung,
  isNumber,
  isPlainDecimal,
  jsonRung,
  type Rung,
  textRung,
} from './rungs.ts';
import { stampRung } from './stamps.ts';

/** A rung and how many of the values stand on it. */
interface Fit {
  readonly rung: Rung;
  readonly count: number;
}

/** DECIMAL comes in two widths, 8 and 16 bytes, so that a table's types do not change with every larger number. */
function decimalFor(facts: Facts): Fit[] {
  if (!fitsDecimal(facts)) return [];
  const precision = Math.max(facts.wholeDigits, 1) + facts.fractionDigits <= 18 ? 18 : 38;
  return [{ rung: decimalRung(precision, facts.fractionDigits), count: facts.decimals }];
}

const numbers = (facts: Facts): Fit[] => [
  { rung: bigintRung, count: facts.integers },
  ...decimalFor(facts),
  { rung: doubleRung, count: facts.doubles },
];

const times = (facts: Facts, order: DateOrder | undefined): Fit[] => [
  { rung: dateRung, count: facts.dates },
  ...(facts.stampStyle === undefined ? [] : [{ rung: stampRung(facts.stampStyle), count: facts.stamps }]),
  ...dayMonths(facts, order),
];

/** In neither order where both keep every value, unless the caller says which. */
function dayMonths(facts: Facts, asked: DateOrder | undefined): Fit[] {
  const { separator, dayFirst, monthFirst } = facts;
  if (separator === undefined || (asked === undefined && isAmbiguousDate(facts))) return [];
  const fits: Readonly<Record<DateOrder, Fit>> = {
    'day first': { rung: dayMonthRung(separator, 'day first'), count: dayFirst },
    'month first': { rung: dayMonthRung(separator, 'month first'), count: monthFirst },
  };
  return asked === undefined ? Object.values(fits) : [fits[asked]];
}

const booleans = (facts: Facts): Fit[] =>
  booleanStyles.map((style) => ({ rung: booleanRung(style), count: facts.booleans[style] }));

const ladder: Readonly<Record<Family, (facts: Facts, order?: DateOrder) => Fit[]>> = {
  any: (facts, order) => [...booleans(facts), ...numbers(facts), ...times(facts, order)],
  number: numbers,
  text: (facts, order) => times(facts, order),
  boolean: booleans,
  json: () => [],
  verbatim: () => [],
};

/** The narrowest rung on which all values stand; text where there is none, or no value at all. `order`: the caller's word on dates. */
export function planType(family: Family, facts: Facts, order?: DateOrder): Rung {
  if (family === 'json') return jsonRung;
  if (facts.values === 0) return textRung;
  return ladder[family](facts, order).find(({ count }) => count === facts.values)?.rung ?? textRung;
}

const anyNumber: Rung = { type: 'number', holds: isNumber, value: (v) => v };
const plainDecimal: Rung = { type: 'DECIMAL', holds: isPlainDecimal, value: (v) => v };

/** Among other texts all numbers count as one kind; where every value is a number, the odd ones are told by form. */
function numberKinds(facts: Facts): Fit[] {
  if (facts.numbers < facts.values && facts.integers < facts.numbers)
    return [{ rung: anyNumber, count: facts.numbers }];
  return [
    { rung: bigintRung, count: facts.integers },
    { rung: plainDecimal, count: facts.decimals },
    { rung: doubleRung, count: facts.doubles },
  ];
}

/** The rung that most values of a column stand on, and how many; the narrowest of equals. */
export function mostlyFits(family: Family, facts: Facts, planned: Rung): Fit | undefined {
  if (planned !== textRung) return { rung: bigintRung, count: facts.integers };
  const others = ladder[family](facts).filter(({ rung }) => !isNumeric(rung));
  const fits = family === 'any' || family === 'number' ? [...numberKinds(facts), ...others] : others;
  return fits.reduce<Fit | undefined>(
    (best, fit) => (best === undefined || fit.count > best.count ? fit : best),
    undefined,
  );
}

export const isNumeric = ({ type }: Rung): boolean =>
  type === 'BIGINT' || type === 'DOUBLE' || type.startsWith('DECIMAL');
