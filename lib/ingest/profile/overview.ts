// What is asked of every value of a column: how many there are, the least and the greatest, and their measures.
import type { Question } from '../look/batch.ts';
import type { ColumnMeasures } from '../reading/types.ts';
import { measuresAsked, readMeasures } from './measures.ts';

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

export const overviewAsked: Question = ({ value, type }) => [
  `count(${value})`,
  ...(isOrdered(type) ? [`min(${value})`, `max(${value})`] : ['NULL::VARCHAR', 'NULL::VARCHAR']),
  ...measuresAsked({ value, type }),
];

export const readOverview = ([present, min, max, ...more]: readonly (string | null)[]): Overview => ({
  present: Number(present),
  min: cut(min ?? null),
  max: cut(max ?? null),
  measures: readMeasures(more),
});
