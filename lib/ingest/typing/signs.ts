// Which sign the numbers of a column carry, by one look at its values.
import type { Engine } from '../engine/engine.ts';
import { firstOf } from './counts.ts';
import { carriesSign, type NumberFormat, signOf } from './numbers.ts';
import { bySlice, type Rows } from './relation.ts';

type Formats = readonly (NumberFormat | undefined)[];

/** The first texts of a column, in the order of bytes: of those that carry a sign, and of all that are not empty. JSON. */
export interface Example {
  readonly signed?: string | undefined;
  readonly any?: string | undefined;
}

/** By the index of the column; of those that have a text. */
export type Examples = ReadonlyMap<number, Example>;

/** The columns whose numbers may carry a sign, and of which there is no example. */
export const withoutExample = (formats: Formats, known: Examples = new Map()): number[] =>
  [...formats.keys()].filter((index) => formats[index]?.signs.length && !known.has(index));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Of some columns, which may carry a sign. */
export async function examplesIn(
  engine: Engine,
  rows: Rows,
  formats: Formats,
  columns: readonly number[],
): Promise<Map<number, Example>> {
  const open = columns.flatMap((at) => (formats[at] === undefined ? [] : [{ at, format: formats[at] }]));
  const found = new Map<number, Example>();
  for (const { slice, items } of bySlice(rows, open, { indexOf: ({ at }) => at })) {
    const asked = items.map(
      ({ at, format }) => `min(c${at}) FILTER (WHERE ${carriesSign(format, `c${at}`)}) AS s${at},
        min(nullif(c${at}, '')) AS v${at}`,
    );
    const row = await engine.row(`SELECT ${asked.join(', ')} FROM ${slice.from}`);
    const examples = items.map(
      ({ at }) => [at, { signed: textOf(row[`s${at}`]), any: textOf(row[`v${at}`]) }] as const,
    );
    for (const [at, example] of examples.filter(([, { any }]) => any !== undefined)) found.set(at, example);
  }
  return found;
}

/** Of the rows of both. */
export const addExample = (a: Example = {}, b: Example = {}): Example => ({
  signed: firstOf(a.signed, b.signed),
  any: firstOf(a.any, b.any),
});

/** Where all values of a column carry a sign, each does: so any one of them tells which. Words such as `n/a` have none. */
export const signed = (format: NumberFormat | undefined, example: Example = {}): NumberFormat | undefined =>
  format && { ...format, sign: signOf(format, example.signed ?? example.any ?? '') };

/** The formats with the sign that each column carries: by the first of these rows in which it has a text. */
export async function signsOf(engine: Engine, formats: Formats, from: readonly Rows[]): Promise<Formats> {
  let found: Examples = new Map();
  for (const rows of from) {
    const open = withoutExample(formats, found);
    if (open.length > 0) found = new Map([...found, ...(await examplesIn(engine, rows, formats, open))]);
  }
  return formats.map((format, index) => signed(format, found.get(index)));
}
