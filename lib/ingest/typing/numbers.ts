// Numbers as people write them, where the caller says how: another point, separators of thousands, the sign of a currency, percent. A text
// that follows the form is read as the plain number that it writes; one that does not is no number, so that its column stays text.
import { literal } from '../engine/sql.ts';

export const thousandsSeparators = [',', '.', ' ', "'", '_'] as const;
export type ThousandsSeparator = (typeof thousandsSeparators)[number];

export interface NumberFormat {
  readonly decimal: '.' | ',';
  readonly thousands?: ThousandsSeparator | undefined;
  /** Signs that the values of a column may carry, all of them the same one. */
  readonly signs: readonly ('currency' | 'percent')[];
  /** The one that the values of this column carry: `%`, or the sign of a currency as it is written. */
  readonly sign?: string | undefined;
}

/** A space may be one that does not break, or a narrow one; an apostrophe may be a typographic one. */
const SPACES = ' \u00a0\u2009\u202f';
const written: Readonly<Record<ThousandsSeparator, string>> = {
  ',': ',',
  '.': '\\.',
  ' ': `[${SPACES}]`,
  "'": "['\u2019]",
  _: '_',
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const matches = (v: string, pattern: string): string => `regexp_full_match(${v}, ${literal(pattern)})`;

/** Digits, in groups of three or in one, and the places behind the point. */
function figures({ decimal, thousands }: NumberFormat): string {
  const grouped = thousands === undefined ? '' : `[0-9]{1,3}(${written[thousands]}[0-9]{3})+|`;
  const point = decimal === '.' ? '\\.' : ',';
  return `((${grouped}[0-9]+)(${point}[0-9]+)?|${point}[0-9]+)`;
}

/** SQL of the number without what groups it, its point as a point. */
function plain({ decimal, thousands }: NumberFormat, v: string): string {
  const joined = thousands === undefined ? v : `regexp_replace(${v}, ${literal(written[thousands])}, '', 'g')`;
  return decimal === '.' ? joined : `replace(${joined}, ',', '.')`;
}

/** Not a number to any of the types; it only stands for the text while these are looked at. */
const noNumber = (v: string): string => `'~' || ${v}`;

/** A point of which the caller says that it is none would make a number of another size. */
function unsigned(format: NumberFormat, v: string): string {
  const follows = matches(v, `-?${figures(format)}([eE][+-]?[0-9]+)?`);
  const misread = matches(v, '\\s*[+-]?[0-9]*\\.[0-9]*([eE][+-]?[0-9]+)?\\s*');
  const misreads = format.decimal === ',' ? `WHEN ${misread} THEN ${noNumber(v)}` : '';
  return `CASE WHEN ${follows} THEN ${plain(format, v)} ${misreads} ELSE ${v} END`;
}

function signed(format: NumberFormat, sign: string, v: string): string {
  const [number, mark, space] = [figures(format), escaped(sign), `[${SPACES}]?`];
  const forms = [`-?${number}${space}${mark}`];
  if (sign !== '%') forms.push(`-?${space}${mark}${space}${number}`, `${mark}${space}-${number}`);
  const bare = `regexp_replace(replace(${v}, ${literal(sign)}, ''), ${literal(`[${SPACES}]`)}, '', 'g')`;
  const value = sign === '%' ? `number_hundredth(${plain(format, bare)})` : plain(format, bare);
  return `CASE WHEN ${v} = '' THEN ${v} WHEN ${matches(v, forms.join('|'))} THEN ${value} ELSE ${noNumber(v)} END`;
}

/** SQL of what the types see of a text. */
export function numberText(format: NumberFormat | undefined, v: string): string {
  if (format === undefined) return v;
  return format.sign === undefined ? unsigned(format, v) : signed(format, format.sign, v);
}

/** `number_hundredth`: the point of a plain number moved by two places. Needless zeros before the number stay, so that it is none. */
export const numberMacros: readonly string[] = [
  `CREATE TEMP MACRO hundredth_whole(whole, rest) AS
     (CASE WHEN strlen(whole) < 3 THEN '0' ELSE left(whole, strlen(whole) - 2) END) || '.' ||
     right('00' || whole, 2) || rest`,
  `CREATE TEMP MACRO number_hundredth(t) AS
     CASE WHEN regexp_matches(t, '^-?0[0-9]') THEN '~' || t ELSE
       (CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END) ||
       hundredth_whole(split_part(ltrim(t, '-'), '.', 1), split_part(t, '.', 2)) END`,
];

const CURRENCY = '\\p{Sc}|[A-Z]{1,2}\\p{Sc}|[A-Z]{3}|kr\\.?|zł|Kč|Ft|lei|Fr\\.?';
const BEFORE = `^-?\\s?(${CURRENCY})\\s?-?[\\d.,]`;
const BEHIND = `\\d\\s?(${CURRENCY})$`;
const PERCENT = '\\d\\s?%$';
const before = new RegExp(BEFORE, 'u');
const behind = new RegExp(BEHIND, 'u');
const percent = new RegExp(PERCENT, 'u');

/** The sign that a text carries, of those that it may. */
export function signOf({ signs }: NumberFormat, text: string): string | undefined {
  if (signs.includes('percent') && percent.test(text)) return '%';
  return signs.includes('currency') ? (before.exec(text)?.[1] ?? behind.exec(text)?.[1]) : undefined;
}

/** SQL of whether a text carries one of the signs that it may. */
export const carriesSign = ({ signs }: NumberFormat, v: string): string =>
  [...(signs.includes('percent') ? [PERCENT] : []), ...(signs.includes('currency') ? [BEFORE, BEHIND] : [])]
    .map((pattern) => `regexp_matches(${v}, ${literal(pattern)})`)
    .join(' OR ');
