// Dates whose day and month stand before the year. No such date says which is which; a column does where one of its values can be read in
// one order only and none contradicts it.
import { literal } from '../engine/sql.ts';
import type { Rung } from './rungs.ts';

export const dateOrders = ['day first', 'month first'] as const;
export type DateOrder = (typeof dateOrders)[number];

export const separators = ['/', '.', '-'] as const;
export type Separator = (typeof separators)[number];

const DAY_MONTH = '[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})';
export const isDayMonthDate = (v: string): string => `regexp_full_match(${v}, '${DAY_MONTH}')`;

/** The first separator of a text that is such a date. */
export const separatorOf = (text: string): Separator | undefined =>
  (/^\d{1,2}([./-])/.exec(text)?.[1] as Separator | undefined) ?? undefined;

/** A date that prints as the text again, both parts padded or neither: so a year of two digits, which may be of any century, is none. */
export function dayMonthRung(separator: Separator, order: DateOrder): Rung {
  const [first, second] = order === 'day first' ? ['d', 'm'] : ['m', 'd'];
  const print = (pad: string): string => literal(`%${pad}${first}${separator}%${pad}${second}${separator}%Y`);
  return {
    type: 'DATE',
    holds: (v, value) => `(strftime(${value}, ${print('')}) = ${v} OR strftime(${value}, ${print('-')}) = ${v})`,
    value: (v) => `TRY_CAST(try_strptime(${v}, ${print('')}) AS DATE)`,
  };
}
