// Some columns that a statement asks the same of. Of a large table they stand side by side, and one scan answers for all of them. Of a small one
// their cells stand below each other, column by column, since planning a statement takes longer than reading so few rows: one statement asks
// in the same words of all columns of one type.
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import type { Source } from './source.ts';

export interface Batch extends Source {
  readonly form: 'columns' | 'cells';
  readonly columns: readonly Column[];
  /** SQL of each column's values, in their order; of cells the one name of all of them. */
  readonly values: readonly string[];
}

/** What a question is about. */
export interface Asked {
  /** SQL. */
  readonly value: string;
  readonly type: string;
  /** SQL of what is known of this column. */
  readonly own: (of: (column: Column, place: number) => string) => string;
}

/** SQL of aggregates, as many for each column of a batch. */
export type Question = (asked: Asked) => readonly string[];

export const besideEachOther = (source: Source, columns: readonly Column[]): Batch => ({
  ...source,
  form: 'columns',
  columns,
  values: columns.map(({ name }) => identifier(name)),
});

/** The columns are of one type. */
export async function belowEachOther(
  engine: Engine,
  { from, row }: Source,
  columns: readonly Column[],
): Promise<Batch> {
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  await engine.run(`CREATE OR REPLACE TEMP TABLE cells AS
    SELECT unnest([${columns.map((_, place) => place).join(', ')}]) AS place, unnest([${names}]) AS v, ${row} AS row FROM ${from}`);
  return { form: 'cells', columns, from: 'cells', row: 'row', values: columns.map(() => 'v') };
}

/** The columns at some places, as a batch. */
export function columnsWhere(batch: Batch, is: (place: number) => boolean): Batch {
  const columns = batch.columns.filter((_, place) => is(place));
  return { ...batch, columns, values: batch.values.filter((_, place) => is(place)) };
}

/** In the order of the columns. All null of cells where there is no row. */
export async function askEach(engine: Engine, batch: Batch, question: Question): Promise<(string | null)[][]> {
  const { form, from, columns, values } = batch;
  if (columns.length === 0) return [];
  if (form === 'columns') {
    const asked = columns.map((column, place) =>
      question({ value: values[place] ?? '', type: column.type, own: (of) => of(column, place) }),
    );
    const [row = []] = await engine.texts(`SELECT ${asked.flat().join(',\n')} FROM ${from}`);
    const each = row.length / columns.length;
    return columns.map((_, place) => row.slice(place * each, (place + 1) * each));
  }
  const own: Asked['own'] = (of) => `([${columns.map(of).join(', ')}])[place + 1]`;
  const aggregates = question({ value: 'v', type: columns[0]?.type ?? '', own });
  const rows = await engine.texts(`SELECT place, ${aggregates.join(', ')} FROM ${from} GROUP BY place`);
  const answers = new Map(rows.map(([place, ...answer]) => [Number(place), answer]));
  return columns.map((_, place) => answers.get(place) ?? aggregates.map(() => null));
}
