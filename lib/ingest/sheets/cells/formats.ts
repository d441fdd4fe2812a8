// Number formats: whether a number stands for a date or a time, and what else is shown that the number itself does not say.
import type { Note } from '../types.ts';

export interface NumberFormat {
  readonly shows: 'number' | 'date' | 'timestamp' | 'time' | 'duration';
  readonly note?: Note | undefined;
}

export const general: NumberFormat = { shows: 'number' };

/** Formats that a workbook names by number only. Those that differ by language are dates in each. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0',
  6: '$#,##0',
  7: '$#,##0.00',
  8: '$#,##0.00',
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  42: '$#,##0',
  44: '$#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};
const isEastAsianDate = (id: number): boolean => (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
const isEastAsianTime = (id: number): boolean => id >= 32 && id <= 35;

/** What stands for itself: texts in quotes, characters behind a backslash, fillers, and conditions, colours and languages in brackets. */
const besides = /"[^"]*"?|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;

/** Signs of currencies anywhere, and their codes and short names in quotes. */
const signs = /[$€£¥₽₹₩₪₫₺₴฿]|(?<=")\s*(?:zł|Kč|kr\.?|CHF|EUR|USD|GBP|NOK|SEK|DKK|PLN|HUF|Ft|lei|R\$)\s*(?=")/;

/** `$` of the built-in formats 5 to 8 is the currency of whoever opens the file, so it is not named. */
function currencyOf(code: string): string | undefined {
  const bracketed = /\[\$([^\]-]+)(-[^\]]*)?\]/.exec(code)?.[1];
  if (bracketed !== undefined) return bracketed.trim();
  return signs.exec(code.replace(/\[\$-[^\]]*\]/g, ''))?.[0].trim();
}

function noteOf(code: string, bare: string): Note | undefined {
  if (bare.includes('%')) return { kind: 'percent', of: '%' };
  const currency = currencyOf(code);
  if (currency !== undefined && currency !== '') return { kind: 'currency', of: currency };
  const [first = ''] = bare.split(';');
  return /^0{2,}$/.test(first.trim()) ? { kind: 'leading zeros', of: code } : undefined;
}

/** By the letters that are left when everything else is taken away: `m` is a month unless an hour or a second stands beside it. */
export function formatOf(code: string): NumberFormat {
  const bare = code.replace(besides, '').replace(/general|standard|am\/pm|a\/p/gi, '');
  if (/\[(h+|m+|s+)\]/i.test(bare)) return { shows: 'duration' };
  const isNumeric = /[0#?]/.test(bare.replace(/[sS]\.0+/g, '')) || /e[+-]/i.test(bare);
  if (isNumeric) return { shows: 'number', note: noteOf(code, bare) };
  const hasDay = /[ydgeb]/i.test(bare);
  const hasTime = /[hs]/i.test(bare);
  if (hasDay) return { shows: hasTime ? 'timestamp' : 'date' };
  if (hasTime) return { shows: 'time' };
  return /m/i.test(bare) ? { shows: 'date' } : { shows: 'number', note: noteOf(code, bare) };
}

/** The format with this number, of which the workbook may hold the code. */
export function formatById(id: number, code: string | undefined): NumberFormat {
  if (code !== undefined) return formatOf(code);
  if (isEastAsianDate(id)) return { shows: 'date' };
  if (isEastAsianTime(id)) return { shows: 'time' };
  const known = builtIn[id];
  if (known === undefined) return general;
  const format = formatOf(known);
  return known.startsWith('$') ? { ...format, note: { kind: 'currency', of: 'the currency of the reader' } } : format;
}
