// From facts to a type: the narrowest one that every value fits, text otherwise.
import { type Facts, fitsDecimal } from './facts.ts';
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

const times = ({ dates, stampStyle, stamps }: Facts): Fit[] => [
  { rung: dateRung, count: dates },
  ...(stampStyle === undefined ? [] : [{ rung: stampRung(stampStyle), count: stamps }]),
];

const booleans = (facts: Facts): Fit[] =>
  booleanStyles.map((style) => ({ rung: booleanRung(style), count: facts.booleans[style] }));

const ladder: Readonly<Record<Family, (facts: Facts) => Fit[]>> = {
  any: (facts) => [...booleans(facts), ...numbers(facts), ...times(facts)],
  number: numbers,
  text: times,
  boolean: booleans,
  json: () => [],
  verbatim: () => [],
};

/** The narrowest rung on which all values stand; text where there is none, or no value at all. */
export function planType(family: Family, facts: Facts): Rung {
  if (family === 'json') return jsonRung;
  if (facts.values === 0) return textRung;
  return ladder[family](facts).find(({ count }) => count === facts.values)?.rung ?? textRung;
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
