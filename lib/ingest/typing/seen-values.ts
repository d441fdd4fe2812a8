// Rows with the texts of some columns as a type sees them, and their values, each worked out once under a name of its own. Written out at
// every place where a question mentions them, a number with a sign makes a statement that takes seconds to plan, whatever the rows.
import { type TextTable, typedText } from './relation.ts';
import type { Rung } from './rungs.ts';

export interface SeenColumn {
  readonly index: number;
  /** The type of the value; without one there is none. */
  readonly rung?: Rung | undefined;
}
export type TypedColumn = SeenColumn & { readonly rung: Rung };

/** The name of a column's text. */
export const seenText = (index: number): string => `v_${index}`;
const seenValue = (index: number): string => `t_${index}`;

/** SQL that is true of a row whose text the type does not hold, NULL too. */
export const isOutside = ({ index, rung }: TypedColumn): string =>
  `NOT coalesce(${rung.holds(seenText(index), seenValue(index))}, false)`;

/** The same; false of NULL. */
export const isMisfit = (column: TypedColumn): string =>
  `${seenText(column.index)} IS NOT NULL AND ${isOutside(column)}`;

/** `from`, a FROM item with the columns' texts, with what is seen of each of them beside it. A column may be named twice, with one type. */
export function withSeen(
  table: Pick<TextTable, 'emptyIsNull' | 'columns'>,
  from: string,
  columns: readonly SeenColumn[],
): string {
  const indexes = [...new Set(columns.map(({ index }) => index))];
  const rungs = new Map(columns.flatMap(({ index, rung }) => (rung === undefined ? [] : [[index, rung] as const])));
  const texts = indexes.map((index) => `, ${typedText(table, index)} AS ${seenText(index)}`);
  const values = [...rungs].map(([index, rung]) => `, ${rung.value(seenText(index))} AS ${seenValue(index)}`);
  return `(SELECT *${values.join('')} FROM (SELECT *${texts.join('')} FROM ${from}))`;
}
