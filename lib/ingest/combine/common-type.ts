// The type in which the values of two columns are all kept: a widening that loses nothing, or none.
import { must } from '../../core/check.ts';

const integers: ReadonlyMap<string, number> = new Map([
  ['TINYINT', 3],
  ['UTINYINT', 3],
  ['SMALLINT', 5],
  ['USMALLINT', 5],
  ['INTEGER', 10],
  ['UINTEGER', 10],
  ['BIGINT', 19],
  ['UBIGINT', 20],
]);
const isInteger = (type: string): boolean => integers.has(type) || type === 'HUGEINT';
const isFloating = (type: string): boolean => type === 'FLOAT' || type === 'DOUBLE';

/** Digits before the point, and after it. */
function digitsOf(type: string): { readonly whole: number; readonly scale: number } | undefined {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(type);
  if (decimal !== null) {
    const [precision, scale] = [Number(must(decimal[1], 'digits')), Number(must(decimal[2], 'digits'))];
    return { whole: precision - scale, scale };
  }
  if (type === 'HUGEINT') return { whole: 39, scale: 0 };
  const whole = integers.get(type);
  return whole === undefined ? undefined : { whole, scale: 0 };
}

/**
 * Types to try in order, the narrowest first; whether one keeps the values is asked of the values. Empty where the two have nothing in common
 * that would say the same: text is no number, and a date is no timestamp in a zone.
 */
export function commonTypes(before: string, added: string): readonly string[] {
  if (before === added) return [before];
  // HUGEINT is a DOUBLE in Parquet.
  if (isInteger(before) && isInteger(added)) return ['BIGINT', 'DECIMAL(38,0)'];
  const [a, b] = [digitsOf(before), digitsOf(added)];
  if (a !== undefined && b !== undefined) {
    const scale = Math.max(a.scale, b.scale);
    return [`DECIMAL(18,${scale})`, `DECIMAL(38,${scale})`];
  }
  if ((a !== undefined || isFloating(before)) && (b !== undefined || isFloating(added))) return ['DOUBLE'];
  const pair = [before, added].toSorted().join(' ');
  return pair === 'DATE TIMESTAMP' ? ['TIMESTAMP'] : [];
}
