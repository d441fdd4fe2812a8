// What the model is shown of a table or a column: names, words that people or models say, and never a sample.
import { createHash } from 'node:crypto';
import { readName } from '../../long-names.ts';
import type { Entry } from '../entries.ts';
import { HASH, type ModelName } from './vector-file.ts';

/** Characters: about what the shortest-sighted model reads. */
const MOST_CHARACTERS = 1500;
/** Columns that a table's text names. */
const MOST_COLUMNS = 40;

/** `customerId` and `customer_id` as prose would have them. */
const spoken = (name: string): string =>
  readName(name)
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .replace(/[\s_.\-/]+/gu, ' ')
    .trim();

/** Numbers of a description are mostly measured: they mean little, and change with every file, which would be paid for anew. */
const uncounted = (description: string | undefined): string | undefined =>
  description
    ?.replace(/(?<!\p{L})\d[\d.,:/-]*/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** Values stand in it only as far as a description has them, which leaves out what is or may be personal. */
export function textOf({ of: table, column }: Entry): string {
  const { synonyms = [], description } = column ?? table;
  const parts = [
    column ? `${spoken(column.name)} (column of ${spoken(table.name)})` : `${spoken(table.name)} (table)`,
    column?.semanticType?.replaceAll('_', ' '),
    synonyms.join(', '),
    uncounted(description),
    column
      ? undefined
      : table.columns
          .slice(0, MOST_COLUMNS)
          .map((each) => spoken(each.name))
          .join(', '),
  ];
  const told = parts.filter((part) => part !== undefined && part !== '');
  return told.join('. ').slice(0, MOST_CHARACTERS).toWellFormed();
}

/** Raised when texts are made otherwise and what is there should be embedded anew. */
const TEXTS = 1;

/** The same for the same text and model only. */
export const hashOf = ({ model, dimensions }: ModelName, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify([TEXTS, model, dimensions, text]))
    .digest()
    .subarray(0, HASH.bytes)
    .toString('base64url');
