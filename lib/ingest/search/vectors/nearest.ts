// Which entries lie nearest to a query: by the cosine of the angle between its vector and theirs, all of them compared.
import type { WorkspaceIndex } from '../index-file.ts';
import { hashOf, textOf } from './entry-text.ts';
import type { VectorSet } from './vector-file.ts';
import { lengthOf, product } from './vector.ts';

/** Something is always nearest. Fewer are taken where the first is much nearer: those that come to this share of its cosine. */
const MOST = 50;
const SHARE = 0.6;

/** An index with the vectors of its entries. */
export interface Aligned {
  readonly ids: readonly string[];
  /** The row of each entry; -1 for one without a vector. */
  readonly rows: Int32Array;
  /** Whether each has one. */
  readonly complete: boolean;
}

export function align(index: WorkspaceIndex, set: VectorSet): Aligned {
  const ids: string[] = [];
  const rows = new Int32Array(index.size);
  for (const entry of index.entries()) {
    rows[ids.length] = set.rows.get(hashOf(set, textOf(entry))) ?? -1;
    ids.push(entry.id);
  }
  return { ids, rows, complete: !rows.includes(-1) };
}

/** Ids, nearest first, of those that pass. */
export function nearest(
  { ids, rows }: Aligned,
  { values, lengths, dimensions }: VectorSet,
  vector: Int8Array,
  passes: (id: string) => boolean,
): string[] {
  const length = lengthOf(vector, 0, vector.length);
  let found: Near[] = [];
  let least = 0;
  for (const [at, id] of ids.entries()) {
    const row = rows[at] ?? -1;
    const both = length * (lengths[row] ?? 0);
    if (both === 0) continue;
    const cosine = product(vector, values, row * dimensions) / both;
    if (cosine <= least || !passes(id)) continue;
    found.push({ id, cosine });
    if (found.length < 2 * MOST) continue;
    found = best(found);
    least = found.at(-1)?.cosine ?? 0;
  }
  const all = best(found);
  const enough = (all[0]?.cosine ?? 0) * SHARE;
  return all.filter(({ cosine }) => cosine >= enough).map(({ id }) => id);
}

interface Near {
  readonly id: string;
  readonly cosine: number;
}
const best = (found: readonly Near[]): Near[] =>
  found.toSorted((one, other) => other.cosine - one.cosine).slice(0, MOST);
