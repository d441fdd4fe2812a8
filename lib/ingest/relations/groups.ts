// Which columns can be compared at all, and in which form: values of one group are compared as text that is the same for the same value.
import { identifier } from '../engine/sql.ts';
import { stampText } from '../engine/stamp-text.ts';
import type { KeyColumn } from './types.ts';

export type Group = 'whole' | 'text' | 'time';

/** Undefined for what tells no rows apart: fractions, truth values, nested values, times of day. */
export function groupOf(type: string): Group | undefined {
  if (/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,0\))$/.test(type)) return 'whole';
  if (type === 'VARCHAR' || type === 'UUID') return 'text';
  return /^(DATE|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?)$/.test(type) ? 'time' : undefined;
}

/** SQL for a column's value in the form in which it is compared. */
export function comparable({ column, type }: Pick<KeyColumn, 'column' | 'type'>): string {
  const name = identifier(column);
  return groupOf(type) === 'time' ? stampText(name, type) : `CAST(${name} AS VARCHAR)`;
}

/** The share of rows with a value of its own that makes a column a key. */
const KEY_SHARE = 0.95;
const keyName = /(?:^|_|[a-z])(?:id|ID|Id|uuid|key|code)$/;

/** By its profile; by its name where it has none. */
export function isKeyLike({ column, rows, nulls, distinct }: KeyColumn): boolean {
  if (distinct === undefined) return keyName.test(column);
  return rows > nulls && distinct >= KEY_SHARE * (rows - nulls);
}
