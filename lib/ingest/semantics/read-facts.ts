// What the rules of semantic types look at, out of a table's profile and of the texts of some of its rows.
import type { ColumnFacts } from './semantic-type.ts';

export interface ProfiledColumn {
  readonly name: string;
  readonly type: string;
  /** Rows that were counted, where they are not all. */
  readonly rows?: number | undefined;
  readonly nulls: number;
  readonly distinct: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly lengths?: { readonly mean: number } | undefined;
}

/** In the order of the columns. `texts`: of each column, the values of some rows, where it holds texts. */
export const factsOf = (
  columns: readonly ProfiledColumn[],
  rows: number,
  texts: readonly (readonly string[])[] = [],
): ColumnFacts[] =>
  columns.map(({ name, type, nulls, distinct, min, max, lengths, rows: counted = rows }, at) => {
    const values = holdsTexts({ type, nulls, rows: counted }) ? texts[at] : undefined;
    const facts = { name, type, rows: counted, nulls, distinct, min, max, meanLength: lengths?.mean };
    return { ...facts, ...(values && { values }) };
  });

/** Of other columns the profile says enough. */
export const holdsTexts = ({ type, nulls, rows }: Pick<ColumnFacts, 'type' | 'nulls' | 'rows'>): boolean =>
  type === 'VARCHAR' && nulls < rows;
