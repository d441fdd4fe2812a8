// Which sign the numbers of a column carry, by one look at its values.
import type { Engine } from '../engine/engine.ts';
import { carriesSign, type NumberFormat, signOf } from './numbers.ts';
import { bySlice, type Rows } from './relation.ts';

interface Open {
  readonly at: number;
  readonly format: NumberFormat;
}

/** One value of each of these columns that has one, with a sign where any has it: words such as `n/a` have none. */
async function oneOfEach(engine: Engine, rows: Rows, open: readonly Open[]): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (const { slice, items } of bySlice(rows, open, { indexOf: ({ at }) => at })) {
    const asked = items.map(
      ({ at, format }) =>
        `coalesce(min(c${at}) FILTER (WHERE ${carriesSign(format, `c${at}`)}), min(nullif(c${at}, ''))) AS v${at}`,
    );
    const row = await engine.row(`SELECT ${asked.join(', ')} FROM ${slice.from}`);
    found.push(
      ...items.flatMap(({ at }): [number, string][] => {
        const value = row[`v${at}`];
        return typeof value === 'string' ? [[at, value]] : [];
      }),
    );
  }
  return found;
}

/** Where all values of a column carry a sign, each does: so any one of them tells which. */
export async function signsOf(
  engine: Engine,
  formats: readonly (NumberFormat | undefined)[],
  from: readonly Rows[],
): Promise<readonly (NumberFormat | undefined)[]> {
  const found = new Map<number, string>();
  for (const rows of from) {
    const open = formats.flatMap((format, at) => (format?.signs.length && !found.has(at) ? [{ at, format }] : []));
    if (open.length === 0) break;
    for (const [at, value] of await oneOfEach(engine, rows, open)) found.set(at, value);
  }
  return formats.map((format, index) => format && { ...format, sign: signOf(format, found.get(index) ?? '') });
}
