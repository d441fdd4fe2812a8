// What is asked of every value of a column: how many there are, the least and the greatest, and their measures.
import type { Asked } from '../look/batch.ts';
import type { ColumnMeasures } from '../reading/types.ts';
import { measuresAsked, measuresCounted, readMeasures } from './measures.ts';

const VALUE_CHARACTERS = 256;

export interface Overview {
  readonly present: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly measures: ColumnMeasures;
}

/** Nested values and JSON have no order that would mean something to a reader. */
const isOrdered = (type: string): boolean => !/^(STRUCT|MAP|UNION|JSON|VARIANT|INTERVAL|BLOB|GEOMETRY)|\]$/.test(type);

export const cut = (text: string | null): string | null =>
  text === null || text.length <= VALUE_CHARACTERS
    ? text
    : `${text.slice(0, VALUE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

const endsAsked = (value: string, type: string): string[] =>
  isOrdered(type) ? [`min(${value})`, `max(${value})`] : ['NULL::VARCHAR', 'NULL::VARCHAR'];

/** SQL of aggregates over the values of a column, always as many. */
export const overviewAsked = ({ value, type }: Pick<Asked, 'value' | 'type'>): string[] => [
  `count(${value})`,
  ...endsAsked(value, type),
  ...measuresAsked({ value, type }),
];

/** SQL of the same over values that are counted, as `measuresCounted` names what is known of them. */
export const overviewCounted = (type: string): string[] => [
  'any_value(present)',
  ...endsAsked('value', type),
  ...measuresCounted(type),
];

export const readOverview = ([present, min, max, ...more]: readonly (string | null)[]): Overview => ({
  present: Number(present ?? 0),
  min: cut(min ?? null),
  max: cut(max ?? null),
  measures: readMeasures(more),
});
