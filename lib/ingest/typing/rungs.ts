// The ladder of types. A rung says in SQL when a text is kept exactly by its type and how the value is made; whether a
// column may stand on a rung is decided by asking every one of its values.
import { literal } from '../engine/sql.ts';
import { numberMacros } from './numbers.ts';

export interface Rung {
  /** DuckDB's name of the type. */
  readonly type: string;
  /**
   * SQL that is true when the text `v` (an expression, not NULL) is kept exactly by `value`, which is `value(v)` or the
   * name under which that was worked out before; false or NULL otherwise.
   */
  readonly holds: (v: string, value: string) => string;
  /** SQL for the value. */
  readonly value: (v: string) => string;
}

/** JSON's grammar of numbers, and a bare point before the digits: in `.5` no character is lost when it prints as `0.5`. */
const FIGURES = '-?((0|[1-9][0-9]*)(\\.[0-9]+)?|\\.[0-9]+)';
const NUMBER = `${FIGURES}([eE][+-]?[0-9]+)?`;
const NEGATIVE_ZERO = '-0?(\\.0+)?';
const LOOSE_NUMBER = '\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*';

const matches = (v: string, pattern: string): string => `regexp_full_match(${v}, ${literal(pattern)})`;

/** Makes the macros that the rungs use. `number_key` is equal for two texts exactly when they write the same number. */
export const macros: string = [
  ...numberMacros,
  `CREATE TEMP MACRO number_fraction(t) AS regexp_extract(t, '\\.([0-9]+)', 1)`,
  `CREATE TEMP MACRO number_figures(t) AS ltrim(regexp_extract(t, '^-?([0-9]+)', 1) || number_fraction(t), '0')`,
  `CREATE TEMP MACRO number_power(t) AS
     CASE WHEN regexp_matches(t, '[eE]')
       THEN TRY_CAST(replace(regexp_extract(t, '[eE]([+-]?[0-9]+)$', 1), '+', '') AS BIGINT) ELSE 0 END
     - strlen(number_fraction(t)) + strlen(number_figures(t)) - strlen(rtrim(number_figures(t), '0'))`,
  `CREATE TEMP MACRO number_key(t) AS
     CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END ||
     CASE WHEN number_figures(t) = '' THEN '0' ELSE rtrim(number_figures(t), '0') || 'e' || number_power(t) END`,
].join(';\n');

export const isNumber = (v: string): string => matches(v, NUMBER);
export const isLooseNumber = (v: string): string => matches(v, LOOSE_NUMBER);
/** Plain decimals; a negative zero is none, since DECIMAL has no such value. */
export const isPlainDecimal = (v: string): string => `(${matches(v, FIGURES)} AND NOT ${matches(v, NEGATIVE_ZERO)})`;
/** Digits before the point, without a single zero, and after it. */
export const wholeDigits = (v: string): string => `strlen(ltrim(split_part(ltrim(${v}, '-'), '.', 1), '0'))`;
export const fractionDigits = (v: string): string => `strlen(split_part(${v}, '.', 2))`;

/** Whether a rung holds a text of which the value is not at hand. */
export const holdsText = (rung: Rung, v: string): string => rung.holds(v, rung.value(v));

export const textRung: Rung = { type: 'VARCHAR', holds: () => 'true', value: (v) => v };
/** The text is JSON already, proven by the reader. */
export const jsonRung: Rung = { type: 'JSON', holds: () => 'true', value: (v) => `CAST(${v} AS JSON)` };

/** The value printed is the text: then no character was lost on the way in. */
export const bigintRung: Rung = {
  type: 'BIGINT',
  holds: (v, value) => `${value}::VARCHAR = ${v}`,
  value: (v) => `TRY_CAST(${v} AS BIGINT)`,
};

/** DuckDB leaves out the zero before the point where the type has no digit there. */
function printOf(decimal: string, pointFirst: boolean): string {
  const print = `${decimal}::VARCHAR`;
  return pointFirst ? `CASE WHEN ${decimal} < 0 THEN '-0' || substr(${print}, 2) ELSE '0' || ${print} END` : print;
}

/** A decimal prints with all digits of its scale, so the text must be a prefix of the print, and only zeros may follow. */
export function decimalRung(precision: 18 | 38, scale: number): Rung {
  const type = `DECIMAL(${precision},${scale})`;
  return {
    type,
    holds: (v, value) => {
      const print = printOf(value, precision === scale);
      return `CASE WHEN ${print} = ${v} THEN true WHEN starts_with(${print}, ${v}) THEN NOT ends_with(${v}, '.')
        WHEN starts_with(${v}, '.') THEN starts_with(${print}, '0' || ${v})
        WHEN starts_with(${v}, '-.') THEN starts_with(${print}, '-0' || substr(${v}, 2)) ELSE false END`;
    },
    value: (v) => `TRY_CAST(${v} AS ${type})`,
  };
}

/** The shortest text that reads back as the double is the number that was written. Most are printed as they were; the others cost a hundred times as much to compare. */
export const doubleRung: Rung = {
  type: 'DOUBLE',
  holds: (v, value) => {
    const print = `${value}::VARCHAR`;
    return `CASE WHEN NOT isfinite(${value}) THEN false WHEN ${print} = ${v} THEN true WHEN ${print} = ${v} || '.0' THEN true
      ELSE ${isNumber(v)} AND number_key(${v}) = number_key(${print}) END`;
  },
  value: (v) => `TRY_CAST(${v} AS DOUBLE)`,
};

const booleanWords = { lower: ['true', 'false'], upper: ['TRUE', 'FALSE'], title: ['True', 'False'] } as const;
export type BooleanStyle = keyof typeof booleanWords;
export const booleanStyles = Object.keys(booleanWords) as BooleanStyle[];

/** One way of writing only, so that what is lost (capitals) is the same for every value. */
export const booleanRung = (style: BooleanStyle): Rung => {
  const [yes, no] = booleanWords[style].map(literal);
  return {
    type: 'BOOLEAN',
    holds: (_, value) => `${value} IS NOT NULL`,
    value: (v) => `CASE WHEN ${v} = ${yes} THEN true WHEN ${v} = ${no} THEN false END`,
  };
};

/** DuckDB also reads and prints `infinity`, years of five digits and those before the first: none in ten characters. */
export const dateRung: Rung = {
  type: 'DATE',
  holds: (v, value) => `(strlen(${v}) = 10 AND ${value}::VARCHAR = ${v})`,
  value: (v) => `TRY_CAST(${v} AS DATE)`,
};
