// The types that a parameter can be given as text, each with the texts that it keeps exactly: a cast alone would round or cut in silence.
import { isSameDecimal } from './decimals.ts';

export interface ParamType {
  /** As SQL writes it. */
  readonly sql: string;
  /** Whether the text is one that the type keeps whole; DuckDB's own cast decides the rest (ranges, days of a month). */
  readonly keeps: (text: string) => boolean;
  /** The conversion of a text. */
  readonly cast: (text: string) => string;
}

const integers = [
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'],
  ...['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT', 'BIGNUM'],
] as const;

const time = String.raw`\d{2}:\d{2}:\d{2}`;
const offset = String.raw`[+-]\d{2}(?::?\d{2})?`;
/** Years outside of 0 to 9999 with a sign, as answers have them, or without. */
const date = String.raw`(?:\d{4,6}|[+-]\d{6,7})-\d{2}-\d{2}`;
const timestamp = (places: number, rest = ''): RegExp =>
  new RegExp(`^(?:${date}(?:[T ]${time}${fraction(places)}${rest})?|-?infinity)$`);
const fraction = (places: number): string => (places === 0 ? '' : String.raw`(?:\.\d{1,${places}})?`);

const patterns: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(integers.map((name) => [name, /^[+-]?\d+$/])),
  BOOLEAN: /^(?:true|false)$/i,
  DOUBLE: /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|[+-]?infinity)$/i,
  VARCHAR: /^/,
  UUID: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  DATE: new RegExp(`^(?:${date}|-?infinity)$`),
  TIME: new RegExp(`^${time}${fraction(6)}$`),
  'TIME WITH TIME ZONE': new RegExp(`^${time}${fraction(6)}${offset}$`),
  TIMESTAMP: timestamp(6),
  TIMESTAMP_S: timestamp(0),
  TIMESTAMP_MS: timestamp(3),
  TIMESTAMP_NS: timestamp(9),
  'TIMESTAMP WITH TIME ZONE': timestamp(6, `(?:Z|${offset})?`),
  INTERVAL: /^[+-]?\d/,
  BLOB: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

const aliases: Readonly<Record<string, string>> = {
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE',
  TIMETZ: 'TIME WITH TIME ZONE',
};

export const paramTypeNames: readonly string[] = [...Object.keys(patterns), 'DECIMAL(p,s)'];

/** The type of that name, its case ignored; undefined when parameters cannot have it. `[]` at the end makes it a list. */
export function paramType(name: string): (ParamType & { readonly list: boolean }) | undefined {
  const list = name.endsWith('[]');
  const upper = (list ? name.slice(0, -2) : name).trim().toUpperCase();
  const type = decimal(upper) ?? plain(aliases[upper] ?? upper);
  return type && { ...type, list };
}

function plain(name: string): ParamType | undefined {
  const pattern = Object.hasOwn(patterns, name) ? patterns[name] : undefined;
  if (pattern === undefined) return undefined;
  return { sql: name, keeps: (text) => pattern.test(text) && (losesNothing[name]?.(text) ?? true), cast: castTo(name) };
}

const castTo = (name: string) => (text: string) => {
  if (name === 'BLOB') return `from_base64(${text})`;
  // DuckDB takes years without a plus.
  return `CAST(${/^(DATE|TIMESTAMP)/.test(name) ? `ltrim(${text}, '+')` : text} AS ${name})`;
};

/** What a pattern does not see. */
const losesNothing: Readonly<Record<string, (text: string) => boolean>> = { DOUBLE: isDouble, INTERVAL: isInterval };

/** Its shortest form, or the one of seventeen digits: a cast takes any other, and makes infinity of what is too large. */
function isDouble(text: string): boolean {
  if (!/\d/.test(text)) return true;
  const value = Number(text);
  return Number.isFinite(value) && [String(value), value.toPrecision(17)].some((form) => isSameDecimal(text, form));
}

/** DuckDB cuts what is less than a microsecond, and parts of months and years to whole days and months. */
function isInterval(text: string): boolean {
  return [...text.matchAll(/\.(\d*)\s*([a-z]*)/gi)].every(
    ([, places = '', unit = '']) => places.replace(/0+$/, '').length <= placesOf(unit.toLowerCase()),
  );
}

function placesOf(unit: string): number {
  if (/^(ms|msec|millisec)/.test(unit)) return 3;
  return /^(us|microsec|mon|q|y|dec|c|mil)/.test(unit) ? 0 : 6;
}

function decimal(name: string): ParamType | undefined {
  const [, width, scale] = /^DECIMAL\((\d{1,2}), ?(\d{1,2})\)$/.exec(name) ?? [];
  if (width === undefined || scale === undefined) return undefined;
  const places = Number(scale);
  if (Number(width) < 1 || Number(width) > 38 || places > Number(width)) return undefined;
  const sql = `DECIMAL(${Number(width)},${places})`;
  // More places than the scale are kept only where they are zeros.
  const pattern = new RegExp(String.raw`^[+-]?(?:\d+(?:\.\d{0,${places}}0*)?|\.\d{1,${Math.max(places, 1)}}0*)$`);
  return { sql, keeps: (text) => pattern.test(text), cast: (text) => `CAST(${text} AS ${sql})` };
}
