// Which parts of a table are looked at, where all of them together are more than lies on the disk of one invocation. One place decides it for
// every look, so that who says of how many rows something is agrees with who looked.
import { must } from '../../core/check.ts';
import { seedOf } from '../look/lots.ts';

interface Part {
  readonly bytes: number;
  readonly rows: number;
}

export interface Bounds {
  /** Of the parts together. */
  readonly bytes: number;
  /** Decides which ones. */
  readonly seed: string;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
export const bytesIn = (parts: readonly Part[]): number => sumOf(parts.map(({ bytes }) => bytes));
export const rowsIn = (parts: readonly Part[]): number => sumOf(parts.map(({ rows }) => rows));

/**
 * All parts where they fit, else as many as do, spread evenly over the table, in its order; none where none fits. The same parts and seed give
 * the same ones.
 */
export function partsWithin<P extends Part>(parts: readonly P[], { bytes, seed }: Bounds): readonly P[] {
  if (bytesIn(parts) <= bytes) return parts;
  const taken = new Set<number>();
  let room = bytes;
  for (const at of spread(parts.length, seed)) {
    const part = must(parts[at], 'a part');
    if (part.bytes > room) continue;
    taken.add(at);
    room -= part.bytes;
  }
  return parts.filter((_, at) => taken.has(at));
}

/** The same, and at least one: the smallest where none fits. */
export function partsLookedAt<P extends Part>(parts: readonly P[], bounds: Bounds): readonly P[] {
  const within = partsWithin(parts, bounds);
  return within.length > 0 ? within : parts.toSorted((one, other) => one.bytes - other.bytes).slice(0, 1);
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** All places below `count`, each once, of which the first few are spread evenly however many are taken: multiples of the golden ratio. */
function* spread(count: number, seed: string): Generator<number> {
  const start = Number(seedOf(seed) % BigInt(count));
  let step = Math.max(1, Math.round(count * GOLDEN));
  while (divisorOf(step, count) > 1) step += 1;
  for (let turn = 0; turn < count; turn += 1) yield (start + turn * step) % count;
}

/** The greatest common one. */
const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));
