import type { Engine } from '../engine/engine.ts';
import { bySlice, columnAt, type Rows } from '../typing/relation.ts';

/** Whether a text of these rows is empty. */
export async function hasEmpty(engine: Engine, rows: Rows, columns: readonly number[]): Promise<boolean> {
  for (const { slice, items } of bySlice(rows, columns, { indexOf: (index) => index })) {
    const isEmpty = items.map((index) => `${columnAt(index)} = ''`).join(' OR ');
    const { empties } = await engine.row(`SELECT count(*) FILTER (${isEmpty}) AS empties FROM ${slice.from}`);
    if (Number(empties) > 0) return true;
  }
  return false;
}
