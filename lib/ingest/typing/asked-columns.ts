// What the caller says of columns: types by name, and how numbers are written.
import { Fault } from '../../core/fault.ts';
import type { ReadOptions } from '../options.ts';
import { isNumberType } from './forced.ts';
import type { NumberFormat } from './numbers.ts';
import type { Family, TextColumn } from './relation.ts';

function numbersOf({ decimal, decimalComma, thousands, currency, percent }: ReadOptions): NumberFormat | undefined {
  const signs = [
    ...(currency === true ? ['currency' as const] : []),
    ...(percent === true ? ['percent' as const] : []),
  ];
  const point = decimal ?? (decimalComma === true ? ',' : '.');
  if (point === thousands)
    throw new Fault(
      'OPTION_MISFIT',
      `${JSON.stringify(point)} cannot stand both for the point and between thousands.`,
      {
        extra: { option: 'thousands' },
      },
    );
  if (point === '.' && thousands === undefined && signs.length === 0) return undefined;
  return { decimal: point, thousands, signs };
}

/** Columns open to what their values are, or of the family that their file gives them, but for those that the caller names. Throws the Fault OPTION_MISFIT. */
export function askedColumns(
  names: readonly string[],
  options: ReadOptions,
  familyAt: (place: number) => Family = () => 'any',
): TextColumn[] {
  const { types = {}, onMisfit = 'refuse' } = options;
  const numbers = numbersOf(options);
  const asked = new Map(Object.entries(types));
  const columns = names.map((name, place): TextColumn => {
    const type = asked.get(name);
    if (type === undefined) return { name, family: familyAt(place), ...(numbers && { numbers }) };
    asked.delete(name);
    if (type === 'VARCHAR') return { name, family: 'verbatim' };
    return { name, family: 'verbatim', forced: { type, onMisfit }, ...(isNumberType(type) && numbers && { numbers }) };
  });
  const [unknown] = asked;
  if (unknown === undefined) return columns;
  const [column, type] = unknown;
  throw new Fault('OPTION_MISFIT', `There is no column ${JSON.stringify(column)} to be ${type}.`, {
    extra: { option: 'types', column },
  });
}
