// What the rules of semantic types look at, out of a table's profile and of some of its rows.
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import type { ColumnFacts } from './semantic-type.ts';

/** Rows of the sample. */
const SAMPLE_ROWS = 1000;
const VALUE_CHARACTERS = 1000;
const COLUMNS_AT_ONCE = 64;

export interface ProfiledColumn {
  readonly name: string;
  readonly type: string;
  readonly nulls: number;
  readonly distinct: number;
  readonly min: string | null;
  readonly max: string | null;
  readonly lengths?: { readonly mean: number } | undefined;
}

/**
 * In the order of the columns, with values of the texts: of the same rows in each run. `source` is a FROM item. Values that are longer than
 * 1,000 characters are left out, since what they look like is not seen whole.
 */
export async function readFacts(
  engine: Engine,
  source: string,
  columns: readonly ProfiledColumn[],
  rows: number,
): Promise<ColumnFacts[]> {
  const texts = columns.filter(({ type, nulls }) => type === 'VARCHAR' && nulls < rows).map(({ name }) => name);
  const values = new Map<string, string[]>();
  for (let from = 0; from < texts.length; from += COLUMNS_AT_ONCE)
    await readValues(engine, source, texts.slice(from, from + COLUMNS_AT_ONCE), values);
  return columns.map((column) => ({
    ...factsOf(column, rows),
    ...(values.has(column.name) && { values: values.get(column.name) }),
  }));
}

export const factsOf = ({ name, type, nulls, distinct, min, max, lengths }: ProfiledColumn, rows: number) =>
  ({ name, type, rows, nulls, distinct, min, max, meanLength: lengths?.mean }) satisfies ColumnFacts;

async function readValues(
  engine: Engine,
  source: string,
  names: readonly string[],
  into: Map<string, string[]>,
): Promise<void> {
  const asked = names.map((name) => {
    const column = identifier(name);
    return `CASE WHEN length(${column}) <= ${VALUE_CHARACTERS} THEN ${column} END`;
  });
  const sample = `(SELECT ${names.map(identifier).join(', ')} FROM ${source} USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS) REPEATABLE (1))`;
  const rows = await engine.texts(`SELECT ${asked.join(', ')} FROM ${sample}`);
  for (const [index, name] of names.entries())
    into.set(
      name,
      rows.map((row) => row[index] ?? null).filter((value) => value !== null),
    );
}
