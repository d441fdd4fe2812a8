// Merged cells, by one rule: the value stands in the first cell; it is repeated in the rows below, in that one column; the cells beside it are empty.
import type { Cell, Merge, SheetRow } from '../types.ts';
import type { Range } from './facts.ts';

/** Those that reach into the rows of data. */
export const mergesIn = (merges: readonly Merge[], { first, last }: Range): Merge[] =>
  merges.filter(({ top, bottom }) => bottom >= first && top <= last);

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
