// Column names come back as they are in the file: trimmed, blank ones named after their place, repeated ones numbered.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { warn } from '../warnings.ts';

/** DuckDB tells names apart without regard to the case of ASCII letters. */
export const sameName = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Names for `count` columns from the header's cells; cells that are missing count as blank. Throws the Fault PARSE_ERROR for a name that SQL cannot write. */
export function nameColumns(cells: readonly string[], count: number): { names: string[]; warnings: Warning[] } {
  const wanted = Array.from({ length: count }, (_, index) => cells[index]?.trim() ?? '');
  const unwritable = wanted.findIndex((name) => name.includes('\0'));
  if (unwritable >= 0) throw new Fault('PARSE_ERROR', `The name of column ${unwritable + 1} holds the character NUL.`);
  const reserved = new Set(wanted.map(sameName));
  const taken = new Set<string>();
  const warnings: Warning[] = [];

  /** By stem, the last number that was given: thousands of columns may have one name. */
  const numbers = new Map<string, number>();
  const numbered = (stem: string): string => {
    const same = sameName(stem);
    let name = stem;
    for (
      let number = (numbers.get(same) ?? 1) + 1;
      reserved.has(sameName(name)) || taken.has(sameName(name));
      number++
    ) {
      name = `${stem}_${number}`;
      numbers.set(same, number);
    }
    return name;
  };
  const names = wanted.map((name, index) => {
    const given = name === '' ? numbered(`column_${index + 1}`) : taken.has(sameName(name)) ? numbered(name) : name;
    taken.add(sameName(given));
    if (name === '' && index < cells.length)
      warnings.push(warn('COLUMN_UNNAMED', { column: given, detail: `It is column ${index + 1}.` }));
    else if (name !== given && name !== '') warnings.push(warn('COLUMN_REPEATED', { column: given, example: name }));
    return given;
  });
  return { names, warnings };
}

const dataLike = /^\s*([+-]?\d[\d.,]*([eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}.*|true|false)\s*$/i;

/** Whether at least half of the header's filled cells are numbers, dates or booleans. */
export function looksLikeData(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && 2 * filled.filter((cell) => dataLike.test(cell)).length >= filled.length;
}
