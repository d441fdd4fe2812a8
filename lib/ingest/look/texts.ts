// Texts of some rows, which the meanings of columns are told by.
import type { Question } from './batch.ts';
import { isDrawn } from './lots.ts';
import { shortened } from './values.ts';

/** Values that are longer are left out, since what they look like is not seen whole. */
const MOST_CHARACTERS = 1000;

/** A JSON list of the texts that stand in about `wanted` of `rows` rows. `row`: SQL of a row's lot. */
export const textsAsked =
  (row: string, wanted: number, rows: number): Question =>
  ({ value, type }) => {
    if (type !== 'VARCHAR') return ['NULL::VARCHAR'];
    const list = `list(${shortened(value, type, false)}) FILTER (${isDrawn(row, wanted, rows)})`;
    return [`to_json(list_filter(${list}, lambda x: length(x) <= ${MOST_CHARACTERS}))::VARCHAR`];
  };

export const readTexts = (json: string | null | undefined): string[] => JSON.parse(json ?? '[]') as string[];
