// Merged cells, by one rule: the value stands in the first cell; it is repeated in the rows below, in that one column; the cells beside it are empty.
import type { Cell, Merge, SheetRow } from '../types.ts';
import { isWithin } from './blocks.ts';
import type { Range } from './facts.ts';

/** Those that reach into the rows of data. */
export const mergesIn = (merges: readonly Merge[], { first, last, columns }: Range): Merge[] =>
  merges.filter(({ top, bottom, left }) => bottom >= first && top <= last && isWithin(left, columns));

interface Filling {
  readonly bottom: number;
  readonly cell: Cell | undefined;
}

/**
 * Takes rows in order and gives each with what is merged into it from above. Merges that begin above the data, in the header for one, give
 * it nothing.
 */
export function mergeFiller(merges: readonly Merge[], range: Range): (row: SheetRow) => readonly Cell[] {
  const tall = mergesIn(merges, range)
    .filter(({ top, bottom }) => top >= range.first && bottom > top)
    .sort((a, b) => a.top - b.top);
  const filling = new Map<number, Filling>();
  let next = 0;
  return ({ number, cells }) => {
    for (let merge = tall[next]; merge !== undefined && merge.top <= number; merge = tall[++next]) {
      const { left, bottom, top } = merge;
      const cell = top === number ? cells.find(({ column }) => column === left) : undefined;
      filling.set(left, { bottom, cell });
    }
    if (filling.size === 0) return cells;
    const added: Cell[] = [];
    for (const [column, { bottom, cell }] of filling) {
      if (bottom < number) filling.delete(column);
      else if (cell !== undefined && !cells.some((own) => own.column === column)) added.push(cell);
    }
    return added.length === 0 ? cells : [...cells, ...added];
  };
}

/** Names that a header gets from above, as the cells of a header of two rows do. */
export function namesFromAbove(merges: readonly Merge[], { header }: Range): (row: SheetRow) => Cell[] {
  const tall = merges.filter(({ top, bottom }) => top < header && bottom >= header);
  return ({ number, cells }) =>
    tall.filter(({ top }) => top === number).flatMap(({ left }) => cells.filter(({ column }) => column === left));
}

/** Texts that are merged over several columns right above the header: the groups that its names belong to. `visit` takes rows in order. */
export function groupsAbove(merges: readonly Merge[], { header }: Range) {
  const wide = merges.filter(({ left, right, bottom }) => right > left && bottom === header - 1);
  const groups = new Map<number, string>();
  return {
    visit: ({ number, cells }: SheetRow): void => {
      for (const { left, right } of wide.filter(({ top }) => top === number)) {
        const text = cells.find(({ column }) => column === left)?.text;
        for (let column = left; text !== undefined && column <= right; column++) groups.set(column, text);
      }
    },
    /** Names that repeat have their group before them: `2023 Q1`. */
    named: (header: ReadonlyMap<number, string>): Map<number, string> => {
      const times = new Map<string, number>();
      for (const name of header.values()) times.set(name, (times.get(name) ?? 0) + 1);
      return new Map(
        [...header].map(([column, name]) => {
          const group = groups.get(column);
          return [column, group !== undefined && (times.get(name) ?? 0) > 1 ? `${group} ${name}` : name];
        }),
      );
    },
  };
}
