// How large the chunks of a text are.
import type { ReadLimits } from '../reading/types.ts';
import { endOf, type Plain } from './plain.ts';

/** What a chunk is longer than its share, since a record that its end cuts off belongs to the next. */
const SLACK = 1.1;

export const mostBytes = ({ size }: Plain, { chunkBytes: usual, maxChunks }: ReadLimits): number =>
  Math.max(usual, Math.ceil((SLACK * size) / maxChunks));

interface Of {
  readonly plain: Plain;
  readonly limits: ReadLimits;
}

/** Bytes of the chunk that begins at `start`. Where several are written side by side, all are of about one size, so that they end together. */
export function chunkBytes({ plain, limits }: Of, start: number): number {
  const { chunksAtOnce } = limits;
  const most = mostBytes(plain, limits);
  const end = endOf(plain);
  const size = end - (plain.within?.start ?? 0);
  if (chunksAtOnce <= 1 || size <= most) return most;
  const share = size / (Math.ceil(size / most / chunksAtOnce) * chunksAtOnce);
  const left = end - start;
  return Math.ceil(left / Math.max(1, Math.round(left / share)));
}
