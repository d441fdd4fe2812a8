// Which sign the numbers of a column carry, by one look at its values.
import type { Engine } from '../engine/engine.ts';
import { type NumberFormat, signOf } from './numbers.ts';

/** Where all values of a column carry a sign, each does: so any one of them tells which. */
export async function signsOf(
  engine: Engine,
  formats: readonly (NumberFormat | undefined)[],
  from: readonly string[],
): Promise<readonly (NumberFormat | undefined)[]> {
  const found = new Map<number, string>();
  for (const rows of from) {
    const open = formats.flatMap((format, index) => (format?.signs.length && !found.has(index) ? [index] : []));
    if (open.length === 0) break;
    const asked = open.map((at) => `min(nullif(c${at}, '')) AS v${at}`);
    const row = await engine.row(`SELECT ${asked.join(', ')} FROM ${rows}`);
    const seen = open.map((at) => [at, row[`v${at}`]] as const);
    for (const [at, value] of seen.filter(([, one]) => typeof one === 'string')) found.set(at, value as string);
  }
  return formats.map((format, index) => format && { ...format, sign: signOf(format, found.get(index) ?? '') });
}
